import CLinux
import Glibc
import Synchronization
import SystemPackage

extension EventLoop {
    /// Runs `body` as a task on the loop's thread and waits for its end: for a `main` that is not `async`.
    ///
    /// The calling thread sleeps meanwhile, and no other thread is started for tasks. Do not close the loop before
    /// `body` ends. If the main thread calls this, nothing that `body` awaits may need the main actor.
    ///
    /// - Parameter body: What to run. While it blocks between suspensions, what the loop watches waits.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
        precondition(isCurrentThread != hasOwnThread, "The loop's own thread cannot wait for itself.")
        let isDone = Latch()
        let outcome = Outcome<Value, Failure>()
        Task(executorPreference: self) {
            do throws(Failure) {
                let value = try await body()
                outcome.result.withLock { $0 = .success(value) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
            // The calling thread runs the loop below, and returns from it.
            if !self.hasOwnThread { self.close() }
            isDone.open()
        }
        if !hasOwnThread { run() }
        while true {
            isDone.wait()
            if let result = outcome.result.withLock({ $0 }) { return try result.get() }
        }
    }

    /// What passes from the loop's thread to the one that waits.
    private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
        let result = Mutex<Result<Value, Failure>?>(nil)
    }
}

/// What the loop's thread does.
extension EventLoop {
    func run() {
        var descriptors: [pollfd] = []
        var ids: [UInt64] = []
        var taken: [Work] = []
        /// What runs after this turn's wait.
        var later: [@Sendable () -> Void] = []
        var pause = Self.shortestPause
        /// The time that the alarm is set to, in nanoseconds; 0 if it is not set.
        var armed: Int64 = 0
        while true {
            runWork(&taken)
            let (next, mustWait, isClosed): (Int64, Bool, Bool) = state.withLock { state in
                if state.descriptorsChanged {
                    state.descriptorsChanged = false
                    descriptors = [wake, alarm].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                    ids = [0, 0]
                    for watched in state.watched {
                        descriptors.append(pollfd(fd: watched.descriptor, events: watched.events, revents: 0))
                        ids.append(watched.id)
                    }
                }
                let next = state.timers.last.map { max(1, $0.deadline.nanoseconds) } ?? 0
                state.wakesAt = state.timers.last?.deadline ?? MonotonicTime(nanoseconds: .max)
                swap(&state.later, &later)
                return (next, state.work.isEmpty, state.isClosed)
            }
            if isClosed { return finish() }
            var timeout: Int64 = !mustWait ? 0 : later.isEmpty ? -1 : Self.pauseBeforeLater
            if next != armed {
                if ringer_timerfd_set(alarm, next) == 0 {
                    armed = next
                } else if next > 0 {
                    // Less exact, and it is set again at the next turn.
                    let pause = max(0, next - now.nanoseconds)
                    timeout = timeout < 0 ? pause : min(timeout, pause)
                }
            }
            var ready = ringer_poll(&descriptors, UInt(descriptors.count), timeout)
            if ready < 0 && Errno.current != .interrupted {
                report(RingerError("wait for descriptors", "event loop", .current))
                // The first two need no memory of the kernel: work and timers go on, and the others are tried again.
                for index in descriptors.indices { descriptors[index].revents = 0 }
                let wait = timeout < 0 ? pause : min(timeout, pause)
                ready = ringer_poll(&descriptors, 2, wait)
                // A real-time thread that tried on would stop the machine.
                if ready < 0 { usleep(UInt32((wait > 0 ? wait : pause) / 1000)) }
                if ready <= 0 && wait == pause { pause = min(pause * 2, Self.longestPause) }
            } else {
                pause = Self.shortestPause
            }
            if ready > 0 {
                // An expired alarm is no longer set.
                if descriptors[1].revents != 0 { armed = 0 }
                dispatch(descriptors, ids)
                // Run jobs woken by this I/O before expired timers.
                runWork(&taken)
                // Only now: until then a call to the system would delay the work that another thread woke the loop for. Work
                // that was added since is taken before the loop sleeps.
                if descriptors[0].revents != 0 { clear(wake) }
            }
            if !later.isEmpty {
                for body in later { body() }
                later.removeAll(keepingCapacity: true)
            }
            runTimers()
        }
    }

    /// The time-out of a wait, in nanoseconds, before what may wait is run.
    private static let pauseBeforeLater: Int64 = 1_000_000
    /// So many nanoseconds the loop waits at most before it tries again to wait for all of its descriptors: at first, and
    /// after several failures. Edges are late by that.
    private static let (shortestPause, longestPause): (Int64, Int64) = (5_000_000, 100_000_000)

    /// Sets the function that gets the next failure to wait for descriptors, as for lack of memory, on the loop's thread. It
    /// is called once.
    package func onFailure(_ handler: @escaping @Sendable (RingerError) -> Void) {
        let before = state.withLock { state in
            defer { if !state.isClosed { state.onFailure = handler } }
            return state.onFailure
        }
        withExtendedLifetime(before) {}
    }

    private func report(_ error: RingerError) {
        state.withLock { $0.onFailure.take() }?(error)
    }

    /// Calls the handlers of the descriptors that are ready, but for the first, ``wake``: that one is read later.
    private func dispatch(_ descriptors: [pollfd], _ ids: [UInt64]) {
        if descriptors[1].revents != 0 { clear(alarm) }
        for index in 2..<descriptors.count where descriptors[index].revents != 0 {
            let (id, place) = (ids[index], index - 2)
            // An earlier handler may have stopped watching this one.
            let watched: Watched? = state.withLock { state in
                // It is where it was, unless another one before it was ended.
                if place < state.watched.count && state.watched[place].id == id { return state.watched[place] }
                return state.watched.first { $0.id == id }
            }
            watched?.handler(descriptors[index].revents)
        }
    }

    /// Reads a counter that is ready, so that it no longer is.
    private func clear(_ counter: CInt) {
        var count: UInt64 = 0
        _ = read(counter, &count, MemoryLayout<UInt64>.size)
    }

    /// Runs the expired timers. A timer scheduled by one of them runs after the next look at the descriptors, so that a
    /// timer that always schedules itself again cannot hold up edges.
    private func runTimers() {
        let newest = state.withLock { $0.nextID }
        while true {
            let body: (@Sendable () -> Void)? = state.withLock { state in
                guard let index = state.timers.lastIndex(where: { $0.id <= newest }),
                    state.timers[index].deadline <= now
                else { return nil }
                return state.timers.remove(at: index).body
            }
            guard let body else { return }
            body()
        }
    }

    /// Runs the work handed in so far. Work handed in meanwhile runs after the next look at the descriptors, so that it
    /// cannot hold up edges. `taken` is empty; its capacity is reused.
    private func runWork(_ taken: inout [Work]) {
        state.withLock { state in
            state.turn += 1
            swap(&state.work, &taken)
        }
        if taken.isEmpty { return }
        for item in taken { run(item) }
        taken.removeAll(keepingCapacity: true)
    }

    private func finish() {
        // Work handed in while the loop was closing still runs: a caller may be waiting for it.
        runRest()
        callbacks.finish()
    }

    /// Runs what is handed in, as the loop's thread, until nothing is left.
    func runRest() {
        runner.store(UInt(pthread_self()), ordering: .releasing)
        var taken: [Work] = []
        repeat {
            runWork(&taken)
        } while state.withLock { state in
            if state.work.isEmpty {
                state.hasRunner = false
                runner.store(0, ordering: .releasing)
            }
            return state.hasRunner
        }
    }
}
