import CALSA
import RingerCore
import Synchronization
import SystemPackage

/// The thread that writes all sounds of an output. Another thread opens and closes their PCMs.
// SAFETY: all variables, and those of `pool` and `reports`, are used on the loop's thread only: code that may run after it
// ended checks `isClosed` first.
final class SoundThread: @unchecked Sendable {
    private var voices: [UInt64: ALSAVoice] = [:]
    private var queue: PCMQueue
    private var actions: [PCMQueue.Action] = []
    private var isAtWork = false
    private var retry: (any DeviceTimer)?
    /// Whether a sound tries again whether another process still holds its PCM.
    private var isRetry = false
    private let pool: PCMPool
    private let limits: PlaybackMachine.Limits
    /// How many switches of the card have not ended.
    private var switches = 0
    /// Notices that the card that was switched is gone.
    private var cardWatch: DirectoryWatch?
    private let useCases: UseCaseSelector?
    let reports = OutputReports()

    let loop: EventLoop
    let opener: PCMOpener
    private let closed = Atomic<Bool>(false)
    private let granted = Mutex<HardwareFormat?>(nil)

    init(
        realTimePriority: Int?, linger: Duration, busyPatience: Duration, limits: PlaybackMachine.Limits,
        _ useCases: UseCaseSelector? = nil
    ) throws(RingerError) {
        self.limits = limits
        self.useCases = useCases
        loop = try EventLoop(name: "ringer-sound", realTimePriority: realTimePriority)
        opener = PCMOpener(loop, limit: limits.open, besides: realTimePriority) { [reports] in reports.report($0) }
        pool = PCMPool(loop, opener, linger: linger)
        queue = PCMQueue(patience: busyPatience)
    }

    /// Whether ``shutDown()`` was called: no PCM is opened any more.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// The format granted last.
    var lastGrant: HardwareFormat? { granted.withLock { $0 } }

    // MARK: - Sounds

    /// Retains `voice` until it is over.
    func add(_ voice: ALSAVoice) {
        voices[voice.number] = voice
    }

    /// Gives `voice` a PCM: at once if one is open and no other sound waits for it.
    func openPCM(for voice: ALSAVoice) {
        send(.add(voice.number, pcm: voice.pcm, waits: voice.waitsWhenBusy, now: loop.now))
    }

    /// Releases `voice`, which is over and has returned its PCM.
    func remove(_ voice: ALSAVoice) {
        voices[voice.number] = nil
        send(.removed(voice.number))
    }

    private func send(_ event: PCMQueue.Event) {
        queue.handle(event, &actions)
        // What an action causes is queued until the action is done.
        if isAtWork { return }
        isAtWork = true
        defer { isAtWork = false }
        while !actions.isEmpty { perform(actions.removeFirst()) }
    }

    private func perform(_ action: PCMQueue.Action) {
        switch action {
        case .open(let number):
            openPCM(of: number, isRetry: isRetry)
        case .waiting(let number, let error): voices[number]?.waits(for: error)
        case .fail(let number, let error): voices[number]?.failed(error)
        case .retry(let time):
            retry?.cancel()
            retry = loop.schedule(at: time) { [weak self] in
                guard let self else { return }
                isRetry = true
                send(.retry(now: loop.now))
                isRetry = false
            }
        case .doesNotMix(let number):
            if let voice = voices[number] { reports.doesNotMix(voice.pcm) }
        }
    }

    /// Opens the PCM of a sound whose turn has come, after switching the card for it. A retry switches it again only once the
    /// PCM is free: the retries of two sounds would switch it to and fro, and each would report that it cannot be switched.
    private func openPCM(of number: UInt64, isRetry: Bool) {
        // If the output is closed, the sound is about to be stopped.
        guard !isClosed, let voice = voices[number], !voice.endsIfShut() else { return }
        let isRetry = isRetry && voice.hasSelected
        voice.hasSelected = true
        if !isRetry, let useCases { select(voice.route, voice.pcm, useCases) }
        open(
            voice.pcm, sampleRate: voice.sound.sampleRate, channels: voice.sound.channels, for: voice.gate
        ) { [self] result in
            switch result {
            case .success(let handle):
                if isRetry, let useCases, isElsewhere(voice.route, useCases) {
                    pool.discard(handle)
                    return openPCM(of: number, isRetry: false)
                }
                send(.opened(number, hardware: handle.device?.name))
                voice.opened(handle)
            case .failure(let error):
                if !voice.endsIfShut() { send(.refused(number, error, now: loop.now)) }
            }
        }
    }

    /// Whether the card was switched to another route since, or could not be switched.
    private func isElsewhere(_ route: AudioRoute, _ useCases: UseCaseSelector) -> Bool {
        closeLostCard(useCases)
        return useCases.hasOutput(for: route) && useCases.requested != route
    }

    /// A sound ended before its turn came: says where the card is, as nothing will be switched for it.
    func endedUnopened() {
        if !isClosed, switches == 0, let route = useCases?.requested { reports.cardIsSwitched(to: route) }
    }

    // MARK: - PCMs

    /// Passes on a prepared PCM: at once if one is open, else once it was opened, which fails if `gate` is shut by then.
    private func open(
        _ name: String, sampleRate: Double, channels: Int, for gate: Gate = Gate(),
        _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        if isClosed { return completion(.failure(closedError(name))) }
        do throws(RingerError) {
            let request = try PCMRequest(
                name, sampleRate: sampleRate, channels: channels, reports.formats.preferences)
            // One that is open already would play before the card is switched.
            if switches == 0, let handle = pool.take(request) {
                reports.opened(handle)
                return completion(.success(handle))
            }
            pool.open(request, for: gate) { [self] result in
                switch result {
                case .success(let handle):
                    granted.withLock { $0 = handle.format }
                    reports.opened(handle)
                case .failure(let error):
                    failed(error, of: name)
                    if error.code == .timedOut { reports.report(error) }
                }
                completion(result)
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Takes back a stopped PCM. `completion` is called once it is kept, or closed.
    func giveBack(_ handle: PCMHandle, isReusable: Bool, _ completion: @escaping @Sendable () -> Void) {
        if isReusable { pool.giveBack(handle, completion) } else { pool.discard(handle, completion) }
    }

    /// Takes back a PCM that was opened and not written to.
    func giveBack(unused handle: PCMHandle, _ completion: @escaping @Sendable () -> Void = {}) {
        do throws(RingerError) {
            try handle.drop()
            pool.giveBack(handle, completion)
        } catch {
            // It broke before anything was played. The next sound opens it again, and fails if the device is gone.
            pool.discard(handle, completion)
        }
    }

    /// The format of the PCM `name`, which stays open. Blocks; must not be called on the sound thread.
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

    /// Why the PCM `name` cannot play two sounds at once; nil if it can be opened twice. Blocks; must not be called on
    /// the sound thread.
    func mixingProblem(of name: String) throws(RingerError) -> HardwareProblem? {
        precondition(!loop.isCurrentThread, "The sound thread would wait for itself.")
        let request = try PCMRequest(name, sampleRate: 48_000, channels: 2)
        let result = Mutex<Result<HardwareProblem?, RingerError>>(.failure(closedError(name)))
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

    /// Reports granted formats to `handler`, beginning with the last one.
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {
        reports.setHandlers { $0.format = handler }
        // Nothing was granted yet: do not wake the thread.
        guard lastGrant != nil else { return }
        loop.execute { [self] in if !isClosed { reports.reportLast() } }
    }

    /// Sets the preferences for PCMs that are opened from now on.
    func prefer(_ preferences: SessionPreferences) {
        loop.execute { [self] in if !isClosed { reports.prefer(preferences) } }
    }

    /// Finds out the format of the PCM `name`, and reports it before `completion` is called.
    func ask(_ name: String, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        loop.execute { [self] in
            if isClosed { return completion(closedError(name)) }
            find(name, completion)
        }
    }

    private func find(_ name: String, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        if reports.formats.isKnown(name) {
            reports.moved(to: name)
            return completion(nil)
        }
        // Playing sounds keep their format; the next PCM to be opened reports the new one.
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

    /// Opens a PCM, notes its format, and closes it again.
    private func lookAt(_ request: PCMRequest, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        pool.lookAt(request) { [self] result in
            switch result {
            case .success(let handle):
                reports.opened(handle)
                completion(nil)
            case .failure(let error):
                reports.failed(error, of: request.name)
                completion(error)
            }
        }
    }

    /// Switches the card to `route` for a sound on the PCM `name`, unless that was asked for last, before a PCM is opened that
    /// is asked for afterwards, or fails by its deadline.
    private func select(_ route: AudioRoute, _ name: String, _ useCases: UseCaseSelector) {
        closeLostCard(useCases)
        guard useCases.hasOutput(for: route) else {
            guard let (error, isNew) = useCases.misses(route, name) else { return }
            if isNew { reports.report(error) }
            return reports.cardIsSwitched(to: route, error)
        }
        guard useCases.isNeeded(for: route) else {
            // Otherwise the switch that is under way reports.
            if switches == 0 { reports.cardIsSwitched(to: route) }
            return
        }
        switchCard("switch to \(route)", to: route, useCases)
        if cardWatch != nil { return }
        do throws(RingerError) {
            cardWatch = try DirectoryWatch(useCases.directory, loop: loop) { [self] in
                closeLostCard(useCases)
            }
        } catch {
            reports.report(error)
        }
    }

    private func closeLostCard(_ useCases: UseCaseSelector) {
        if !isClosed && useCases.hasLostCard() { switchCard("close", to: nil, useCases) }
    }

    private func switchCard(_ operation: String, to route: AudioRoute?, _ useCases: UseCaseSelector) {
        switches += 1
        opener.open(
            // One at a time: the selector is used by one thread.
            "sound card", operation: operation, holdsUpOthers: true,
            { () -> Result<Void, RingerError> in
                do throws(RingerError) {
                    return .success(try useCases.select(route))
                } catch {
                    return .failure(error)
                }
            },
            completion: { [self] result in
                loop.execute { [self] in
                    if isClosed { return }
                    switches -= 1
                    var failure: RingerError?
                    if case .failure(let error) = result {
                        useCases.hasFailed()
                        reports.report(error)
                        failure = error
                    }
                    // The PCM of the sound comes after this: nothing is heard before its gate was shut. While others wait to
                    // be switched, the card may be anywhere between, though their sounds have ended.
                    if let route, failure != nil || switches == 0 { reports.cardIsSwitched(to: route, failure) }
                }
            })
    }

    // MARK: - Loss

    /// Starts reporting to `handler`, on the sound thread, whether the PCM `name` is lost.
    func watchLoss(of name: String, _ handler: @escaping @Sendable (Bool) -> Void) {
        loop.sync { [self] in if !isClosed { reports.watchLoss(of: name, handler) } }
    }

    /// Ends reporting losses, without waiting.
    func unwatchLoss() {
        loop.execute { [self] in if !isClosed { reports.unwatchLoss() } }
    }

    /// Opening or playing on the PCM `name` failed.
    func failed(_ error: RingerError, of name: String) {
        reports.failed(error, of: name)
    }

    /// Checks soon whether the lost PCM can be opened again; closes it at once.
    func lookForLost() {
        loop.execute { [self] in
            guard !isClosed, let request = reports.lost else { return }
            // If it cannot be opened, it stays lost.
            lookAt(request) { _ in }
        }
    }

    // MARK: - The end

    /// Closes the idle PCMs, after stopping all sounds if `stoppingSounds`.
    func release(stoppingSounds: Bool, _ completion: @escaping @Sendable () -> Void) {
        loop.execute { [self] in
            if isClosed { return completion() }
            // The newest first, so that no waiting sound starts because the one before it was stopped.
            for number in voices.keys.sorted(by: >) {
                guard let voice = voices[number], stoppingSounds || voice.isStopping else { continue }
                voice.stopAtOnce()
            }
            pool.release(completion)
        }
    }

    /// Stops every sound, closes every PCM and ends the threads, without waiting. A second call does nothing.
    ///
    /// `completion` is called within ``PlaybackMachine/Limits/close``, unless this thread itself is blocked in alsa-lib. A
    /// thread that is blocked there is abandoned: it ends if the call returns.
    func shutDown(_ completion: @escaping @Sendable () -> Void) {
        guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return completion() }
        loop.execute { [self] in
            retry?.cancel()
            for voice in voices.values { voice.stopAtOnce() }
            pool.close()
            // Finish what was being opened or closed.
            opener.close(by: loop.now + limits.close) { [self] in
                // After the completions of those.
                loop.execute { [self] in
                    cardWatch?.close()
                    reports.unwatchLoss()
                    reports.setHandlers { $0 = OutputReports.Handlers() }
                    loop.close()
                    completion()
                }
            }
        }
    }
}
