/// The purpose of a session's audio, which decides whether the Ring/Silent switch and the screen lock silence it.
public enum AudioCategory: String, Sendable, Hashable, CaseIterable {
    /// Less important sound that mixes with other audio. The switch silences it. Apple's code is `ambi`.
    case ambient
    /// Less important sound that silences other audio; the default. The switch silences it. Apple's code is `solo`.
    case soloAmbient
    /// The product's main sound: an announcement, a ring tone. The switch does not silence it. Apple's code is `medi`.
    case playback
    /// Recording. All playback is silenced, the session's own included. Apple's code is `reca`.
    case record
    /// A call: recording and playback at once, to the receiver unless overridden. Apple's code is `plar`.
    case playAndRecord
    /// Offline processing: neither playback nor recording. Apple's code is `proc`.
    case audioProcessing
    /// Playback on several routes at once. It has no code.
    case multiRoute

    /// The category of a session before it is set.
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
