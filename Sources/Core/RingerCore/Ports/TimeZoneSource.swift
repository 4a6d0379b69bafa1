/// The zone of local wall time, in which quiet hours are written.
package protocol TimeZoneSource: Sendable {
    /// Starts following the zone: reports its rules to `handler` before the call returns, and again when they are replaced, or why
    /// they cannot be read.
    func start(_ handler: @escaping @Sendable (Result<TimeZoneRules, RingerError>) -> Void)

    /// Ends following. A second call does nothing.
    func close()
}

/// A zone that does not change.
package struct FixedTimeZone: TimeZoneSource {
    private let rules: TimeZoneRules

    package init(_ rules: TimeZoneRules = .utc) {
        self.rules = rules
    }

    package func start(_ handler: @escaping @Sendable (Result<TimeZoneRules, RingerError>) -> Void) {
        handler(.success(rules))
    }

    package func close() {}
}
