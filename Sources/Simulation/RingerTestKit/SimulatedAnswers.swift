import Synchronization

/// The answers of a part of the simulated board, in order. A test can hold them back, as hardware that is slow does, and let
/// other things happen meanwhile. Any thread.
public final class SimulatedAnswers: Sendable {
    private struct State {
        var areLate = false
        var waiting: [@Sendable () -> Void] = []
        /// Whether a thread gives those that wait, because answers are no longer late.
        var areBeingGiven = false

        mutating func next() -> (@Sendable () -> Void)? { waiting.isEmpty ? nil : waiting.removeFirst() }
    }

    private let state = Mutex(State())

    /// Whether later answers wait for ``giveNext()``; false at first.
    ///
    /// Setting false gives those that wait, and those that follow meanwhile, in order, until one of them sets true again.
    /// If answers are being given already, it returns at once and they go on being given.
    /// Closing the motor or the speaker gives those that wait, too; waiting questions for a format end as closed. The
    /// microphone cannot be closed.
    public var areLate: Bool {
        get { state.withLock { $0.areLate } }
        set {
            let begins = state.withLock { state in
                state.areLate = newValue
                if newValue || state.areBeingGiven { return false }
                state.areBeingGiven = true
                return true
            }
            if begins { while giveNextUnlessLate() {} }
        }
    }

    /// How many answers wait.
    public var waiting: Int { state.withLock { $0.waiting.count } }

    /// Gives the answer that has waited longest, on the calling thread.
    ///
    /// - Returns: Whether an answer waited.
    @discardableResult
    public func giveNext() -> Bool {
        let answer = state.withLock { $0.next() }
        answer?()
        return answer != nil
    }

    private func giveNextUnlessLate() -> Bool {
        let answer = state.withLock { state in
            let answer = state.areLate ? nil : state.next()
            state.areBeingGiven = answer != nil
            return answer
        }
        answer?()
        return answer != nil
    }

    /// Calls `answer` within the call, or in ``giveNext()`` if answers are late, or after those that are being given.
    func give(_ answer: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state in
            let waits = state.areLate || state.areBeingGiven
            if waits { state.waiting.append(answer) }
            return waits
        }
        if !waits { answer() }
    }
}
