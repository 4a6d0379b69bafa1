import Ringer

/// Where the handset is registered, and what follows when that fails. A pure value.
///
/// It is registered at one registrar at a time. One that fails is followed by the other at once; when both have failed, by a
/// pause, which grows. Registered at the second one, the first is tried again now and then.
struct RegistrationMachine: Sendable {
    struct Rules: Sendable {
        /// How many registrars there are.
        var registrars = 1
        /// The pauses after failures that may pass, such as no answer: the first one, which doubles, and the longest.
        var pauses = Duration.seconds(2)...Duration.seconds(600)
        /// The pauses after a refusal of the account or its password, which another try seldom mends, and which registrars
        /// count against an address.
        var pausesAfterRefusal = Duration.seconds(30)...Duration.seconds(3600)
        /// How long it stays at the second registrar before it tries the first.
        var stay = Duration.seconds(300)
    }

    /// Why a registration failed.
    enum Failure: Sendable, Hashable {
        /// The registrar refuses the account or its password.
        case refused(String)
        case other(String)

        var reason: String {
            switch self {
            case .refused(let reason), .other(let reason): reason
            }
        }
    }

    enum Event: Sendable {
        case start
        /// The registrar of that number granted the registration, or refreshed it.
        case registered(Int, for: Duration, at: MonotonicTime)
        /// It did not answer, or refused, also a refresh. `chance`, from 0 to 1, spreads the pauses of many handsets.
        case failed(Int, Failure, at: MonotonicTime, chance: Double)
        /// The timer's time has come.
        case due
    }

    enum Action: Sendable, Equatable {
        /// Register, and refresh until it fails.
        case register(Int)
        case unregister(Int)
        /// Send `.due` once; the timer before it is cancelled.
        case setTimer(after: Duration)
        case cancelTimer
        case report(RegistrationEvent)
    }

    private let rules: Rules
    /// Where it is registered.
    private(set) var current: Int?
    /// The registrar that has not answered yet.
    private var attempt: Int?
    /// Those that failed since the last pause.
    private var failed: Set<Int> = []
    private var wasRefused = false
    /// Pauses since it was registered.
    private var pauses = 0
    /// The last failure of each registrar, until it is registered there.
    private var reported: [Int: Failure] = [:]

    init(rules: Rules) {
        self.rules = rules
    }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .start, .due:
            guard attempt == nil, current != 0 else { return [] }
            return begin(0)
        case .registered(let registrar, let lifetime, let now):
            return registered(registrar, lifetime, now)
        case .failed(let registrar, let failure, let now, let chance):
            return failed(registrar, failure, now, chance)
        }
    }

    private mutating func begin(_ registrar: Int) -> [Action] {
        attempt = registrar
        return [.register(registrar)]
    }

    private mutating func registered(_ registrar: Int, _ lifetime: Duration, _ now: MonotonicTime) -> [Action] {
        // A refresh is no news.
        guard registrar == attempt else { return [] }
        let last = current
        (current, attempt) = (registrar, nil)
        (failed, wasRefused, pauses) = ([], false, 0)
        reported[registrar] = nil
        return [.report(RegistrationEvent(registrar: registrar, lifetime: lifetime, at: now))]
            + (last.map { [.unregister($0)] } ?? [])
            + [registrar == 0 ? .cancelTimer : .setTimer(after: rules.stay)]
    }

    private mutating func failed(
        _ registrar: Int, _ failure: Failure, _ now: MonotonicTime, _ chance: Double
    ) -> [Action] {
        guard registrar == attempt || registrar == current else { return [] }
        var actions: [Action] = []
        if registrar == current || reported[registrar] != failure {
            reported[registrar] = failure
            actions.append(.report(RegistrationEvent(registrar: registrar, reason: failure.reason, at: now)))
        }
        if registrar == current { current = nil }
        if registrar == attempt { attempt = nil }
        failed.insert(registrar)
        if case .refused = failure { wasRefused = true }
        if current != nil {
            (failed, wasRefused) = ([], false)
            return actions + [.setTimer(after: rules.stay)]
        }
        // The first one, tried from the second, has not answered yet.
        if attempt != nil { return actions }
        if let next = (0..<rules.registrars).first(where: { !failed.contains($0) }) { return actions + begin(next) }
        return actions + [.setTimer(after: pause(chance))]
    }

    private mutating func pause(_ chance: Double) -> Duration {
        let range = wasRefused ? rules.pausesAfterRefusal : rules.pauses
        let pause = min(range.lowerBound * (1 << min(pauses, 20)), range.upperBound)
        pauses += 1
        (failed, wasRefused) = ([], false)
        return pause * (0.5 + chance / 2)
    }
}
