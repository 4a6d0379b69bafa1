/// The currencies that can be announced, by their codes in ISO 4217.
public enum Currency: String, Sendable, CaseIterable {
    case cny = "CNY"
    case hkd = "HKD"
    case usd = "USD"
    case eur = "EUR"
    case gbp = "GBP"
    case jpy = "JPY"

    /// Whether the currency has hundredths.
    public var hasHundredths: Bool { self != .jpy }

    /// The name of the unit in Mandarin.
    var mandarin: String {
        switch self {
        case .cny: "元"
        case .hkd: "港元"
        case .usd: "美元"
        case .eur: "欧元"
        case .gbp: "英镑"
        case .jpy: "日元"
        }
    }

    /// The names in English: of one unit, of several, of a hundredth and of several.
    var english: (unit: String, units: String, hundredth: String, hundredths: String) {
        switch self {
        case .cny: ("yuan", "yuan", "fen", "fen")
        case .hkd: ("Hong Kong dollar", "Hong Kong dollars", "cent", "cents")
        case .usd: ("dollar", "dollars", "cent", "cents")
        case .eur: ("euro", "euros", "cent", "cents")
        case .gbp: ("pound", "pounds", "penny", "pence")
        case .jpy: ("yen", "yen", "", "")
        }
    }
}
