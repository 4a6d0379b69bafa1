import CALSA
import RingerServices
import Synchronization
import SystemPackage

/// The thread on which all sounds of an output are written, with the PCMs that are open on it.
///
/// A PCM whose sound is over stays open for a while, stopped, so that the next sound of its format starts at once.
// SAFETY: `idle`, `playing`, `watched`, `formats` and `news` are used on the loop's thread alone, and after it ended by
// `shutDown`'s caller alone: whatever may run later looks at `isClosed` first.
final class SoundThread: @unchecked Sendable {
    private var idle: [IdlePCM] = []
    private var playing: [ALSAVoice] = []
    private var watched: WatchedOutput?
    private var formats = GrantedFormats()
    private var news: [SoundPortFormat] = []

    let loop: EventLoop
    private let linger: Duration
    private let closed = Atomic<Bool>(false)
    private let granted = Mutex<HardwareFormat?>(nil)
    private let follower = Mutex<(@Sendable (SoundPortFormat) -> Void)?>(nil)

    /// The PCM whose loss is told.
    private struct WatchedOutput {
        var name: String
        var handler: @Sendable (Bool) -> Void
        var loss = OutputLoss()
        /// What it granted last: it is looked for in that format.
        var format: HardwareFormat?
    }

    private struct IdlePCM {
        var handle: PCMHandle
        var timer: any DeviceTimer
    }

    init(realTimePriority: Int?, linger: Duration) throws(RingerError) {
        loop = try EventLoop(name: "ringer-sound", realTimePriority: realTimePriority)
        self.linger = linger
    }

    /// Whether ``shutDown()`` was called: nothing is opened any more.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// What was granted last.
    var lastGrant: HardwareFormat? { granted.withLock { $0 } }

    /// Keeps `voice` while it plays.
    func add(_ voice: ALSAVoice) {
        playing.append(voice)
    }

    /// Lets `voice` go.
    func remove(_ voice: ALSAVoice) {
        playing.removeAll { $0 === voice }
    }

    /// What `name` grants, which is open afterwards.
    func grant(_ name: String, sampleRate: Double, channels: Int) throws(RingerError) -> HardwareFormat {
        let result = Mutex<Result<HardwareFormat, RingerError>>(
            .failure(RingerError(.closed, "open", PCMHandle.subject(name))))
        loop.sync { [self] in
            if isClosed { return }
            do throws(RingerError) {
                let handle = try open(name, sampleRate: sampleRate, channels: channels)
                try handle.drop()
                giveBack(handle)
                result.withLock { $0 = .success(handle.format) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        return try result.withLock { $0 }.get()
    }

    /// A prepared PCM: one that is open already, or a new one.
    func open(_ name: String, sampleRate: Double, channels: Int) throws(RingerError) -> PCMHandle {
        do throws(RingerError) {
            let handle = try openQuietly(name, sampleRate: sampleRate, channels: channels)
            noteOpened(handle)
            if let format = formats.opened(name, handle.hardware) { tellSoon(format) }
            return handle
        } catch {
            note(error, of: name)
            throw error
        }
    }

    private func openQuietly(_ name: String, sampleRate: Double, channels: Int) throws(RingerError) -> PCMHandle {
        if isClosed { throw RingerError(.closed, "open", PCMHandle.subject(name)) }
        // Anything that a device could be asked for; it says itself what it cannot do.
        guard sampleRate >= 1, sampleRate <= 1_000_000, (1...256).contains(channels) else {
            throw RingerError(.unsupported, "play \(channels) channels at \(sampleRate) Hz", PCMHandle.subject(name))
        }
        let sampleRate = Int(sampleRate.rounded())
        if let handle = takeIdle(name, sampleRate: sampleRate, channels: channels) {
            do throws(RingerError) {
                try handle.prepare()
                return handle
            } catch {
                // It went bad while nobody used it; whether the device is there, opening it again tells.
            }
        }
        let handle = try openNew(name, sampleRate: sampleRate, channels: channels)
        granted.withLock { $0 = handle.format }
        try handle.prepare()
        return handle
    }

    private func openNew(_ name: String, sampleRate: Int, channels: Int) throws(RingerError) -> PCMHandle {
        // The first call loads alsa-lib: a firmware that plays nothing does without.
        ALSAMessages.keepOnThisThread()
        let preferences = formats.preferences
        do throws(RingerError) {
            return try PCMHandle(name: name, sampleRate: sampleRate, channels: channels, preferences)
        } catch {
            // What holds the device may be a PCM of our own, idle, in another format or by another name.
            guard error.code == .busy, !idle.isEmpty else { throw error }
            closeIdle()
            return try PCMHandle(name: name, sampleRate: sampleRate, channels: channels, preferences)
        }
    }

    /// Takes back a PCM that is stopped.
    func giveBack(_ handle: PCMHandle) {
        if isClosed || linger <= .zero { return }
        let timer = loop.schedule(at: loop.now + linger) { [weak self, id = ObjectIdentifier(handle)] in
            self?.idle.removeAll { ObjectIdentifier($0.handle) == id }
        }
        idle.append(IdlePCM(handle: handle, timer: timer))
    }

    private func takeIdle(_ name: String, sampleRate: Int, channels: Int) -> PCMHandle? {
        let index = idle.lastIndex {
            $0.handle.name == name && $0.handle.format.sampleRate == sampleRate
                && $0.handle.format.channels == channels && $0.handle.preferences == formats.preferences
        }
        guard let index else { return nil }
        let pcm = idle.remove(at: index)
        pcm.timer.cancel()
        return pcm.handle
    }

    private func closeIdle() {
        for pcm in idle { pcm.timer.cancel() }
        idle = []
    }

    // MARK: - What is granted

    /// Tells `handler` from now on what the hardware is granted, and first what it was granted last.
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {
        follower.withLock { $0 = handler }
        // A thread that nobody uses is not woken.
        guard lastGrant != nil else { return }
        loop.execute { [self] in
            if !isClosed, let told = formats.told { handler(told) }
        }
    }

    /// Has what is opened from now on be as near to `preferences` as the hardware comes.
    func prefer(_ preferences: SessionPreferences) {
        loop.execute { [self] in if !isClosed { formats.prefer(preferences) } }
    }

    /// Finds out what the PCM `name` grants, and tells it before `completion` is called.
    func ask(_ name: String, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        loop.execute { [self] in
            if isClosed { return completion(RingerError(.closed, "open", PCMHandle.subject(name))) }
            let error = find(name)
            tellNews()
            completion(error)
        }
    }

    private func find(_ name: String) -> RingerError? {
        if formats.isKnown(name) {
            if let format = formats.movedTo(name) { news.append(format) }
            return nil
        }
        // What plays keeps its format; what is opened after it tells the new one.
        if playing.contains(where: { $0.pcm == name }) { return nil }
        let rate = formats.preferences.sampleRate
        do throws(RingerError) {
            // It is closed at once.
            let handle = try openNew(
                name, sampleRate: rate >= 1 && rate <= 1_000_000 ? Int(rate.rounded()) : 48_000, channels: 2)
            noteOpened(handle)
            if let format = formats.opened(name, handle.hardware) { news.append(format) }
            return nil
        } catch {
            note(error, of: name)
            return error
        }
    }

    /// Measures what lies beyond the buffer of `handle`, which runs, unless it is known.
    func measure(_ handle: PCMHandle) {
        guard !formats.isMeasured(handle.hardware), let delay = handle.delayBeyondBuffer() else { return }
        if let format = formats.measured(delay, handle.hardware) { tellSoon(format) }
    }

    /// Tells when what is being done is done: a sound that begins does not wait for who listens.
    private func tellSoon(_ format: SoundPortFormat) {
        news.append(format)
        loop.execute { [self] in if !isClosed { tellNews() } }
    }

    private func tellNews() {
        while !news.isEmpty {
            let format = news.removeFirst()
            follower.withLock { $0 }?(format)
        }
    }

    // MARK: - Loss

    /// Tells `handler` whether the PCM `name` is lost, from now on and on the sound thread.
    func watchLoss(of name: String, _ handler: @escaping @Sendable (Bool) -> Void) {
        loop.sync { [self] in
            if isClosed { return }
            watched = WatchedOutput(name: name, handler: handler)
            handler(false)
        }
    }

    /// Ends telling; a call of the handler that is under way ends first, unless this is it.
    func unwatchLoss() {
        loop.sync { [self] in if !isClosed { watched = nil } }
    }

    /// Ends telling soon.
    func unwatchLossSoon() {
        loop.execute { [self] in if !isClosed { watched = nil } }
    }

    /// Takes in that a sound, or opening its PCM `name`, failed.
    func note(_ error: RingerError, of name: String) {
        // What comes back in its place may grant something else.
        if error.code == .disconnected || error.code == .notFound { formats.forget(name) }
        guard var output = watched, output.name == name else { return }
        let isNews = output.loss.failed(error)
        watched = output
        if isNews { output.handler(true) }
    }

    private func noteOpened(_ handle: PCMHandle) {
        guard var output = watched, output.name == handle.name else { return }
        let isNews = output.loss.opened()
        output.format = handle.format
        watched = output
        if isNews { output.handler(false) }
    }

    /// Looks soon whether the PCM that was lost can be opened again. It is closed at once.
    func lookForLost() {
        loop.execute { [self] in
            guard !isClosed, let output = watched, output.loss.isLost, let format = output.format else { return }
            // Where it cannot, it is lost as it was.
            _ = try? open(output.name, sampleRate: Double(format.sampleRate), channels: format.channels)
        }
    }

    // MARK: - The end

    /// Stops every sound, closes every PCM and ends the thread. A second call does nothing.
    func shutDown() {
        guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.sync { [self] in
            for voice in playing { voice.stopNow() }
            closeIdle()
        }
        follower.withLock { $0 = nil }
        loop.close()
    }
}
