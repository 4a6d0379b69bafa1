import PaymentRules
import Testing

@Suite struct AmountTests {
    @Test(arguments: ["", ".5", "5.", "1.234", "+1", "-1", "1,000", "01", "00.50", "1000000000", "1 ", "1e3", "１"])
    func aTextThatCouldBeTakenForAnotherAmountIsNone(text: String) throws {
        let yuan = try #require(Currency("CNY"))
        #expect(Amount(text, yuan) == nil)
    }

    @Test func aTextOfOneDecimalIsTenths() throws {
        let yuan = try #require(Currency("CNY"))
        #expect(try #require(Amount("12.5", yuan)).minorUnits == 1250)
        #expect(try #require(Amount("0.05", yuan)).description == "0.05")
        #expect(Amount("999999999.99", yuan)?.units == Amount.largest)
    }

    /// By ISO 4217 currencies have 0, 2 or 3 decimals.
    @Test(arguments: [
        ("JPY", "500", 500, "500", [Int64]()), ("KRW", "0", 0, "0", []), ("INR", "1.05", 105, "1.05", [0, 5]),
        ("KWD", "1.5", 1500, "1.500", [5]), ("BHD", "0.005", 5, "0.005", [0, 0, 5]),
    ])
    func anAmountHasTheDecimalsOfItsCurrency(
        code: String, text: String, minorUnits: Int64, description: String, decimals: [Int64]
    ) throws {
        let currency = try #require(Currency(code))
        let amount = try #require(Amount(text, currency))
        #expect(amount.minorUnits == minorUnits && amount.description == description && amount.decimals == decimals)
        #expect(Amount(minorUnits: minorUnits, amount.currency) == amount)
    }

    @Test func moreDecimalsThanTheCurrencyHasAreNone() throws {
        for (code, text) in [("JPY", "1.0"), ("CNY", "1.000"), ("KWD", "1.0000")] {
            let currency = try #require(Currency(code))
            #expect(Amount(text, currency) == nil)
        }
        #expect(Currency("XXX") == nil && Currency("cny") == nil && Currency("CLF") == nil)
    }
}
