import Synchronization

/// The answers of a part of the simulated board, in order. A test can hold them back, as hardware that is slow does, and let
/// other things happen meanwhile. Any thread.
public final class SimulatedAnswers: Sendable {
    private struct State {
        var areLate = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Whether later answers wait for ``giveNext()``; false at first. Setting false gives those that wait, as closing the
    /// part does.
    public var areLate: Bool {
        get { state.withLock { $0.areLate } }
        set {
            state.withLock { $0.areLate = newValue }
            while !newValue, giveNext() {}
        }
    }

    /// How many answers wait.
    public var waiting: Int { state.withLock { $0.waiting.count } }

    /// Gives the answer that has waited longest, on the calling thread.
    ///
    /// - Returns: Whether an answer waited.
    @discardableResult
    public func giveNext() -> Bool {
        let answer = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        answer?()
        return answer != nil
    }

    /// Calls `answer` within the call, or in ``giveNext()`` if answers are late.
    func give(_ answer: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if state.areLate { state.waiting.append(answer) }
            return state.areLate
        }
        if !isLate { answer() }
    }
}
