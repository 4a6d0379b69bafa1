extension Device {
    /// The parts of a device. `Device.discover(_:configuration:)` finds them on hardware; `Device.simulated` of RingerTestKit has
    /// those of a simulated board.
    public struct Ports: Sendable {
        /// The device's clock.
        public var clock: any DeviceClock
        /// The Ring/Silent switch; nil for a device without one, whose kept position (``Device/setPosition(_:)``) is in its place,
        /// and which is at ring while none is set. Until its first position it counts as ``UserPreferences/whenSwitchUnreadable``.
        public var ringSilent: (any RingSilentSwitch)?
        /// The vibration motor; nil if there is none.
        public var motor: (any VibrationMotor)?
        /// The status light; nil if there is none.
        public var statusLight: (any StatusLight)?
        /// The speaker.
        public var speaker: any SoundOutput
        /// The microphone; nil if there is none, or it is unknown.
        public var microphone: (any SoundInput)?
        /// The sources of the rest of the state: jacks, keys, volume and others.
        public var stateSources: [any DeviceStateSource]
        /// The light that is lit while the device is not at ring, and off once it is closed; nil if there is none.
        public var silentLight: (any StatusLight)?
        /// Whether a state source is a button that moves the kept position (``DeviceStateChange/buttonPressed(_:at:)``): the
        /// position of a device without a switch is known from the start then.
        public var hasButton = false
        /// The routes that the device has.
        public var routes: RouteBoard
        /// Returns whether another process plays sound; nil if that cannot be found out.
        public var otherAudio: (@Sendable () -> Bool)?
        /// Sets the output volume, 0 to 1, which a state source reports; nil if no mixer is followed.
        public var setOutputVolume: (@Sendable (Float) throws(RingerError) -> Void)?
        /// The parts that could not be used, reported as ``DeviceEvent/degraded(_:at:)``.
        public var problems: [RingerError]
        /// What owns the hardware, where another process does; nil where this one does.
        package var service: (any DeviceService)?
        /// The zone of local wall time, for the quiet hours.
        package var timeZone: any TimeZoneSource = FixedTimeZone()
        /// The name of the service's motor; nil where it has none.
        package var serviceMotorName: String?
        /// How long closing waits for the motor's driver and the speaker's threads. What has not ended then is left behind.
        package var closingPatience = Duration.seconds(1)
        /// Frees what the ports share. Called after they were closed.
        public var close: @Sendable () -> Void

        /// A device made of these parts.
        public init(
            clock: any DeviceClock, ringSilent: (any RingSilentSwitch)?, motor: (any VibrationMotor)?,
            statusLight: (any StatusLight)? = nil, speaker: any SoundOutput, microphone: (any SoundInput)? = nil,
            stateSources: [any DeviceStateSource] = [],
            routes: RouteBoard = .standard, otherAudio: (@Sendable () -> Bool)? = nil,
            setOutputVolume: (@Sendable (Float) throws(RingerError) -> Void)? = nil, problems: [RingerError] = [],
            close: @escaping @Sendable () -> Void = {}
        ) {
            self.clock = clock
            self.ringSilent = ringSilent
            self.motor = motor
            self.statusLight = statusLight
            self.speaker = speaker
            self.microphone = microphone
            self.stateSources = stateSources
            self.routes = routes
            self.otherAudio = otherAudio
            self.setOutputVolume = setOutputVolume
            self.problems = problems
            self.close = close
        }
    }
}
