import FourCharacterCodes
import RingerCore

extension AudioCategory {
    /// Apple's code for the category; nil for `multiRoute`, which came after the codes.
    public var code: FourCharacterCode? {
        switch self {
        case .ambient: "ambi"
        case .soloAmbient: "solo"
        case .playback: "medi"
        case .record: "reca"
        case .playAndRecord: "plar"
        case .audioProcessing: "proc"
        case .multiRoute: nil
        }
    }

    /// The category of Apple's code `code`; nil if there is none. The deprecated `uifx` is `ambient`, `live` is
    /// `playback`.
    public init?(code: FourCharacterCode) {
        switch code {
        case "uifx": self = .ambient
        case "live": self = .playback
        default:
            guard let category = AudioCategory.allCases.first(where: { $0.code == code }) else { return nil }
            self = category
        }
    }
}
