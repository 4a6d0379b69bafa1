import RingerServices
import Synchronization

/// The thread on which PCMs are opened and closed, one after another: an open may take long, and must not cause an
/// underrun of the sounds that another thread is writing.
///
/// The first PCM starts it. It works in order: a PCM handed over to be closed is closed before the next one is opened.
final class PCMOpener: Sendable {
    private enum State: Sendable {
        case unused
        case running(EventLoop)
        case closed
    }

    private let state = Mutex(State.unused)
    private let realTimePriority: Int?

    /// An opener whose thread runs at a priority just below that of the sound thread, which is given.
    init(besides realTimePriority: Int?) {
        self.realTimePriority = realTimePriority.map { max(1, $0 - 1) }
    }

    /// Calls `body` on the thread, which is started if it is not running; after ``close()`` calls it at once on the
    /// caller's.
    ///
    /// - Throws: ``RingerError`` if the system has no descriptor or thread left. `body` is not called then.
    func execute(_ body: @escaping @Sendable () -> Void) throws(RingerError) {
        guard let loop = try started() else { return body() }
        loop.execute(body)
    }

    /// Calls `body` on the thread soon; if the thread is not running, at once on the caller's.
    func executeIfStarted(_ body: @escaping @Sendable () -> Void) {
        guard let loop else { return body() }
        loop.execute(body)
    }

    /// Waits until everything handed over so far is done.
    func wait() {
        loop?.sync {}
    }

    /// Ends the thread once everything handed over is done.
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
