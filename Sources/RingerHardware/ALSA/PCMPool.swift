import RingerServices

/// The PCMs of an output: opens them and closes them on a thread of their own, and keeps those that no sound plays on for
/// a while, stopped, so that the next sound of the same format starts at once.
// SAFETY: used on the sound thread alone, where the completions are called too; after that thread ended, by the caller of
// `SoundThread.shutDown` alone.
final class PCMPool: @unchecked Sendable {
    private struct Idle {
        var handle: PCMHandle
        var timer: any DeviceTimer
    }

    private var idle: [Idle] = []
    /// How many PCMs were handed over to be closed.
    private var discarded = 0
    private var isClosed = false
    private let loop: EventLoop
    private let opener: PCMOpener
    private let linger: Duration

    /// A pool whose PCMs stay open for `linger` after their sound.
    init(_ loop: EventLoop, _ opener: PCMOpener, linger: Duration) {
        self.loop = loop
        self.opener = opener
        self.linger = linger
    }

    // MARK: - Opening

    /// A PCM that is open already, prepared for a sound; nil where there is none.
    func take(_ request: PCMRequest) -> PCMHandle? {
        guard let index = idle.lastIndex(where: { $0.handle.request == request }) else { return nil }
        let pcm = idle.remove(at: index)
        pcm.timer.cancel()
        do throws(RingerError) {
            try pcm.handle.prepare()
            return pcm.handle
        } catch {
            // It went bad while nobody used it. Opening it again tells whether the device is there.
            discard(pcm.handle)
            return nil
        }
    }

    /// Opens and prepares a PCM.
    func open(
        _ request: PCMRequest, _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        openMakingRoom(request, isKept: true, completion)
    }

    /// Opens a PCM and closes it before any other is opened. What it granted is left of it.
    func lookAt(
        _ request: PCMRequest, _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        openMakingRoom(request, isKept: false, completion)
    }

    private func openMakingRoom(
        _ request: PCMRequest, isKept: Bool,
        _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        let discarded = discarded
        openNew(request, isKept: isKept) { [self] result in
            // What held the device may have been a PCM of our own: idle, in another format or by another name, or one that
            // was to be closed just behind this attempt. Another one of ours may hold it at the next attempt, too; each
            // attempt after the first follows one that closed a PCM.
            guard case .failure(let error) = result, error.code == .busy,
                !idle.isEmpty || self.discarded != discarded
            else { return completion(result) }
            closeIdle()
            openMakingRoom(request, isKept: isKept, completion)
        }
    }

    private func openNew(
        _ request: PCMRequest, isKept: Bool,
        _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        do throws(RingerError) {
            try opener.execute { [loop] in
                let result = Self.open(request)
                if !isKept, case .success(let handle) = result { handle.close() }
                loop.execute {
                    // The handle's later messages come on this thread.
                    ALSAMessages.keepOnThisThread()
                    completion(result)
                }
            }
        } catch {
            completion(.failure(error))
        }
    }

    private static func open(_ request: PCMRequest) -> Result<PCMHandle, RingerError> {
        // The first call loads alsa-lib: a firmware that plays nothing does without.
        ALSAMessages.keepOnThisThread()
        do throws(RingerError) {
            let handle = try PCMHandle(request)
            try handle.prepare()
            return .success(handle)
        } catch {
            return .failure(error)
        }
    }

    // MARK: - Closing

    /// Takes back a PCM that is stopped. `completion` is called when it is kept, or closed where it is not.
    func giveBack(_ handle: PCMHandle, _ completion: @escaping @Sendable () -> Void = {}) {
        if isClosed || linger <= .zero { return discard(handle, completion) }
        let timer = loop.schedule(at: loop.now + linger) { [self, id = ObjectIdentifier(handle)] in
            guard let index = idle.firstIndex(where: { ObjectIdentifier($0.handle) == id }) else { return }
            discard(idle.remove(at: index).handle)
        }
        idle.append(Idle(handle: handle, timer: timer))
        completion()
    }

    /// Closes a PCM, and calls `completion` when it is closed.
    func discard(_ handle: PCMHandle, _ completion: @escaping @Sendable () -> Void = {}) {
        if isClosed {
            handle.close()
            return completion()
        }
        discarded += 1
        opener.executeIfStarted { [loop] in
            handle.close()
            loop.execute(completion)
        }
    }

    /// Closes what is idle, and calls `completion` when it is closed.
    func release(_ completion: @escaping @Sendable () -> Void) {
        closeIdle()
        // What was being opened for a sound that is over comes back before the thread has done this.
        opener.executeIfStarted { [self] in
            loop.execute { [self] in
                closeIdle()
                opener.executeIfStarted(completion)
            }
        }
    }

    private func closeIdle() {
        for pcm in idle {
            pcm.timer.cancel()
            discard(pcm.handle)
        }
        idle = []
    }

    /// Closes what is idle. What is given back from now on is closed at once, on the caller's thread.
    func close() {
        isClosed = true
        closeIdle()
    }
}
