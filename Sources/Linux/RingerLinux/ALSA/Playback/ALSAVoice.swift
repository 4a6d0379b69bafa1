import CALSA
import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// One sound on one PCM: performs the actions of its ``PlaybackMachine``, and obeys the sound's gate.
///
/// It looks at the gate before each step that could be heard, and at least once a period while something is.
// SAFETY: the variables are used on the sound thread only; `stop` and `setGain` hand over to it.
final class ALSAVoice: Playback, @unchecked Sendable {
    private var machine: PlaybackMachine
    private var actions: [PlaybackMachine.Action] = []
    private var isAtWork = false
    private var handle: PCMHandle?
    private var timers: [PlaybackMachine.Timer: any DeviceTimer] = [:]
    private var watched: [EventLoop.WatchedDescriptor] = []
    /// The PCM's descriptors, in alsa-lib's order, while they are watched.
    private var descriptors: [pollfd] = []
    private var scratch: [Int16] = []
    private var isMeasured = false
    /// The gain that the sound was given last.
    private var gain: Float
    /// The next look at the gate, where no descriptor is watched that leads to one in each period.
    private var nextLook: (any DeviceTimer)?
    private var handler: (@Sendable (PlaybackEvent) -> Void)?
    /// Whether the card was asked to be switched for the sound.
    var hasSelected = false

    let number: UInt64
    let sound: PCMBuffer
    private var manner: SoundManner
    let pcm: String
    let route: AudioRoute
    let waitsWhenBusy: Bool
    /// Whether the sound's owner times it, and has to know who judges it.
    private let isTimed: Bool
    private let thread: SoundThread
    let gate: Gate
    /// Whether nobody but ``stop()`` and ``setGain(_:over:)`` sets the gate.
    private let ownsGate: Bool
    private let isOver = Atomic<Bool>(false)

    init(
        _ number: UInt64, _ sound: PCMBuffer, _ options: PlaybackOptions, pcm: String, on thread: SoundThread,
        limits: PlaybackMachine.Limits, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) {
        machine = PlaybackMachine(
            frames: options.manner.frames(of: sound), options: options, subject: PCMHandle.subject(pcm), limits: limits)
        self.number = number
        self.sound = sound
        manner = options.manner
        self.pcm = pcm
        route = options.route
        waitsWhenBusy = options.waitsWhenBusy
        isTimed = options.reportAt != nil
        gain = options.gain
        gate = options.gate ?? Gate(gain: options.gain)
        ownsGate = options.gate == nil
        self.thread = thread
        self.handler = handler
    }

    // MARK: - Any thread

    func stop() {
        if ownsGate { gate.shut() }
        onThread { $0.look() }
    }

    func setGain(_ gain: Float, over duration: Duration) {
        onThread { voice in
            if voice.ownsGate { voice.gate.setGain(gain, over: duration) }
            voice.look()
        }
    }

    private func onThread(_ body: @escaping @Sendable (ALSAVoice) -> Void) {
        if isOver.load(ordering: .acquiring) { return }
        thread.loop.execute { [self] in
            if !isOver.load(ordering: .acquiring) { body(self) }
        }
    }

    // MARK: - The sound thread

    /// Begins to play, unless the output was closed.
    ///
    /// - Parameter isLate: The output was closed before it took the sound.
    func begin(isLate: Bool) {
        if isLate || thread.isClosed {
            let error = RingerError(.closed, "play", PCMHandle.subject(pcm))
            return endClosed(isLate ? .failed(error) : .stopped)
        }
        thread.add(self)
        look()
        send(.play(at: thread.loop.now))
    }

    /// Does what the gate demands.
    private func look() {
        guard let (level, ramp) = gate.change else { return send(.stop) }
        let rounds = gate.rounds
        if rounds > 0, rounds != manner.rounds {
            manner.rounds = rounds
            send(.end(after: manner.frames(of: sound), rounds: sound.frames))
        }
        if level == gain { return }
        gain = level
        send(.setGain(level, over: ramp))
    }

    /// Ends the sound, which has not begun, if its gate is shut.
    ///
    /// - Returns: Whether it is shut.
    func endsIfShut() -> Bool {
        if gate.isOpen { return false }
        send(.stop)
        return true
    }

    /// Looks at the gate after a period from now, if the stream runs and nothing else leads to a look.
    private func lookLater() {
        nextLook?.cancel()
        nextLook = nil
        guard let handle, watched.isEmpty else { return }
        nextLook = thread.loop.schedule(at: thread.loop.now + handle.format.period) { [weak self] in
            self?.look()
            self?.lookLater()
        }
    }

    private func endClosed(_ end: PlaybackEnd) {
        isOver.store(true, ordering: .releasing)
        guard let handler = handler.take() else { return }
        handler(.ended(end, at: .now, StreamPosition(played: 0, total: manner.frames(of: sound))))
    }

    /// Whether the sound was stopped and is not over.
    var isStopping: Bool { machine.isStopping || !gate.isOpen }

    /// Ends the sound before it returns, on the sound thread.
    func stopAtOnce() {
        send(.stopAtOnce)
    }

    private func send(_ event: PlaybackMachine.Event) {
        actions.append(contentsOf: machine.handle(event))
        // Answers to an action and calls from handlers are queued while an event is being handled.
        if isAtWork { return }
        isAtWork = true
        defer { isAtWork = false }
        while !actions.isEmpty { perform(actions.removeFirst()) }
    }

    private func perform(_ action: PlaybackMachine.Action) {
        switch action {
        case .open: thread.openPCM(for: self)
        case .write(let frames, let ramp): write(frames, ramp)
        case .pad(let frames): pad(frames)
        case .start:
            guard gate.begin() else { return send(.stop) }
            ask { pcm throws(RingerError) in
                try pcm.start()
                return .started(at: .now)
            }
            // The thread may have been held up after it began.
            if !gate.isOpen { send(.stop) }
            lookLater()
        case .readPosition:
            let before = MonotonicTime.now
            ask { pcm throws(RingerError) in .position(delay: try pcm.delay(), before: before, at: .now) }
            if let handle, !isMeasured {
                isMeasured = true
                thread.reports.measure(handle)
            }
        case .rewind(let frames): send(.rewound(handle?.rewind(keeping: frames) ?? 0))
        case .watch: watch()
        case .unwatch: unwatch()
        case .schedule(let timer, let deadline): schedule(timer, deadline)
        case .prepare:
            ask { pcm throws(RingerError) in
                try pcm.prepare()
                return .prepared
            }
        case .resume:
            ask { pcm throws(RingerError) in .resumption(try pcm.resume(), at: .now) }
        case .tell(.progress(let position, let now)): handler?(.progress(judged(position), at: now))
        case .tell(let event): handler?(event)
        case .end(let end, let now, let position, let isReusable):
            finish(end, at: now, position, isReusable: isReusable)
        }
    }

    /// Calls the PCM, and sends the answer or the error to the machine.
    private func ask(_ body: (PCMHandle) throws(RingerError) -> PlaybackMachine.Event) {
        guard let handle else { return }
        do throws(RingerError) {
            send(try body(handle))
        } catch {
            let now = MonotonicTime.now
            send(.failed(error, left: handle.framesLeftAtStop(), at: now))
        }
    }

    /// The voice's PCM is open.
    func opened(_ handle: PCMHandle) {
        // The sound may have been stopped meanwhile.
        if isOver.load(ordering: .acquiring) { return thread.giveBack(unused: handle) }
        self.handle = handle
        look()
        send(.opened(handle.format, isMixed: handle.isMixed, isCoarse: handle.isCoarse))
    }

    /// The voice's PCM cannot be opened.
    func failed(_ error: RingerError) {
        send(.failed(error, left: nil, at: .now))
    }

    /// The voice's PCM is busy; the voice waits for it.
    func waits(for error: RingerError) {
        handler?(.waiting(error, at: .now))
    }

    // MARK: - Writing

    private func write(_ frames: Range<Int64>, _ ramp: GainRamp) {
        guard gate.isOpen else { return send(.stop) }
        ask { pcm throws(RingerError) in
            let first = sound.frames > 0 ? Int((Int64(manner.first) + frames.lowerBound) % Int64(sound.frames)) : 0
            if ramp.isUnity(from: frames.lowerBound), first + frames.count <= sound.frames {
                return .wrote(try Self.write(sound.samples, from: first * sound.channels, frames.count, to: pcm))
            }
            ramp.apply(to: sound, from: first, frames: frames, into: &scratch)
            return .wrote(try Self.write(scratch, from: 0, frames.count, to: pcm))
        }
    }

    private func pad(_ frames: Int) {
        ask { pcm throws(RingerError) in
            scratch.removeAll(keepingCapacity: true)
            scratch.append(contentsOf: repeatElement(0, count: frames * sound.channels))
            return .wrote(try Self.write(scratch, from: 0, frames, to: pcm))
        }
    }

    private static func write(
        _ samples: [Int16], from first: Int, _ frames: Int, to pcm: PCMHandle
    ) throws(RingerError) -> Int {
        if frames == 0 { return 0 }
        precondition(
            first >= 0 && first + frames * pcm.format.channels <= samples.count, "frames that the sound does not have")
        // SAFETY: the pointer is used within the call, and the frames lie within the samples, as checked above.
        return try samples.withUnsafeBufferPointer { buffer throws(RingerError) in
            guard let start = buffer.baseAddress else { return 0 }
            return try pcm.write(start + first, frames: frames)
        }
    }

    // MARK: - Waiting

    private func watch() {
        guard watched.isEmpty, let handle else { return }
        defer { lookLater() }
        descriptors = handle.pollDescriptors()
        for (index, descriptor) in descriptors.enumerated() {
            watched.append(
                thread.loop.watch(descriptor.fd, for: descriptor.events) { [weak self] ready in
                    self?.isReady(index, ready)
                })
        }
    }

    private func isReady(_ index: Int, _ ready: Int16) {
        look()
        guard let handle, !watched.isEmpty else { return }
        descriptors[index].revents = ready
        // A plug-in with several descriptors needs the state of all of them at one moment.
        if descriptors.count > 1 { poll(&descriptors, nfds_t(descriptors.count), 0) }
        do throws(RingerError) {
            let failures = Int16(POLLERR | POLLHUP | POLLNVAL)
            if try handle.meaning(of: descriptors) != 0 || ready & failures != 0 { send(.ready) }
        } catch {
            // Reading the position, or the next write, returns the error.
            send(.ready)
        }
    }

    private func unwatch() {
        for descriptor in watched { descriptor.cancel() }
        watched = []
        descriptors = []
        lookLater()
    }

    private func schedule(_ timer: PlaybackMachine.Timer, _ deadline: MonotonicTime) {
        timers[timer]?.cancel()
        timers[timer] = thread.loop.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            timers[timer] = nil
            look()
            send(.due(timer, at: .now))
        }
    }

    private func judged(_ position: StreamPosition) -> StreamPosition {
        guard isTimed, let handle else { return position }
        var position = position
        position.judgement = handle.judgement
        return position
    }

    // MARK: - The end

    private func finish(_ end: PlaybackEnd, at time: MonotonicTime?, _ position: StreamPosition, isReusable: Bool) {
        unwatch()
        for timer in timers.values { timer.cancel() }
        timers = [:]
        isOver.store(true, ordering: .releasing)
        if case .failed(let error) = end { thread.failed(error, of: pcm) }
        let position = judged(position)
        guard let handle = handle.take() else {
            over(end, at: time ?? .now, position)
            return thread.endedUnopened()
        }
        lookLater()
        var isReusable = isReusable
        do throws(RingerError) {
            try handle.drop()
        } catch {
            // A stream that cannot be stopped is closed, which stops it. The outcome of its sound is known already.
            isReusable = false
        }
        let now = time ?? .now
        thread.giveBack(handle, isReusable: isReusable) { [self] in over(end, at: now, position) }
    }

    private func over(_ end: PlaybackEnd, at time: MonotonicTime, _ position: StreamPosition) {
        thread.remove(self)
        handler.take()?(.ended(end, at: time, position))
    }
}
