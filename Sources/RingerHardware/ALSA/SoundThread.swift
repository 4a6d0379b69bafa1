import CALSA
import RingerServices
import Synchronization
import SystemPackage

/// The thread on which all sounds of an output are written. Their PCMs are opened and closed on another one.
// SAFETY: all variables, and what `pool` and `reports` hold, are used on the loop's thread alone, and after it ended by
// `shutDown`'s caller alone: whatever may run later looks at `isClosed` first.
final class SoundThread: @unchecked Sendable {
    private var voices: [UInt64: ALSAVoice] = [:]
    private var queue: PCMQueue
    private var actions: [PCMQueue.Action] = []
    private var isAtWork = false
    private var retry: (any DeviceTimer)?
    private let pool: PCMPool
    let reports = OutputReports()

    let loop: EventLoop
    let opener: PCMOpener
    private let closed = Atomic<Bool>(false)
    private let granted = Mutex<HardwareFormat?>(nil)

    init(realTimePriority: Int?, linger: Duration, busyPatience: Duration) throws(RingerError) {
        loop = try EventLoop(name: "ringer-sound", realTimePriority: realTimePriority)
        opener = PCMOpener(besides: realTimePriority)
        pool = PCMPool(loop, opener, linger: linger)
        queue = PCMQueue(patience: busyPatience)
    }

    /// Whether ``shutDown()`` was called: nothing is opened any more.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// What was granted last.
    var lastGrant: HardwareFormat? { granted.withLock { $0 } }

    // MARK: - Sounds

    /// Keeps `voice` until it is over.
    func add(_ voice: ALSAVoice) {
        voices[voice.number] = voice
    }

    /// Has `voice` get its PCM: at once where one is open already and no other sound waits for it.
    func openPCM(for voice: ALSAVoice) {
        send(.add(voice.number, pcm: voice.pcm, waits: voice.waitsWhenBusy, now: loop.now))
    }

    /// Lets `voice` go, which is over and has given its PCM back.
    func remove(_ voice: ALSAVoice) {
        voices[voice.number] = nil
        send(.removed(voice.number))
    }

    private func send(_ event: PCMQueue.Event) {
        actions.append(contentsOf: queue.handle(event))
        // What an action leads to waits its turn.
        if isAtWork { return }
        isAtWork = true
        defer { isAtWork = false }
        while !actions.isEmpty { perform(actions.removeFirst()) }
    }

    private func perform(_ action: PCMQueue.Action) {
        switch action {
        case .open(let number):
            // Where the output is closed, the sound is about to be stopped.
            guard !isClosed, let voice = voices[number] else { return }
            open(voice.pcm, sampleRate: voice.sound.sampleRate, channels: voice.sound.channels) { [self] result in
                switch result {
                case .success(let handle):
                    send(.opened(number, hardware: handle.device?.name))
                    voice.opened(handle)
                case .failure(let error):
                    send(.refused(number, error, now: loop.now))
                }
            }
        case .waiting(let number, let error): voices[number]?.waits(for: error)
        case .fail(let number, let error): voices[number]?.failed(error)
        case .retry(let time):
            retry?.cancel()
            retry = loop.schedule(at: time) { [weak self] in
                guard let self else { return }
                send(.retry(now: loop.now))
            }
        case .doesNotMix(let number):
            if let voice = voices[number], reports.doesNotMix(voice.pcm) { reportSoon() }
        }
    }

    // MARK: - PCMs

    /// Has a prepared PCM: at once one that is open already, later one that had to be opened.
    private func open(
        _ name: String, sampleRate: Double, channels: Int,
        _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        if isClosed { return completion(.failure(closedError(name))) }
        do throws(RingerError) {
            let request = try PCMRequest(
                name, sampleRate: sampleRate, channels: channels, reports.formats.preferences)
            if let handle = pool.take(request) {
                note(handle)
                return completion(.success(handle))
            }
            pool.open(request) { [self] result in
                switch result {
                case .success(let handle):
                    granted.withLock { $0 = handle.format }
                    note(handle)
                case .failure(let error): failed(error, of: name)
                }
                completion(result)
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Takes back a PCM that is stopped. `completion` is called when it is kept, or closed where it is not.
    func giveBack(_ handle: PCMHandle, isReusable: Bool, _ completion: @escaping @Sendable () -> Void) {
        if isReusable { pool.giveBack(handle, completion) } else { pool.discard(handle, completion) }
    }

    /// Takes back a PCM that was opened, and not written to.
    func giveBack(unused handle: PCMHandle, _ completion: @escaping @Sendable () -> Void = {}) {
        do throws(RingerError) {
            try handle.drop()
            pool.giveBack(handle, completion)
        } catch {
            // It goes bad before anything is played. The next sound opens it, and fails if the device is gone.
            pool.discard(handle, completion)
        }
    }

    /// What `name` grants, which is open afterwards. Waits for the sound thread, and must not be called on it.
    func grant(_ name: String, sampleRate: Double, channels: Int) throws(RingerError) -> HardwareFormat {
        precondition(!loop.isCurrentThread, "The sound thread would wait for itself.")
        let result = Mutex<Result<HardwareFormat, RingerError>>(.failure(closedError(name)))
        let isDone = Latch()
        loop.execute { [self] in
            open(name, sampleRate: sampleRate, channels: channels) { [self] opened in
                result.withLock { $0 = opened.map(\.format) }
                guard case .success(let handle) = opened else { return isDone.open() }
                giveBack(unused: handle) { isDone.open() }
            }
        }
        isDone.wait()
        return try result.withLock { $0 }.get()
    }

    /// Why the PCM `name` plays one sound at a time; nil where it can be opened twice. Waits for the sound thread, and must
    /// not be called on it.
    func mixingProblem(of name: String) throws(RingerError) -> RingerError? {
        precondition(!loop.isCurrentThread, "The sound thread would wait for itself.")
        let request = try PCMRequest(name, sampleRate: 48_000, channels: 2)
        let result = Mutex<Result<RingerError?, RingerError>>(.failure(closedError(name)))
        let isDone = Latch()
        loop.execute { [self] in
            if isClosed { return isDone.open() }
            pool.open(request) { [self] first in
                guard case .success(let handle) = first else {
                    result.withLock { $0 = first.map { _ in nil } }
                    return isDone.open()
                }
                pool.open(request) { [self] second in
                    result.withLock { result in
                        switch second {
                        case .success: result = .success(nil)
                        case .failure(let error) where error.code == .busy:
                            result = .success(.doesNotMix(name, handle.device))
                        case .failure(let error): result = .failure(error)
                        }
                    }
                    if case .success(let other) = second { pool.discard(other) }
                    pool.discard(handle) { isDone.open() }
                }
            }
        }
        isDone.wait()
        return try result.withLock { $0 }.get()
    }

    private func closedError(_ name: String) -> RingerError {
        RingerError(.closed, "open", PCMHandle.subject(name))
    }

    // MARK: - What is granted

    /// Reports to `handler` from now on what the hardware is granted, and first what it was granted last.
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {
        reports.follow(handler)
        // A thread that nobody uses is not woken.
        guard lastGrant != nil else { return }
        loop.execute { [self] in if !isClosed { reports.reportLast() } }
    }

    /// Has what is opened from now on be as near to `preferences` as the hardware comes.
    func prefer(_ preferences: SessionPreferences) {
        loop.execute { [self] in if !isClosed { reports.prefer(preferences) } }
    }

    /// Finds out what the PCM `name` grants, and reports it before `completion` is called.
    func ask(_ name: String, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        loop.execute { [self] in
            if isClosed { return completion(closedError(name)) }
            find(name) { [self] error in
                reports.flush()
                completion(error)
            }
        }
    }

    private func find(_ name: String, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        if reports.formats.isKnown(name) {
            reports.moved(to: name)
            return completion(nil)
        }
        // What plays keeps its format; what is opened after it reports the new one.
        if voices.values.contains(where: { $0.pcm == name }) { return completion(nil) }
        let preferences = reports.formats.preferences
        let isPreferred = preferences.sampleRate >= 1 && preferences.sampleRate <= 1_000_000
        do throws(RingerError) {
            let rate = isPreferred ? preferences.sampleRate : 48_000
            lookAt(try PCMRequest(name, sampleRate: rate, channels: 2, preferences), completion)
        } catch {
            completion(error)
        }
    }

    /// Opens a PCM, notes what it grants, and closes it again.
    private func lookAt(_ request: PCMRequest, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        pool.lookAt(request) { [self] result in
            switch result {
            case .success(let handle):
                _ = reports.opened(handle)
                completion(nil)
            case .failure(let error):
                reports.failed(error, of: request.name)
                completion(error)
            }
        }
    }

    private func note(_ handle: PCMHandle) {
        if reports.opened(handle) { reportSoon() }
    }

    /// Measures what lies beyond the buffer of `handle`, which runs, unless it is known.
    func measure(_ handle: PCMHandle) {
        if reports.measure(handle) { reportSoon() }
    }

    /// Reports what changed after what is being done now: a sound that begins does not wait for those who listen.
    private func reportSoon() {
        loop.execute { [self] in if !isClosed { reports.flush() } }
    }

    // MARK: - Loss

    /// Reports to `handler` whether the PCM `name` is lost, from now on and on the sound thread.
    func watchLoss(of name: String, _ handler: @escaping @Sendable (Bool) -> Void) {
        loop.sync { [self] in if !isClosed { reports.watchLoss(of: name, handler) } }
    }

    /// Ends reporting it; a call of the handler that is under way ends first, unless this is it.
    func unwatchLoss() {
        loop.sync { [self] in if !isClosed { reports.unwatchLoss() } }
    }

    /// Ends reporting it soon.
    func unwatchLossSoon() {
        loop.execute { [self] in if !isClosed { reports.unwatchLoss() } }
    }

    /// A sound, or opening its PCM `name`, failed.
    func failed(_ error: RingerError, of name: String) {
        reports.failed(error, of: name)
    }

    /// Looks soon whether the PCM that was lost can be opened again. It is closed at once.
    func lookForLost() {
        loop.execute { [self] in
            guard !isClosed, let request = reports.lost else { return }
            // Where it cannot be opened it stays lost.
            lookAt(request) { _ in }
        }
    }

    // MARK: - The end

    /// Closes the PCMs on which no sound plays; where `stoppingSounds` says so, stops all sounds first.
    func release(stoppingSounds: Bool, _ completion: @escaping @Sendable () -> Void) {
        loop.execute { [self] in
            if isClosed { return completion() }
            if stoppingSounds {
                // The newest first: none that waits has its turn because the one before it is stopped.
                for number in voices.keys.sorted(by: >) { voices[number]?.stopNow() }
            }
            pool.release(completion)
        }
    }

    /// Stops every sound, closes every PCM and ends the threads. A second call does nothing.
    func shutDown() {
        guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.sync { [self] in
            pool.close()
            retry?.cancel()
            for voice in voices.values { voice.stopNow() }
        }
        // What was being opened or closed meanwhile is taken to its end.
        opener.wait()
        loop.sync { [self] in reports.unwatchLoss() }
        reports.follow(nil)
        reports.reportProblems(nil)
        opener.close()
        loop.close()
    }
}
