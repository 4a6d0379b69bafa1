/// What a session's audio is for, and with it whether the Ring/Silent switch and the screen lock silence it.
public enum AudioCategory: String, Sendable, Hashable, CaseIterable {
    /// Sound that matters little and mixes with other audio. The switch silences it. Apple's code is `ambi`.
    case ambient
    /// Sound that matters little and silences other audio; the default. The switch silences it. Apple's code is `solo`.
    case soloAmbient
    /// Sound that the product is about: an announcement, a ring tone. The switch does not silence it. Code `medi`.
    case playback
    /// Recording; every playback is silenced, its own included. Apple's code is `reca`.
    case record
    /// A call: recording and playback at once, to the receiver unless overridden. Apple's code is `plar`.
    case playAndRecord
    /// Offline processing: neither playback nor recording. Apple's code is `proc`.
    case audioProcessing
    /// Several routes at once. It has no code of its own.
    case multiRoute

    /// The category of a session that set none.
    public static let `default` = AudioCategory.soloAmbient

    /// Whether the Ring/Silent switch, the screen lock and the background silence the category. The switch also silences a
    /// session with ``CategoryOptions/honoursRingSilentSwitch``.
    public var isSilencedBySwitch: Bool { self == .ambient || self == .soloAmbient }

    /// Whether a session of the category can be heard at all.
    public var plays: Bool { self != .record && self != .audioProcessing }

    /// Whether a session of the category takes input.
    public var records: Bool { self == .record || self == .playAndRecord || self == .multiRoute }

    /// The options that have a meaning in the category.
    public var allowedOptions: CategoryOptions {
        switch self {
        case .playback, .multiRoute:
            [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers, .honoursRingSilentSwitch]
        case .playAndRecord:
            [
                .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers, .honoursRingSilentSwitch,
                .allowBluetooth, .defaultToSpeaker,
            ]
        case .record: [.allowBluetooth]
        case .ambient, .soloAmbient, .audioProcessing: []
        }
    }
}
