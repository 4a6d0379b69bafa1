@_exported import RingerHardware

extension Device {
    /// Which hardware a device is made of: each part found by itself, or named.
    public struct Hardware: Sendable {
        /// The switch; nil for the one that ``HardwareDiscovery`` finds first. A switch that was named, or found, and cannot
        /// be opened is waited for; until it can be read it counts as ``UserPreferences/whenSwitchUnreadable``.
        public var ringSilent: SwitchSpecification?
        /// The motor; nil for the one that ``HardwareDiscovery`` finds first.
        public var motor: MotorSpecification?
        /// The PCM that sounds are played to.
        public var pcm: String
        /// The routes that the board has besides a speaker and a jack, and the PCMs of routes that have one of their own.
        /// A receiver is there if it is named. Which of them the switch silences is
        /// ``UserPreferences/routesSilencedBySwitch``.
        public var routes: [AudioRoute: String]
        /// 1 to 99 to run the sound thread with `SCHED_FIFO`; nil for the ordinary scheduler. Where the process may not
        /// have it, that is a ``DeviceEvent/degraded(_:at:)``.
        public var realTimePriority: Int?
        /// How long a sound waits for a PCM that another process holds, which is tried every 20 ms: 2 s by default; zero
        /// has it fail at once. That it waits is a ``PlaybackEvent/waiting(_:at:)``. Sounds of this device that share a
        /// PCM that does not mix wait for each other, however long. Sounds of the user interface and the mute detector's
        /// clips fail at once.
        public var busyPatience: Duration
        /// How long a PCM stays open after its sound, so that the next one starts at once.
        public var linger: Duration
        /// What is followed besides the switch and the jacks; nothing by default: each takes a descriptor or two, and
        /// what nobody asks for should take no memory.
        public var following: Following
        /// The sound card whose volume and jack controls are followed: its id, such as "Dummy", or its number; nil for
        /// the one of the lowest number.
        public var card: String?
        /// The mixer's element that is the output volume; nil for the one that ``MixerVolume`` chooses.
        public var volumeElement: String?
        /// Whether the device has a microphone of its own. Where it has none, there is input only while a jack tells
        /// that a microphone is plugged in.
        public var hasOwnMicrophone: Bool
        /// Where the kernel shows its devices.
        public var paths: HardwarePaths

        /// Hardware, by default what the kernel shows and ALSA's default PCM.
        public init(
            ringSilent: SwitchSpecification? = nil, motor: MotorSpecification? = nil, pcm: String = "default",
            routes: [AudioRoute: String] = [:], realTimePriority: Int? = nil, busyPatience: Duration = .seconds(2),
            linger: Duration = .seconds(2), following: Following = [], card: String? = nil,
            volumeElement: String? = nil,
            hasOwnMicrophone: Bool = true, paths: HardwarePaths = .standard
        ) {
            self.ringSilent = ringSilent
            self.motor = motor
            self.pcm = pcm
            self.routes = routes
            self.realTimePriority = realTimePriority
            self.busyPatience = busyPatience
            self.linger = linger
            self.following = following
            self.card = card
            self.volumeElement = volumeElement
            self.hasOwnMicrophone = hasOwnMicrophone
            self.paths = paths
        }
    }

    /// The device that the kernel shows: its switch, its motor, its jacks and its speaker.
    ///
    /// A part that was not named and is not there is left out, and ``DeviceEvent/degraded(_:at:)`` reports it; the speaker
    /// is opened when something is played. Devices are opened on the device's own thread.
    ///
    /// The switch's position is known when this returns: for a slider that is settling it waits, a second at most. A
    /// switch that was named or found and cannot be read, for want of permission or because it is not there yet, is
    /// reported as ``DeviceEvent/degraded(_:at:)`` and waited for; until then ``DeviceState/isSwitchUnreadable`` is true.
    ///
    /// - Parameters:
    ///   - hardware: Which parts; by default those that are found.
    ///   - configuration: How the device behaves.
    /// - Returns: The device.
    /// - Throws: ``RingerError`` where a motor that was named or found does not open, and where a switch's name can never be
    ///   right: an input device without that switch, a file that is no input device.
    public static func discover(
        _ hardware: Hardware = Hardware(), configuration: Configuration = Configuration()
    ) async throws(RingerError) -> Device {
        let loop = try EventLoop(name: "ringer-device")
        return try await withTaskExecutorPreference(loop) { () async throws(RingerError) -> Device in
            try await make(hardware, configuration: configuration, loop: loop)
        }
    }

    /// ``discover(_:configuration:)`` for a program that is not `async`: the calling thread sleeps until the device is
    /// open, for a settling slider a second at most.
    ///
    /// The device has a thread of its own. Where a firmware can be `async`, ``run(_:configuration:_:)`` does without one
    /// more.
    ///
    /// - Parameters:
    ///   - hardware: Which parts; by default those that are found.
    ///   - configuration: How the device behaves.
    /// - Returns: The device.
    /// - Throws: ``RingerError``, as ``discover(_:configuration:)`` does.
    public static func open(
        _ hardware: Hardware = Hardware(), configuration: Configuration = Configuration()
    ) throws(RingerError) -> Device {
        let loop = try EventLoop(name: "ringer-device")
        return try loop.run { () async throws(RingerError) -> Device in
            try await make(hardware, configuration: configuration, loop: loop)
        }
    }

    /// Makes the device on the loop's thread, which the caller is on, and waits for the switch's first position.
    static func make(
        _ hardware: Hardware, configuration: Configuration, loop: EventLoop
    ) async throws(RingerError) -> Device {
        do throws(RingerError) {
            let device = try Device(try Ports(hardware, loop: loop), configuration: configuration)
            await device.waitForSwitch()
            return device
        } catch {
            loop.close()
            throw error
        }
    }
}

extension Device.Ports {
    /// The ports of the hardware, on `loop`, which they close when they are closed.
    ///
    /// - Throws: ``RingerError`` where a motor that was named or found cannot be had.
    public init(_ hardware: Device.Hardware, loop: EventLoop) throws(RingerError) {
        let paths = hardware.paths
        let findings = HardwareDiscovery.scan(paths)
        var problems = findings.problems.map(\.error)

        let ringSilent = hardware.ringSilent ?? findings.switches.first?.specification
        if ringSilent == nil {
            problems.append(
                RingerError(
                    .notFound, "find a ring/silent switch", paths.input.string,
                    detail: "no SW_MUTE_DEVICE, no ABS_SND_PROFILE and no GPIO line named ring-silent: "
                        + "a device without a switch counts as one at ring"))
        }
        let motor = hardware.motor ?? findings.motors.first?.specification
        if motor == nil {
            problems.append(
                RingerError(
                    .notFound, "find a vibration motor", paths.input.string,
                    detail: "no force feedback, and no LED or GPIO line named vibrator"))
        }
        let speaker = try ALSASoundOutput(
            pcm: hardware.pcm, routes: hardware.routes, realTimePriority: hardware.realTimePriority,
            busyPatience: hardware.busyPatience, linger: hardware.linger)
        if let error = speaker.schedulingError { problems.append(error) }
        self.init(
            clock: loop, ringSilent: ringSilent?.make(loop: loop, paths: paths, isAwaited: true),
            motor: try motor?.make(loop: loop, paths: paths), speaker: speaker,
            microphone: ALSASoundInput(beside: speaker, paths: paths),
            stateSources: hardware.stateSources(findings, speaker: speaker, loop: loop),
            routes: RouteBoard(pcm: hardware.pcm, routes: hardware.routes),
            otherAudio: { OtherAudio(paths: paths).isPlaying() }, problems: problems, close: { loop.close() })
    }
}

extension Device.Hardware {
    /// What tells the rest of the device's state: the jacks that were found, and what is to be followed besides.
    fileprivate func stateSources(
        _ findings: HardwareFindings, speaker: ALSASoundOutput, loop: EventLoop
    ) -> [any DeviceStateSource] {
        func jacks() -> [any DeviceStateSource] {
            let inputs = findings.jacks.map { JackSource($0.specification, loop: loop, paths: paths) }
            // Where the kernel makes an input device of the jacks, the card's controls would tell the same again.
            guard inputs.isEmpty && following.contains(.jackControls) else { return inputs }
            return [JackControls(card: card, loop: loop, paths: paths)]
        }
        var sources = jacks()
        if following.contains(.volume) {
            sources.append(MixerVolume(card: card, element: volumeElement, loop: loop, paths: paths))
        }
        if following.contains(.input) {
            // Sources of their own: any number of readers may have the same jack.
            let microphones = hasOwnMicrophone ? [] : jacks()
            sources.append(InputAvailability(microphones: microphones, loop: loop, paths: paths))
        }
        if following.contains(.output) { sources.append(SoundOutputWatch(speaker, loop: loop, paths: paths)) }
        if following.contains(.sleep) { sources.append(SleepWatch(loop: loop)) }
        return sources
    }
}
