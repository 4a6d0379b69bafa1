extension Device.Hardware {
    /// What a device follows besides its switch and its jacks.
    public struct Following: OptionSet, Sendable, Hashable {
        /// A bit for each.
        public let rawValue: UInt8

        /// What the bits say.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The card's playback volume: see ``MixerVolume``.
        public static let volume = Following(rawValue: 1)
        /// Whether sound can be recorded: see ``InputAvailability``.
        public static let input = Following(rawValue: 2)
        /// The card's jack controls, where no input device tells of jacks: see ``JackControls``.
        public static let jackControls = Following(rawValue: 4)
        /// Waking from sleep: see ``SleepWatch``.
        public static let sleep = Following(rawValue: 8)
        /// The PCM that sounds go to, gone and back: see ``SoundOutputWatch``.
        public static let output = Following(rawValue: 16)
        /// Everything.
        public static let all: Following = [.volume, .input, .jackControls, .sleep, .output]
    }
}
