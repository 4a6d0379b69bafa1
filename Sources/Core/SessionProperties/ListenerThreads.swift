import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// Calls listeners on threads of their own, not on Swift's pool: a listener may block for as long as it likes, and the
/// pool has no more threads than the machine has processors.
///
/// One thread calls one listener after another. While other listeners wait behind a call, a second thread watches: where no
/// call ended within ``patience``, it calls the waiting ones, and leaves the slow call to its thread. At rest nothing wakes
/// up: two threads sleep, and further ones end.
final class ListenerThreads: Sendable {
    /// How long other listeners wait for a call that does not end.
    static let patience = Duration.milliseconds(2)

    private let core = ListenerThreadsCore()
    private let report: @Sendable (RingerError) -> Void

    /// No threads yet: the first is started by ``go()`` where a listener waits.
    ///
    /// - Parameter report: Called where a thread cannot be started. The waiting listeners are called after the next ``go()``.
    init(report: @escaping @Sendable (RingerError) -> Void = { _ in }) {
        self.report = report
    }

    deinit {
        core.finish()
    }

    /// Adds `mailbox` to those that wait for a call. It starts no thread, so that it may be called under a lock.
    func add(_ mailbox: ListenerMailbox) {
        core.add(mailbox)
    }

    /// Wakes or starts a thread that calls the waiting listeners.
    func go() {
        if let error = core.go() { report(error) }
    }
}

/// The state that the threads share, alive until the last of them ends.
// SAFETY: everything is behind the lock but the semaphore, which any thread may use, and which is freed when no thread
// refers to it any more.
private final class ListenerThreadsCore: @unchecked Sendable {
    /// What a thread does.
    private enum Role: Equatable {
        /// Call listeners, as the caller of that number.
        case call(UInt64)
        /// Watch whether calls end.
        case watch
    }

    /// How to get a thread for a role.
    private enum Help {
        case wake
        case start(Role)
    }

    private struct State {
        /// Mailboxes that wait, the next one last.
        var next: [ListenerMailbox] = []
        /// Mailboxes behind them, the newest last.
        var later: [ListenerMailbox] = []
        /// Roles for threads that were woken or started, the oldest first.
        var roles: [Role] = []
        /// The thread that calls listeners. A thread whose call did not end finds another number here.
        var caller: UInt64?
        var newestCaller: UInt64 = 0
        var isWatched = false
        /// How many threads sleep and were not woken.
        var sleepers = 0
        /// How many calls have ended.
        var calls: UInt64 = 0
        var isFinished = false

        var isEmpty: Bool { next.isEmpty && later.isEmpty }

        mutating func take() -> ListenerMailbox? {
            if next.isEmpty {
                next = later.reversed()
                later = []
            }
            return next.popLast()
        }

        mutating func makeCaller() -> UInt64 {
            newestCaller += 1
            caller = newestCaller
            return newestCaller
        }

        /// Where mailboxes wait, ensures that one thread calls listeners and another one watches it.
        mutating func help() -> Help? {
            if isEmpty || caller != nil && isWatched { return nil }
            let role: Role
            if caller == nil {
                role = .call(makeCaller())
            } else {
                role = .watch
                isWatched = true
            }
            roles.append(role)
            guard sleepers > 0 else { return .start(role) }
            sleepers -= 1
            return .wake
        }
    }

    private let state = Mutex(State())
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func add(_ mailbox: ListenerMailbox) {
        state.withLock { $0.later.append(mailbox) }
    }

    /// Wakes or starts the thread that is needed; returns why it could not.
    @discardableResult
    func go() -> RingerError? {
        switch state.withLock({ $0.help() }) {
        case nil: return nil
        case .wake:
            sem_post(semaphore)
            return nil
        case .start(let role): return start(role)
        }
    }

    /// Ends the threads, once no mailbox waits.
    func finish() {
        let sleepers = state.withLock { state in
            state.isFinished = true
            defer { state.sleepers = 0 }
            return state.sleepers
        }
        for _ in 0..<sleepers { sem_post(semaphore) }
    }

    private func start(_ role: Role) -> RingerError? {
        do throws(Errno) {
            try DetachedThread.start(stackSize: 512 * 1024) { self.run() }
            return nil
        } catch {
            takeBack(role)
            return RingerError("start the thread", "session listeners", error)
        }
    }

    private func takeBack(_ role: Role) {
        state.withLock { state in
            // If no other thread has taken the role meanwhile, the next call asks for it again.
            guard let index = state.roles.firstIndex(of: role) else { return }
            state.roles.remove(at: index)
            if role == .watch { state.isWatched = false } else { state.caller = nil }
        }
    }

    // MARK: - On the threads

    private func run() {
        while true {
            let (role, mustEnd) = state.withLock { state -> (Role?, Bool) in
                if !state.roles.isEmpty { return (state.roles.removeFirst(), false) }
                // One thread that calls and one that watches are mostly enough.
                if state.isFinished || state.sleepers >= 2 { return (nil, true) }
                state.sleepers += 1
                return (nil, false)
            }
            switch role {
            case .call(let caller): call(as: caller)
            case .watch: watch()
            case nil:
                if mustEnd { return }
                while sem_wait(semaphore) != 0 {}
            }
        }
    }

    /// Calls listeners until no mailbox waits, or until another thread took over.
    private func call(as caller: UInt64) {
        while true {
            let mailbox = state.withLock { state -> ListenerMailbox? in
                guard state.caller == caller else { return nil }
                let mailbox = state.take()
                if mailbox == nil { state.caller = nil }
                return mailbox
            }
            guard let mailbox else { return }
            // Mailboxes behind this call must not wait for ever; without a thread for the watch they do.
            go()
            let waits = mailbox.callNext()
            let wasGivenUp = state.withLock { state in
                state.calls += 1
                if waits { state.later.append(mailbox) }
                return state.caller != caller
            }
            if wasGivenUp {
                go()
                return
            }
        }
    }

    /// Sleeps until no mailbox waits, or takes over from a call that does not end.
    private func watch() {
        while true {
            let calls = state.withLock { $0.calls }
            var time = timespec(tv_sec: 0, tv_nsec: Int(ListenerThreads.patience / .nanoseconds(1)))
            nanosleep(&time, nil)
            let caller = state.withLock { state -> UInt64?? in
                if !state.isEmpty && state.calls != calls { return nil }
                state.isWatched = false
                return state.isEmpty ? .some(nil) : state.makeCaller()
            }
            switch caller {
            case .some(.some(let caller)): return call(as: caller)
            case .some(nil): return
            case nil: continue
            }
        }
    }
}
