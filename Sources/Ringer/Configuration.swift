import Logging

extension Device {
    /// How a device behaves, and which of its parts are used where it has several.
    public struct Configuration: Sendable {
        /// What the user chose.
        public var preferences: UserPreferences
        /// How long the motor may turn without a rest.
        public var longestOnTime: Duration
        /// How the mute detector measures.
        public var detector: MuteDetector.Configuration
        /// The predefined sounds, and how much memory decoded sounds may take.
        public var sounds: SystemSoundServices.Configuration
        /// The default sounds of notifications.
        public var notifications: NotificationSounds.Configuration
        /// Where the library logs; nil for nowhere.
        public var logger: Logger?
        /// Called with every event, in order, on the callback thread (``DeviceClock/callBack(_:)``), as the logger is. While
        /// it blocks, later events and completions wait; the device does not. ``Device/events`` is the alternative.
        public var observer: (@Sendable (DeviceEvent) -> Void)?

        /// A configuration, by default that of a new phone, silent in the log.
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
