/// The order of the calls of announcements: each one joins the queue after those that were called for before, whose files may
/// take longer to read. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone.
final class ArrivalOrder: @unchecked Sendable {
    /// The announcements that are not in the queue yet.
    private var arriving: [UInt32] = []
    /// Continues those that wait for their turn.
    private var turns: [UInt32: CheckedContinuation<Void, Never>] = [:]

    /// Calls `load`, and returns its result once the announcements that were called for before are in the queue or have ended.
    /// The caller adds its own to the queue before it waits for anything.
    func inTurn<Loaded>(_ id: UInt32, _ load: () async throws -> Loaded) async throws -> Loaded {
        arriving.append(id)
        defer { leave(id) }
        let loaded = try await load()
        if arriving.first != id, !Task.isCancelled { await withCheckedContinuation { turns[id] = $0 } }
        try Task.checkCancellation()
        return loaded
    }

    /// Continues an announcement that waits; those after it no longer wait for it, nor for a read of it that may never return.
    func leave(_ id: UInt32) {
        proceed(id)
        arriving.removeAll { $0 == id }
        if let next = arriving.first { proceed(next) }
    }

    private func proceed(_ id: UInt32) {
        turns.removeValue(forKey: id)?.resume()
    }
}
