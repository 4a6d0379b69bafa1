/// The language of the announcements.
public enum Language: String, Sendable, CaseIterable {
    /// Mandarin Chinese.
    case mandarin = "zh"
    /// English.
    case english = "en"

    /// The clips that announce a payment, in order: what is spoken first, the amount, the currency.
    ///
    /// - Parameter isRepetition: Whether it may have been heard before, so that it is not taken for another payment.
    public func announcement(of amount: Amount, _ currency: Currency, isRepetition: Bool = false) -> [Clip] {
        let (lastPayment, received, words) =
            switch self {
            case .mandarin: (Mandarin.lastPayment, Mandarin.received, Mandarin.amount(amount, currency))
            case .english: (English.lastPayment, English.received, English.amount(amount, currency))
            }
        return (isRepetition ? [lastPayment] : []) + [received] + words
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
