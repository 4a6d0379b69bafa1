import Synchronization

/// The turn of an event loop that was woken last. Whoever adds something to a turn wakes the loop's thread, unless another
/// thread has: one that is about to may be held up.
struct WokenTurn: ~Copyable {
    private let number = Atomic<UInt64>(0)

    /// Calls `wake`, unless such a call for this turn has returned.
    ///
    /// - Parameter turn: The number of the turn, from 1.
    @inline(__always)
    func wake(_ turn: UInt64, _ wake: () -> Void) {
        if number.load(ordering: .acquiring) == turn { return }
        wake()
        number.store(turn, ordering: .releasing)
    }
}
