import RingerCore
import Synchronization

/// The time zone of a simulated board, which the test sets: UTC until then. Quiet hours are in its local time. Any thread.
public final class SimulatedTimeZone: Sendable {
    // In a structure: a lock that holds a bare function wraps it once more at each access.
    private struct State {
        var zone = Result<TimeZoneRules, RingerError>.success(.utc)
        var handler: (@Sendable (Result<TimeZoneRules, RingerError>) -> Void)?
    }

    private let state = Mutex(State())

    /// UTC.
    public init() {}

    /// Sets the zone, as a new `/etc/localtime` does.
    ///
    /// - Parameter rules: Its rules, as in the variable `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    /// - Throws: `RingerError` if they are none: its detail names the character.
    public func set(_ rules: String) throws(RingerError) {
        do throws(TimeZoneError) {
            report(.success(try TimeZoneRules(posix: rules)))
        } catch {
            throw RingerError(.invalid, "set the time zone", rules, detail: "\(error)")
        }
    }

    /// Makes the zone unreadable, until another one is set.
    public func fail(with error: RingerError) {
        report(.failure(error))
    }

    private func report(_ zone: Result<TimeZoneRules, RingerError>) {
        let handler = state.withLock { state in
            state.zone = zone
            return state.handler
        }
        handler?(zone)
    }

    /// The second of UTC at a local time, in seconds since 1970.
    package func utc(atLocalTime local: Int64) -> Int64 {
        guard case .success(let rules) = state.withLock({ $0.zone }) else { return local }
        return local - rules.offset(at: local - rules.offset(at: local))
    }
}

extension SimulatedTimeZone: TimeZoneSource {
    package func start(_ handler: @escaping @Sendable (Result<TimeZoneRules, RingerError>) -> Void) {
        let zone = state.withLock { state in
            state.handler = handler
            return state.zone
        }
        handler(zone)
    }

    package func close() {
        state.withLock { $0.handler = nil }
    }
}
