/// A currency of ISO 4217.
public struct Currency: Sendable, Hashable {
    /// Its code, such as CNY.
    public let code: String
    /// How many decimals its amounts have: the minor unit of ISO 4217, 0, 2 or 3.
    public let decimals: Int

    /// The currency of this code; nil if there is none, or if it has more than three decimals.
    public init?(_ code: String) {
        guard let decimals = Self.decimals[code] else { return nil }
        (self.code, self.decimals) = (code, decimals)
    }

    /// The minor units of ISO 4217, list one, of 2025, by the codes; without funds, metals and CLF and UYW, which have four.
    private static let decimals: [String: Int] = {
        var decimals: [String: Int] = [:]
        for (count, codes) in [
            (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"),
            (3, "BHD IQD JOD KWD LYD OMR TND"),
            (
                2,
                """
                AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY \
                COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS \
                INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR \
                MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD \
                SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
                """
            ),
        ] {
            for code in codes.split(separator: " ") { decimals[String(code)] = count }
        }
        return decimals
    }()
}
