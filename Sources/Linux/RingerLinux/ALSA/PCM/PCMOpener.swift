import RingerCore
import Synchronization

/// The thread on which PCMs are opened and closed, one after another: an open may take long, and must not cause an
/// underrun of the sounds that another thread is writing.
///
/// Any thread may hand over work. The first PCM starts the thread, which works in order: a PCM handed over to be closed is
/// closed before the next one is opened.
///
/// alsa-lib cannot be interrupted, and a call may never return: the open of a FIFO that nobody reads, or of a sound server
/// that hangs. A call that holds up others for ``patience``, or until its deadline if they need its result, is set aside
/// with its thread, and another thread goes on with the work on other PCMs. A call that has not returned by its deadline is
/// answered as timed out, and abandoned: its thread stays blocked in alsa-lib, for it cannot be ended; if the call returns
/// after all, the thread closes what was opened, and ends. Until then the same PCM cannot be opened. At most ``most``
/// threads are set aside.
final class PCMOpener: Sendable {
    private struct Job: Sendable {
        let number: UInt64
        let subject: String
        let run: @Sendable () -> Void
        let fail: @Sendable (RingerError) -> Void
        let isOpening: Bool
        /// Whether jobs handed over later wait for its end, or its deadline, however long it takes.
        let holdsUpOthers: Bool

        func opens(_ subject: String) -> Bool { isOpening && self.subject == subject }
    }

    /// A job whose completion has not been called yet.
    private struct Unfinished: Sendable {
        let deadline: any DeviceTimer
        var isAnswered = false
    }

    private struct Worker: Sendable {
        let loop: EventLoop
        var queue: [Job] = []
        var running: Job?
        /// When the running job began.
        var since = MonotonicTime(nanoseconds: 0)
        /// Whether the running job has been answered as timed out.
        var isLate = false
    }

    /// Who waits until jobs are done.
    private struct Waiter: Sendable {
        var jobs: Set<UInt64>
        let body: @Sendable () -> Void
    }

    private struct State: Sendable {
        /// The last one takes new jobs. The others are set aside, and do the jobs on the PCM of their running one.
        var workers: [Worker] = []
        var lastNumber: UInt64 = 0
        var unfinished: [UInt64: Unfinished] = [:]
        var waiters: [Waiter] = []
        var isClosed = false
        var hasEnded = false
    }

    /// How long a call may hold up others.
    static let patience = Duration.milliseconds(250)
    /// How many calls are set aside at a time.
    static let most = 2

    private static let stuck = "an earlier attempt has not returned"

    private let state = Mutex(State())
    private let clock: EventLoop
    private let limit: Duration
    private let realTimePriority: Int?
    private let report: @Sendable (RingerError) -> Void

    /// An opener whose threads run at a priority just below that of the sound thread, which is given.
    ///
    /// - Parameters:
    ///   - clock: The loop for time-outs.
    ///   - limit: How long an open or a close may take.
    ///   - report: Called with the error of a close, which has no other way to its user.
    init(
        _ clock: EventLoop, limit: Duration, besides realTimePriority: Int?,
        report: @escaping @Sendable (RingerError) -> Void
    ) {
        self.clock = clock
        self.limit = limit
        self.realTimePriority = realTimePriority.map { max(1, $0 - 1) }
        self.report = report
    }

    // MARK: - Jobs

    /// Calls `body`, which opens `subject`, on the thread, which is started if it is not running.
    ///
    /// - Parameters:
    ///   - subject: The PCM. While a call with the same subject is abandoned, this fails at once.
    ///   - operation: What `body` does, for errors.
    ///   - holdsUpOthers: Whether what is handed over later waits until this has returned, or until its deadline.
    ///   - body: Opens it.
    ///   - undo: Closes again what `body` returned after the completion was called.
    ///   - completion: Called once, on this thread or another: with the result; with `timedOut`, if `body` has not returned by
    ///     its deadline; with `closed`; or with the system's reason if it has no descriptor or thread left.
    func open<Value: Sendable>(
        _ subject: String, operation: String = "open", holdsUpOthers: Bool = false,
        _ body: @escaping @Sendable () -> Result<Value, RingerError>,
        undo: @escaping @Sendable (Value) -> Void = { _ in },
        completion: @escaping @Sendable (Result<Value, RingerError>) -> Void
    ) {
        let fail: @Sendable (RingerError) -> Void = { completion(.failure($0)) }
        add(operation, subject, isOpening: true, holdsUpOthers: holdsUpOthers, fail: fail) { [self] number in
            // It was answered while it waited for its turn.
            guard isUnanswered(number) else { return }
            let result = body()
            let isInTime = answer(number) { completion(result) }
            if !isInTime, case .success(let value) = result { undo(value) }
        }
    }

    /// Calls `body`, which closes `subject`, on the thread; if it is not running, at once on the caller's. `completion` is
    /// called afterwards, or at the deadline.
    func close(
        _ subject: String, _ body: @escaping @Sendable () -> Void, completion: @escaping @Sendable () -> Void
    ) {
        guard state.withLock({ !$0.workers.isEmpty && !$0.isClosed }) else {
            body()
            return completion()
        }
        let fail: @Sendable (RingerError) -> Void = { [report] error in
            report(error)
            completion()
        }
        add("close", subject, isOpening: false, fail: fail) { [self] number in
            body()
            answer(number, completion)
        }
    }

    /// Calls `body` once all jobs handed over so far are done or answered.
    func whenDone(_ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if state.unfinished.isEmpty { return true }
            state.waiters.append(Waiter(jobs: Set(state.unfinished.keys), body: body))
            return false
        }
        if isDone { body() }
    }

    /// Ends the threads, without waiting. Jobs that have not begun to open a PCM fail as closed, and so does what has not
    /// returned by `deadline`: its thread is abandoned, and closes what waits behind it if the call returns. `completion` is
    /// called then, or before.
    func close(by deadline: MonotonicTime, _ completion: @escaping @Sendable () -> Void) {
        let dropped = state.withLock { state in
            state.isClosed = true
            var dropped: [Job] = []
            for index in state.workers.indices {
                dropped += state.workers[index].queue.filter(\.isOpening)
                state.workers[index].queue.removeAll(where: \.isOpening)
            }
            return dropped
        }
        for job in dropped { fail(job, RingerError(.closed, "open", job.subject)) }
        let timer = clock.schedule(at: deadline) { [self] in end(completion) }
        whenDone { [self] in
            timer.cancel()
            end(completion)
        }
    }

    private func end(_ completion: () -> Void) {
        let ended = state.withLock { state -> (stuck: [Job], idle: [EventLoop])? in
            if state.hasEnded { return nil }
            state.hasEnded = true
            let stuck = state.workers.flatMap { [$0.running].compactMap(\.self) + $0.queue }
            let idle = state.workers.filter { $0.running == nil && $0.queue.isEmpty }.map(\.loop)
            state.workers.removeAll { $0.running == nil && $0.queue.isEmpty }
            return (stuck, idle)
        }
        guard let (stuck, idle) = ended else { return }
        for job in stuck { fail(job, RingerError(.closed, job.isOpening ? "open" : "close", job.subject)) }
        for loop in idle { loop.close() }
        completion()
    }

    // MARK: - Answers

    private func isUnanswered(_ number: UInt64) -> Bool {
        state.withLock { $0.unfinished[number]?.isAnswered == false }
    }

    /// Calls `completion`, unless the job is answered already.
    @discardableResult
    private func answer(_ number: UInt64, _ completion: () -> Void) -> Bool {
        let isFirst = state.withLock { state in
            guard let job = state.unfinished[number], !job.isAnswered else { return false }
            job.deadline.cancel()
            state.unfinished[number]?.isAnswered = true
            return true
        }
        guard isFirst else { return false }
        completion()
        let done = state.withLock { state in
            state.unfinished[number] = nil
            for index in state.waiters.indices { state.waiters[index].jobs.remove(number) }
            let done = state.waiters.filter(\.jobs.isEmpty)
            state.waiters.removeAll(where: \.jobs.isEmpty)
            return done
        }
        for waiter in done { waiter.body() }
        return true
    }

    private func fail(_ job: Job, _ error: RingerError) {
        answer(job.number) { job.fail(error) }
    }

    /// The job's deadline: a call that runs is abandoned, an open that does not is dropped.
    private func expire(_ number: UInt64, _ operation: String) {
        // The job itself, then the opens of the same PCM that wait behind it.
        let jobs = state.withLock { state -> [Job] in
            for index in state.workers.indices {
                let worker = state.workers[index]
                if let running = worker.running, running.number == number {
                    state.workers[index].isLate = true
                    state.workers[index].queue.removeAll { $0.opens(running.subject) }
                    return [running] + worker.queue.filter { $0.opens(running.subject) }
                }
                if let position = worker.queue.firstIndex(where: { $0.number == number }) {
                    // What is open is closed, however late.
                    if worker.queue[position].isOpening { state.workers[index].queue.remove(at: position) }
                    return [worker.queue[position]]
                }
            }
            return []
        }
        for job in jobs {
            let detail = job.number == number ? "no answer within \(limit)" : Self.stuck
            fail(job, RingerError(.timedOut, operation, job.subject, detail: detail))
        }
        setAside()
    }

    // MARK: - Threads

    private func add(
        _ operation: String, _ subject: String, isOpening: Bool, holdsUpOthers: Bool = false,
        fail: @escaping @Sendable (RingerError) -> Void, _ run: @escaping @Sendable (UInt64) -> Void
    ) {
        let (number, isFirst) = state.withLock { state in
            state.lastNumber += 1
            return (state.lastNumber, state.workers.isEmpty && !state.isClosed)
        }
        // Neither a thread nor a timer is started under the lock.
        var new: Worker?
        do throws(RingerError) {
            if isFirst { new = try start() }
        } catch {
            return fail(error)
        }
        let deadline = clock.schedule(at: clock.now + limit) { [weak self] in self?.expire(number, operation) }
        let result: Result<(loop: EventLoop, lags: MonotonicTime?), RingerError> = state.withLock { [new] state in
            if state.isClosed { return .failure(RingerError(.closed, operation, subject)) }
            do throws(RingerError) {
                if state.workers.isEmpty, let new { state.workers.append(new) }
                let index = try worker(operation, subject, isOpening, state)
                state.unfinished[number] = Unfinished(deadline: deadline)
                state.workers[index].queue.append(
                    Job(
                        number: number, subject: subject, run: { run(number) }, fail: fail, isOpening: isOpening,
                        holdsUpOthers: holdsUpOthers))
                let worker = state.workers[index]
                return .success((worker.loop, worker.running == nil ? nil : worker.since + Self.patience))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .failure(let error):
            deadline.cancel()
            new?.loop.close()
            fail(error)
        case .success(let (loop, lags)):
            if let new, new.loop !== loop { new.loop.close() }
            loop.execute { [self] in runNext(on: loop) }
            if let lags { look(at: lags) }
        }
    }

    /// The index of the worker for a job.
    private func worker(
        _ operation: String, _ subject: String, _ isOpening: Bool, _ state: State
    ) throws(RingerError) -> Int {
        let last = state.workers.count - 1
        if isOpening {
            if let index = state.workers.firstIndex(where: { $0.running?.subject == subject }) {
                if state.workers[index].isLate {
                    throw RingerError(.timedOut, operation, subject, detail: Self.stuck)
                }
                if index < last { return index }
            }
            if last == Self.most, state.workers[last].isLate {
                throw RingerError(.timedOut, operation, subject, detail: "too many earlier opens have not returned")
            }
        }
        return last
    }

    /// Does the next job of the worker whose thread this is.
    private func runNext(on loop: EventLoop) {
        let next = state.withLock { state -> (job: Job, lags: MonotonicTime?)? in
            guard let index = state.workers.firstIndex(where: { $0.loop === loop }),
                !state.workers[index].queue.isEmpty
            else { return nil }
            let job = state.workers[index].queue.removeFirst()
            state.workers[index].running = job
            state.workers[index].since = clock.now
            return (job, state.workers[index].queue.isEmpty ? nil : clock.now + Self.patience)
        }
        guard let next else { return }
        if let lags = next.lags { look(at: lags) }
        next.job.run()
        let isLast = state.withLock { state in
            guard let index = state.workers.firstIndex(where: { $0.loop === loop }) else { return false }
            state.workers[index].running = nil
            state.workers[index].isLate = false
            let isAside = index < state.workers.count - 1
            guard isAside || state.isClosed, state.workers[index].queue.isEmpty else { return false }
            state.workers.remove(at: index)
            return true
        }
        guard isLast else { return }
        loop.close()
        // Another one may have waited for room to be set aside.
        look(at: clock.now)
    }

    /// Looks at that time whether the running job holds up others.
    private func look(at time: MonotonicTime) {
        _ = clock.schedule(at: time) { [weak self] in self?.setAside() }
    }

    /// Has another thread go on with the jobs that the running one holds up, except those on its own PCM.
    private func setAside() {
        if state.withLock({ heldUp($0).isEmpty }) { return }
        do throws(RingerError) {
            // Not under the lock.
            let loop = try start().loop
            let jobs = state.withLock { state in
                let others = heldUp(state)
                if others.isEmpty { return 0 }
                let numbers = Set(others.map(\.number))
                state.workers[state.workers.count - 1].queue.removeAll { numbers.contains($0.number) }
                state.workers.append(Worker(loop: loop, queue: others))
                return others.count
            }
            if jobs == 0 { loop.close() }
            for _ in 0..<jobs { loop.execute { [self] in runNext(on: loop) } }
        } catch {
            report(error)
        }
    }

    /// The jobs that the running one holds up, except those on its own PCM.
    private func heldUp(_ state: State) -> [Job] {
        let last = state.workers.count - 1
        guard (0..<Self.most).contains(last), let running = state.workers[last].running,
            state.workers[last].isLate
                || !running.holdsUpOthers && clock.now - state.workers[last].since >= Self.patience
        else { return [] }
        return state.workers[last].queue.filter { !$0.opens(running.subject) }
    }

    private func start() throws(RingerError) -> Worker {
        Worker(loop: try EventLoop(name: "ringer-pcm", realTimePriority: realTimePriority))
    }
}
