import Logging

extension Device {
    /// A device's behaviour.
    public struct Configuration: Sendable {
        /// The user's preferences.
        public var preferences: UserPreferences
        /// How long the motor may turn without a rest of 0.1 s.
        public var longestOnTime: Duration
        /// How the mute detector measures.
        public var detector: MuteDetector.Configuration
        /// The predefined sounds, and the memory limit of decoded sounds.
        public var sounds: SystemSoundServices.Configuration
        /// The default sounds of notifications.
        public var notifications: NotificationSounds.Configuration
        /// The file that keeps the position that software or a button sets (``Device/setPosition(_:)``) over a restart; nil for none:
        /// the device then begins without a kept position. The directory has to be there.
        public var positionFile: String?
        /// The position at first where the ``positionFile`` does not exist yet, or there is none; the directory of a file has to be
        /// there.
        public var initialPosition = SwitchPosition.ring
        /// The logger; nil for none.
        public var logger: Logger?
        /// Called with every event, in order, on the callback thread (``DeviceClock/callBack(_:)``), as the logger is.
        /// While it blocks, later events and completions wait; the device does not. More than ``Device/eventBuffer`` events
        /// behind, it loses the oldest, and a ``DeviceEvent/degraded(_:at:)`` in their place says how many.
        /// ``Device/events`` is the alternative.
        public var observer: (@Sendable (DeviceEvent) -> Void)?
        /// Called with every event, in order, on the thread that reports it, once what the event stops has stopped. It must
        /// not block: for bindings of other languages, whose programs read the events on threads of their own.
        package var relay: (@Sendable (DeviceEvent) -> Void)?

        /// By default a new phone's preferences, and no log.
        public init(
            preferences: UserPreferences = UserPreferences(), longestOnTime: Duration = .seconds(10),
            detector: MuteDetector.Configuration = .init(), sounds: SystemSoundServices.Configuration = .init(),
            notifications: NotificationSounds.Configuration = .init(), logger: Logger? = nil,
            observer: (@Sendable (DeviceEvent) -> Void)? = nil
        ) {
            self.preferences = preferences
            self.longestOnTime = longestOnTime
            self.detector = detector
            self.sounds = sounds
            self.notifications = notifications
            self.logger = logger
            self.observer = observer
        }
    }
}
