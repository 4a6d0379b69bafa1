/// The language of the announcements.
public enum Language: String, Sendable, CaseIterable {
    /// Mandarin Chinese.
    case mandarin = "zh"
    /// English.
    case english = "en"

    /// The clips that announce a payment, in order: what is spoken first, the amount, the currency.
    public func announcement(of amount: Amount, _ currency: Currency) -> [Clip] {
        switch self {
        case .mandarin: [Mandarin.received] + Mandarin.amount(amount, currency)
        case .english: [English.received] + English.amount(amount, currency)
        }
    }

    /// Every clip that the language needs.
    public var clips: [Clip] {
        switch self {
        case .mandarin: Mandarin.clips
        case .english: English.clips
        }
    }
}

/// A recorded piece of an announcement.
public struct Clip: Sendable, Hashable {
    /// The name of its file, without the directory and the suffix.
    public let name: String
    /// What is spoken in it.
    public let text: String
}
