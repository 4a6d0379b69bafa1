/// A variable that transitions of a ``Core`` read and change, and nothing else does.
// SAFETY: the core makes one transition at a time.
final class TransitionState<Value: Sendable>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// Who is called after each change. An array of functions would wrap each.
struct Observer: Sendable {
    let call: @Sendable () -> Void
}

/// Completions by number, each called once, inside a transition.
// SAFETY: used inside transitions of the core alone, which makes one at a time.
final class CompletionTable<ID: Comparable & Hashable & Sendable, Result: Sendable>: @unchecked Sendable {
    private struct Entry {
        let call: @Sendable (Result) -> Void
    }

    private var completions: [ID: Entry] = [:]

    /// Stores `completion` for `id`.
    func add(_ id: ID, _ completion: @escaping @Sendable (Result) -> Void) {
        completions[id] = Entry(call: completion)
    }

    /// Whether the completion of `id` has not been called.
    func contains(_ id: ID) -> Bool { completions[id] != nil }

    /// Calls and removes the completion of `id`, if there is one.
    func complete(_ id: ID, with result: Result) {
        completions.removeValue(forKey: id)?.call(result)
    }

    /// Calls and removes all completions, in the order of their numbers.
    func completeAll(with result: Result) {
        for id in completions.keys.sorted() { complete(id, with: result) }
    }
}
