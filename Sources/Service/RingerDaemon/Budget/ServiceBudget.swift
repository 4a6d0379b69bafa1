import Glibc
import RingerCore
import RingerBus
import Synchronization

/// The service's budget. Any thread.
package final class ServiceBudget: Sendable {
    private struct State {
        var budget: Budget
        /// When a refusal of a user was reported last.
        var reported: [UInt32: MonotonicTime] = [:]
    }

    private let state: Mutex<State>
    private let clock: any DeviceClock
    private let log: @Sendable (String) -> Void

    package let limits: Budget.Limits

    /// - Parameters:
    ///   - limits: What users may have. The descriptors of all are at most half of what the process may have: in the rest
    ///     there is room for its own and for those of the next message.
    ///   - clock: The device's time.
    ///   - report: Gets a refusal, once a minute for each user.
    package init(
        _ limits: Budget.Limits = .init(), clock: any DeviceClock,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        var limits = limits
        limits.descriptors = min(limits.descriptors, Int(getdtablesize() / 2))
        self.limits = limits
        state = Mutex(State(budget: Budget(limits)))
        (self.clock, log) = (clock, report)
    }

    /// Whether nobody has anything.
    package var isUntouched: Bool { state.withLock { $0.budget.isUntouched } }

    /// Throws where `payer` may have no more of a resource; nothing is taken.
    func check(_ resource: Budget.Resource, for payer: Budget.Payer) throws(BusError) {
        try access(payer) { budget throws(Budget.Refusal) in try budget.check(1, of: resource, for: payer) }
    }

    /// A share of `payer` with one of a resource.
    func share(_ resource: Budget.Resource, for payer: Budget.Payer) throws(BusError) -> BudgetShare {
        let share = BudgetShare(self, payer)
        try share.take(1, of: resource)
        return share
    }

    fileprivate func take(_ amount: Int, of resource: Budget.Resource, for payer: Budget.Payer) throws(BusError) {
        try access(payer) { budget throws(Budget.Refusal) in try budget.take(amount, of: resource, for: payer) }
    }

    fileprivate func giveBack(_ amount: Int, of resource: Budget.Resource, for payer: Budget.Payer) {
        state.withLock { $0.budget.giveBack(amount, of: resource, for: payer) }
    }

    private func access(
        _ payer: Budget.Payer, _ body: (inout Budget) throws(Budget.Refusal) -> Void
    ) throws(BusError) {
        let refusal = state.withLock { state -> Budget.Refusal? in
            do throws(Budget.Refusal) {
                try body(&state.budget)
                return nil
            } catch {
                return error
            }
        }
        guard let refusal else { return }
        report("\(refusal)", of: payer.user)
        throw .limitsExceeded("\(refusal)")
    }

    /// Reports why a user was refused something, unless it was reported of that user within the last minute.
    func report(_ refusal: String, of user: UInt32) {
        let now = clock.now
        let isNew = state.withLock { state in
            state.reported = state.reported.filter { now - $0.value < .seconds(60) }
            if state.reported[user] != nil { return false }
            state.reported[user] = now
            return true
        }
        if isNew { log("user \(user) was refused: \(refusal.oneLine)") }
    }
}

/// What one client, request, session, PCM or file has taken of the budget: given back when this goes. Any thread.
final class BudgetShare: Sendable {
    private let budget: ServiceBudget
    private let payer: Budget.Payer
    private let taken = Mutex<[Budget.Resource: Int]>([:])

    fileprivate init(_ budget: ServiceBudget, _ payer: Budget.Payer) {
        (self.budget, self.payer) = (budget, payer)
    }

    deinit {
        for (resource, amount) in taken.withLock({ $0 }) { budget.giveBack(amount, of: resource, for: payer) }
    }

    /// One of the same payer, with nothing.
    func another() -> BudgetShare { BudgetShare(budget, payer) }

    /// Takes more.
    func take(_ amount: Int, of resource: Budget.Resource) throws(BusError) {
        try budget.take(amount, of: resource, for: payer)
        taken.withLock { $0[resource, default: 0] += amount }
    }
}
