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
        /// Is told every event at once, in order, on the thread on which it happens; it must not block. Whoever has
        /// time reads ``Device/events`` instead.
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
