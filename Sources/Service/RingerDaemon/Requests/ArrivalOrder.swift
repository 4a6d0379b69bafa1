/// The order of the calls of announcements: each one joins the queue after those that its caller called for before, whose files
/// may take longer to read. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone.
final class ArrivalOrder: @unchecked Sendable {
    /// The announcements that are not in the queue yet, and their callers.
    private var arriving: [(id: UInt32, client: String)] = []
    /// Continues those that wait for their turn.
    private var turns: [UInt32: CheckedContinuation<Void, Never>] = [:]

    /// Calls `load`, and returns its result once the announcements that the same client called for before are in the queue or
    /// have ended. The caller adds its own to the queue before it waits for anything.
    func inTurn<Loaded>(_ id: UInt32, of client: String, _ load: () async throws -> Loaded) async throws -> Loaded {
        arriving.append((id, client))
        defer { leave(id) }
        let loaded = try await load()
        if next(of: client) != id, !Task.isCancelled { await withCheckedContinuation { turns[id] = $0 } }
        try Task.checkCancellation()
        return loaded
    }

    /// Continues an announcement that waits; those after it no longer wait for it.
    func leave(_ id: UInt32) {
        proceed(id)
        guard let index = arriving.firstIndex(where: { $0.id == id }) else { return }
        let client = arriving.remove(at: index).client
        if let next = next(of: client) { proceed(next) }
    }

    private func next(of client: String) -> UInt32? { arriving.first { $0.client == client }?.id }

    private func proceed(_ id: UInt32) {
        turns.removeValue(forKey: id)?.resume()
    }
}
