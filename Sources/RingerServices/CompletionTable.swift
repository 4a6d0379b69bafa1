import Synchronization

/// Completions by number, each called once.
final class CompletionTable<ID: Hashable & Sendable, Result: Sendable>: Sendable {
    private let completions = Mutex<[ID: @Sendable (Result) -> Void]>([:])

    /// Stores `completion` for `id`.
    func add(_ id: ID, _ completion: @escaping @Sendable (Result) -> Void) {
        completions.withLock { $0[id] = completion }
    }

    /// Calls and removes the completion of `id`, if there is one.
    func complete(_ id: ID, with result: Result) {
        completions.withLock { $0.removeValue(forKey: id) }?(result)
    }
}
