extension Device.Hardware {
    /// The sources that a device observes besides its switch and its input devices' jacks.
    public struct Following: OptionSet, Sendable, Hashable {
        /// A bit for each source.
        public let rawValue: UInt8

        /// The set of these bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The card's playback volume: see `volumeElement`.
        public static let volume = Following(rawValue: 1)
        /// Whether sound can be recorded.
        public static let input = Following(rawValue: 2)
        /// The card's jack controls, if no input device reports jacks.
        public static let jackControls = Following(rawValue: 4)
        /// Waking from sleep: see ``SleepWatch``. Always observed where the switch or the motor is a GPIO line.
        public static let sleep = Following(rawValue: 8)
        /// The loss and return of the PCM that sounds go to: see ``SoundOutputWatch``.
        public static let output = Following(rawValue: 16)
        /// All of them.
        public static let all: Following = [.volume, .input, .jackControls, .sleep, .output]
    }
}
