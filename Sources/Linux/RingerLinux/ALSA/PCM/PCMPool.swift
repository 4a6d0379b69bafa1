import RingerCore
import SystemPackage

/// The PCMs of an output: opens and closes them on a thread of their own, and keeps idle ones open for a while,
/// stopped, so that the next sound of the same format starts at once.
// SAFETY: used on the sound thread only, where the completions are called too, but for that of `release`.
final class PCMPool: @unchecked Sendable {
    private struct Idle {
        var handle: PCMHandle
        var timer: any DeviceTimer
    }

    /// How many stay open: those of two outputs in two formats.
    static let most = 4

    /// Too few descriptors, too little memory; alsa-lib finds no PCM in a configuration whose files it could not open.
    private static let shortages: [Errno] = [
        .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noSuchFileOrDirectory,
    ]

    /// The one that was used last comes last.
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

    /// An open PCM, prepared for a sound; nil if there is none in this format.
    func take(_ request: PCMRequest) -> PCMHandle? {
        guard let index = idle.lastIndex(where: { $0.handle.request == request }) else { return nil }
        let pcm = idle.remove(at: index)
        pcm.timer.cancel()
        do throws(RingerError) {
            try pcm.handle.prepare()
            return pcm.handle
        } catch {
            // It broke while it was idle. Opening it again shows whether the device is still there.
            discard(pcm.handle)
            return nil
        }
    }

    /// Opens and prepares a PCM for a sound, which fails as closed if the sound's gate is shut before its turn has come.
    func open(
        _ request: PCMRequest, for gate: Gate = Gate(),
        _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        openMakingRoom(request, isKept: true, gate, completion)
    }

    /// Opens a PCM and closes it before any other is opened; only its granted format is passed on.
    func lookAt(
        _ request: PCMRequest, _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        openMakingRoom(request, isKept: false, Gate(), completion)
    }

    private func openMakingRoom(
        _ request: PCMRequest, isKept: Bool, _ gate: Gate, isRetry: Bool = false,
        _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        let discarded = discarded
        openNew(request, isKept: isKept, gate) { [self] result in
            // A PCM of our own may have held the device, or the descriptors or memory that are missing: one that was idle in
            // another format or under another name, or one that was about to be closed. The same may hold for the next
            // attempt; each further attempt follows one that closed a PCM.
            guard case .failure(let error) = result,
                error.code == .busy || error.errno.map(Self.shortages.contains) == true,
                !idle.isEmpty || self.discarded != discarded
            else { return completion(result) }
            // It may have been there in a configuration that could not be read whole for a moment.
            if error.errno == .noSuchFileOrDirectory, !isRetry {
                return openMakingRoom(request, isKept: isKept, gate, isRetry: true, completion)
            }
            closeIdle()
            openMakingRoom(request, isKept: isKept, gate, completion)
        }
    }

    private func openNew(
        _ request: PCMRequest, isKept: Bool, _ gate: Gate,
        _ completion: @escaping @Sendable (Result<PCMHandle, RingerError>) -> Void
    ) {
        opener.open(
            PCMHandle.subject(request.name),
            {
                let result = Self.open(request, gate)
                if !isKept, case .success(let handle) = result { handle.close() }
                return result
            },
            undo: { $0.close() },
            completion: { [loop] result in
                loop.execute {
                    // The handle's later messages come on this thread.
                    ALSAMessages.keepOnThisThread()
                    completion(result)
                }
            })
    }

    private static func open(_ request: PCMRequest, _ gate: Gate) -> Result<PCMHandle, RingerError> {
        guard gate.isOpen else { return .failure(RingerError(.closed, "open", PCMHandle.subject(request.name))) }
        // The first call loads alsa-lib: firmware that plays nothing does not need it.
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

    /// Takes back a stopped PCM. `completion` is called once it is kept, or closed.
    func giveBack(_ handle: PCMHandle, _ completion: @escaping @Sendable () -> Void = {}) {
        if isClosed || linger <= .zero { return discard(handle, completion) }
        let timer = loop.schedule(at: loop.now + linger) { [self, id = ObjectIdentifier(handle)] in
            guard let index = idle.firstIndex(where: { ObjectIdentifier($0.handle) == id }) else { return }
            discard(idle.remove(at: index).handle)
        }
        idle.append(Idle(handle: handle, timer: timer))
        if idle.count > Self.most {
            let oldest = idle.removeFirst()
            oldest.timer.cancel()
            discard(oldest.handle)
        }
        completion()
    }

    /// Closes a PCM, and calls `completion` when it is closed.
    func discard(_ handle: PCMHandle, _ completion: @escaping @Sendable () -> Void = {}) {
        discarded += 1
        opener.close(PCMHandle.subject(handle.request.name), { handle.close() }) { [loop] in loop.execute(completion) }
    }

    /// Closes the idle PCMs, and calls `completion` once they are closed.
    func release(_ completion: @escaping @Sendable () -> Void) {
        closeIdle()
        // A PCM that is being opened for a sound that has ended comes back before the thread runs this.
        opener.whenDone { [self] in
            loop.execute { [self] in
                closeIdle()
                opener.whenDone(completion)
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

    /// Closes the idle PCMs. PCMs given back from now on are closed too.
    func close() {
        isClosed = true
        closeIdle()
    }
}
