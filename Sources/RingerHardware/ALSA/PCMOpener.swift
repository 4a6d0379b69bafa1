import RingerServices
import Synchronization

/// The thread on which PCMs are opened and closed, one after another, beside the thread that writes sounds: an open may
/// take as long as it likes, and no sound runs dry meanwhile.
///
/// It is started with the first PCM. What is handed to it is done in order, so that a PCM that was handed over to be
/// closed is closed before the next one is opened.
final class PCMOpener: Sendable {
    private enum State: Sendable {
        case unused
        case running(EventLoop)
        case closed
    }

    private let state = Mutex(State.unused)
    private let realTimePriority: Int?

    /// An opener whose thread runs just below the sound thread, which has this real-time priority.
    init(besides realTimePriority: Int?) {
        self.realTimePriority = realTimePriority.map { max(1, $0 - 1) }
    }

    /// Calls `body` on the thread soon, which is started where it does not run; after ``close()`` at once, on the caller's.
    ///
    /// - Throws: ``RingerError`` where the system has no descriptor or thread left. `body` is not called then.
    func execute(_ body: @escaping @Sendable () -> Void) throws(RingerError) {
        guard let loop = try started() else { return body() }
        loop.execute(body)
    }

    /// Calls `body` on the thread soon; at once, on the caller's thread, where there is none.
    func executeIfStarted(_ body: @escaping @Sendable () -> Void) {
        guard let loop else { return body() }
        loop.execute(body)
    }

    /// Waits until everything is done that was handed over so far.
    func wait() {
        loop?.sync {}
    }

    /// Ends the thread, once what was handed over is done.
    func close() {
        let state = state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .running(let loop) = state { loop.close() }
    }

    private var loop: EventLoop? {
        state.withLock { if case .running(let loop) = $0 { loop } else { nil } }
    }

    private func started() throws(RingerError) -> EventLoop? {
        let result: Result<EventLoop?, RingerError> = state.withLock { state in
            switch state {
            case .closed: return .success(nil)
            case .running(let loop): return .success(loop)
            case .unused:
                do throws(RingerError) {
                    let loop = try EventLoop(name: "ringer-pcm", realTimePriority: realTimePriority)
                    state = .running(loop)
                    return .success(loop)
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }
}
