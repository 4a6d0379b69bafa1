import CLinux
import CPCMProtocol
import Glibc
import RingerCore

/// One PCM of a program: a connection of the plug-in. It runs on the streams' loop, and owns its descriptor.
// SAFETY: all state is used on the listening loop's thread, which makes it, and then on that of the streams' loop alone.
final class PCMStream: @unchecked Sendable {
    let descriptor: CInt
    /// The process that connected; 0 where it is not known.
    var process: pid_t = 0
    /// Whose it is, for the budget: the process, or the connection alone where that is not known, and the program that it is
    /// for.
    var program = ""
    /// The same without the program, whose number is the process's own word: for the pace.
    var pacer = ""
    /// So many packets count as one of the pace.
    var packetsAtOnce = 1
    /// Who pays for its place.
    var payer: Budget.Payer?
    /// Its place among the connections, and its program's part of them.
    var share: BudgetShare?
    var programShare: BudgetShare?
    var watched: EventLoop.WatchedDescriptor?
    /// Ends its connection if it does not greet, and later ends a pause in which it is not read. It is cancelled when the
    /// connection is closed, and keeps the stream until then.
    var timer: (any DeviceTimer)?
    /// Whether it has named its category.
    var isGreeted = false
    /// The session of its category; nil before that, and for a stream of the service's own sounds.
    var session: PCMSession?
    /// The flags with which it is accepted once it has started, if it runs already; else nil.
    var flagsAtStart: Int?
    /// Whether it plays or records now.
    var isStarted = false {
        // A plug-in that starts anew has forgotten these.
        didSet {
            told?.since = 0
            told?.isOver = false
        }
    }
    /// Called when it has left its session.
    var forget: () -> Void = {}
    private var told: PCMSession.State?
    private var isOpen = true

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close()
    }

    /// Whether the program has closed its end. Source: poll(2), POLLHUP.
    var hasLeft: Bool {
        var descriptor = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLHUP) != 0
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        watched?.cancel()
        timer.take()?.cancel()
        // A process that is being started by another thread has a copy of the descriptor until it runs its program.
        shutdown(descriptor, CInt(SHUT_RDWR))
        Glibc.close(descriptor)
    }

    /// Informs the plug-in of a state that it does not know.
    ///
    /// - Returns: Whether it could be sent. A program that was stopped for long enough does not read.
    func tell(_ state: PCMSession.State) -> Bool {
        if own(state) == told || flagsAtStart != nil { return true }
        return say(RINGER_PCM_STATE, state)
    }

    /// Informs the plug-in of its state, and of what the service can do.
    func accept(_ state: PCMSession.State, flags: Int) {
        _ = say(RINGER_PCM_ACCEPTED, state, flags: flags)
    }

    /// Informs the plug-in, which asked, of the state once more.
    func answer() {
        if isOpen, let state = told { _ = say(RINGER_PCM_STATE, state) }
    }

    /// The session's state as the stream's: the session's age and end are nothing to one that does not run, and may not read.
    private func own(_ state: PCMSession.State) -> PCMSession.State {
        isStarted ? state : PCMSession.State(value: state.value, gain: state.gain, level: state.level)
    }

    /// How long the gain takes to become that of `state`: as the user chose, where others begin or end to duck it.
    private func ramp(to state: PCMSession.State) -> Duration {
        guard let told, let session, told.level != state.level, (told.level < state.level) == (told.gain < state.gain)
        else { return SoundPlayer.gainRamp }
        return session.duckingRamp(from: told.level, to: state.level)
    }

    private func say(_ kind: Int, _ session: PCMSession.State, flags: Int = 0) -> Bool {
        let state = own(session)
        let ramp = ramp(to: state)
        told = state
        var packet = PCMPacket(
            kind: kind, value: state.value, flags: flags | (state.isOver ? RINGER_PCM_OVER : 0), gain: state.gain,
            ramp: ramp)
        packet.packet.since = state.since
        return send(packet)
    }

    /// Tells the plug-in why the connection ends.
    func refuse(_ refusal: PCMPacket.Refusal) {
        // It is closed next, whether or not this arrives.
        _ = send(PCMPacket(refusal))
    }

    private func send(_ packet: PCMPacket) -> Bool {
        withUnsafeBytes(of: packet.packet) { ringer_send(descriptor, $0.baseAddress, $0.count) == $0.count }
    }
}

/// The session of a process's streams of one category. It runs on the streams' loop.
final class PCMSession {
    /// What the plug-in does with the sound.
    struct State: Equatable {
        var value: Int
        var gain: Float = 0
        /// The factor in it by which others duck the session.
        var level: Float = 1
        /// When the session was activated, in nanoseconds of CLOCK_MONOTONIC; 0 where it is inactive.
        var since: UInt64 = 0
        /// Whether an interruption of its streams, which run, ended without leave to resume.
        var isOver = false
    }

    var streams: [PCMStream] = []
    private let session: AudioSession
    private var isStarted = false
    /// The session was refused, beside one of a higher priority or during a call, and is activated as soon as it can be.
    private var waits = false
    /// When its stream started that has run without this service; nil for one that started with it.
    private var since: UInt64?

    init(_ session: AudioSession) {
        self.session = session
    }

    /// A stream started: activates the session where none was started, or where an interruption ended without leave to resume.
    ///
    /// - Parameter time: When the stream started, if it has run without this service; the first of several counts.
    func streamStarted(since time: UInt64?) {
        let goesOn = isStarted && (waits || session.state?.phase != .inactive)
        if goesOn && time == nil { return }
        isStarted = true
        since = time.map { goesOn ? min(since ?? $0, $0) : $0 }
        waits = session.beginStream(since: since) != nil
    }

    /// A stream stopped or left: deactivates the session after the last one.
    func streamStopped() {
        guard isStarted, !streams.contains(where: \.isStarted) else { return }
        (isStarted, waits) = (false, false)
        session.endStreams()
    }

    /// Activates a session that waits, once it can be. One that has resumed counts as playing again.
    func settle() {
        if isStarted, !waits { return session.streamsGoOn() }
        guard waits, !session.isActive else { return }
        switch session.audibility(activating: true) {
        // What records is not heard, and can be active all the same.
        case .heard, .silenced(.categoryDoesNotPlay): waits = session.beginStream(since: since) != nil
        case .silenced: break
        }
    }

    /// How long a change of the level of ducking takes.
    func duckingRamp(from old: Float, to new: Float) -> Duration { session.duckingRamp(from: old, to: new) }

    /// The current state; that of a session without a running stream is the one that the first stream will find.
    var state: State {
        let session = session.state
        let isInactive = session?.phase == .inactive
        var state = State(
            value: RINGER_PCM_SILENCED, since: isInactive ? 0 : session?.activation ?? 0,
            isOver: isStarted && !waits && isInactive)
        switch self.session.audibility(activating: !isStarted || waits) {
        case .heard(let gain, let level):
            (state.value, state.gain, state.level) = (RINGER_PCM_HEARD, gain, level)
        // The program cannot know that it is heard again afterwards: it goes on.
        case .silenced(.interruption), .silenced(.sessionPriority), .silenced(.sessionSilencesPlayback):
            state.value = RINGER_PCM_INTERRUPTED
        case .silenced: break
        }
        return state
    }
}
