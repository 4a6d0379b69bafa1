/// The language of the announcements.
public enum Language: String, Sendable, CaseIterable {
    /// Mandarin Chinese.
    case mandarin = "zh"
    /// English.
    case english = "en"

    /// The clips that announce a payment, in order: what is spoken first, the amount, the currency.
    ///
    /// - Parameter prefaces: What is said before it.
    public func announcement(of amount: Amount, _ currency: Currency, _ prefaces: [Preface] = []) -> [Clip] {
        let (received, words) =
            switch self {
            case .mandarin: (Mandarin.received, Mandarin.amount(amount, currency))
            case .english: (English.received, English.amount(amount, currency))
            }
        return prefaces.map(clip) + [received] + words
    }

    private func clip(_ preface: Preface) -> Clip {
        switch (self, preface) {
        case (.mandarin, .lastPayment): Mandarin.lastPayment
        case (.mandarin, .timeUnknown): Mandarin.timeUnknown
        case (.english, .lastPayment): English.lastPayment
        case (.english, .timeUnknown): English.timeUnknown
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

/// What may be said before an announcement.
public enum Preface: Sendable, Hashable {
    /// It may have been heard before: it is not another payment.
    case lastPayment
    /// It waited for a clock that was not set: it may be old.
    case timeUnknown
}

/// A recorded piece of an announcement.
public struct Clip: Sendable, Hashable {
    /// The name of its file, without the directory and the suffix.
    public let name: String
    /// What is spoken in it.
    public let text: String
}
