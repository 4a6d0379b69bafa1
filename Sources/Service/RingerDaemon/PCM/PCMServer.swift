import CLinux
import CPCMProtocol
import Glibc
import RingerCore
import RingerBus
import Synchronization
import SystemPackage

/// Serves the ALSA plug-in `ringer`: the streams of programs that play by themselves are sessions of the device.
///
/// The streams of a process that have the same category and options share a session, so that a program that plays and
/// records does not interrupt itself. The session is active while one of them runs. A process that connects for others, as
/// `ringer-pipewire`, numbers their programs, and each number counts as a process.
///
/// Two event loops serve it. Strangers reach the listening one alone, where connections are admitted or refused. Those that may
/// play are served on the streams' loop, which may have a real-time priority: nothing there waits, and what a program can make
/// it do is bounded, by how often its packets are read and how often all states are looked at.
// SAFETY: `listener`, `watched` and `isStopped` are used on the listening loop's thread alone, `streams`, `sessions`,
// `paces`, `takesStreams` and `nextUpdate` on that of the streams' loop; the atomics on any.
package final class PCMServer: @unchecked Sendable {
    /// Where the plug-in looks for the service.
    package static let standardPath = RINGER_PCM_SOCKET
    package static let standardDirectory = "/run/ringer"
    /// How long no connection is taken when the system has no descriptor left.
    private static let pause = Duration.milliseconds(250)
    /// The most connections that are taken in a row.
    private static let connectionsPerTurn = 32
    /// How long a connection may take to greet.
    private static let greetingTime = Duration.seconds(2)
    /// How long it takes until the socket is tried again, at first and at most.
    private static let (firstRetry, lastRetry) = (Duration.seconds(1), Duration.seconds(60))
    /// The least time between two looks at all states.
    private static let updateInterval = Duration.milliseconds(5)

    private struct SessionKey: Hashable {
        var process: pid_t
        /// The connection, where the process is not known: one of another container.
        var connection: CInt
        /// The number of the program that the process connects for.
        var program: UInt32?
        var category: AudioCategory
        var options: CategoryOptions
    }

    private let device: Device
    private let listeningLoop: EventLoop
    private let loop: EventLoop
    private let path: String
    private let authorization: Authorization
    private let budget: ServiceBudget
    private let ownProcess: pid_t
    private var listener: CInt = -1
    private var watched: EventLoop.WatchedDescriptor?
    private var streams: [CInt: PCMStream] = [:]
    private var sessions: [SessionKey: PCMSession] = [:]
    /// How often the packets of each program are read.
    private var paces: [String: PCMPace] = [:]
    private var isStopped = false
    private var takesStreams = true
    private var nextUpdate = MonotonicTime(nanoseconds: 0)
    private let isUpdateDue = Atomic(false)

    /// A server of `device` at `path` for those who may play.
    ///
    /// - Parameters:
    ///   - loop: The listening loop.
    ///   - streamLoop: The streams' loop; nil for the same one.
    ///   - budget: How much programs may have at once.
    ///   - ownProcess: The service's process: where the plug-in is the default PCM, the device's own sounds come here too, and
    ///     were decided already.
    package init(
        _ device: Device, loop: EventLoop, streamLoop: EventLoop? = nil, path: String, authorization: Authorization,
        budget: ServiceBudget, ownProcess: pid_t = getpid()
    ) {
        self.budget = budget
        self.ownProcess = ownProcess
        self.device = device
        (listeningLoop, self.loop) = (loop, streamLoop ?? loop)
        self.path = path
        self.authorization = authorization
    }

    /// Begins to listen. Called on the listening loop's thread.
    ///
    /// - Throws: ``RingerError`` where the socket cannot be made: its directory is missing, or another process listens there.
    package func start() throws(RingerError) {
        // systemd makes it; a service that is started by hand makes it itself.
        if path == Self.standardPath { mkdir(Self.standardDirectory, 0o755) }
        listener = ringer_listen(path)
        guard listener >= 0 else { throw RingerError("listen for PCMs", path, Errno(rawValue: errno)) }
        watch()
        device.sessions.observeSettling { [weak self] in self?.updateSoon() }
    }

    /// Begins to listen as soon as it can: it tries again after 1 s, then ever more rarely, up to every 60 s. Called on the
    /// listening loop's thread.
    ///
    /// - Parameter report: Called with the first failure, before this returns.
    package func startWhenPossible(_ report: (RingerError) -> Void) {
        do throws(RingerError) {
            try start()
        } catch {
            report(error)
            retry(after: Self.firstRetry)
        }
    }

    private func retry(after pause: Duration) {
        _ = device.clock.schedule(at: device.clock.now + pause) { [weak self, listeningLoop] in
            listeningLoop.execute { [weak self] in
                guard let self, !isStopped else { return }
                do throws(RingerError) {
                    try start()
                } catch {
                    retry(after: min(pause * 2, Self.lastRetry))
                }
            }
        }
    }

    /// Ends every connection and removes the socket. Called on the listening loop's thread.
    package func stop() {
        isStopped = true
        guard listener >= 0 else { return }
        watched?.cancel()
        close(listener)
        listener = -1
        unlink(path)
        loop.sync { [self] in
            takesStreams = false
            for stream in streams.values { end(stream) }
        }
    }

    // MARK: - Connections

    private func watch() {
        watched = listeningLoop.watch(listener, for: Int16(POLLIN)) { [unowned self] _ in
            // Those of others are not kept waiting by a program that connects again and again.
            for _ in 0..<Self.connectionsPerTurn where !accept() { return }
        }
    }

    /// Takes the next connection over, or refuses it; returns whether there was one.
    private func accept() -> Bool {
        let descriptor = ringer_accept(listener)
        guard descriptor >= 0 else {
            // A connection that its program gave up.
            if [EAGAIN, EINTR, ECONNABORTED].contains(errno) { return false }
            // No descriptor or memory left: the connection stays, and the listener readable.
            watched?.cancel()
            _ = listeningLoop.schedule(at: listeningLoop.now + Self.pause) { [weak self] in
                if let self, listener >= 0 { watch() }
            }
            return false
        }
        let stream = PCMStream(descriptor)
        // Those that its user's programs have left already do not take places from this one.
        if stream.hasLeft { return true }
        do throws(PCMPacket.Refusal) {
            try admit(stream)
        } catch {
            stream.refuse(error)
            return true
        }
        loop.execute { [self] in add(stream) }
        return true
    }

    /// Notes which process has connected, if it may play, and takes a place among the connections.
    private func admit(_ stream: PCMStream) throws(PCMPacket.Refusal) {
        // Nobody's, where the kernel does not say.
        var (process, user, group): (pid_t, uid_t, gid_t) = (0, .max, .max)
        var groups = [gid_t](repeating: 0, count: 1024)
        let count = ringer_peer(stream.descriptor, &process, &user, &group, &groups, CInt(groups.count))
        let known = count < 0 ? [] : groups[..<Int(count)]
        let credentials = Authorization.Credentials(user: user, groups: Set(known).union([group]))
        guard authorization.allows(credentials, .play) else { throw .notPermitted }
        stream.process = process
        stream.program = process == 0 ? "connection \(stream.descriptor)" : "process \(process)"
        stream.pacer = stream.program
        // To which program it counts, its greeting says.
        var payer = Budget.Payer(
            user: user, connection: stream.program, permission: authorization.highest(of: credentials))
        payer.part = .others
        stream.payer = payer
        stream.share = try share(for: payer)
    }

    private func share(for payer: Budget.Payer) throws(PCMPacket.Refusal) -> BudgetShare {
        do throws(BusError) {
            return try budget.share(.pcms, for: payer)
        } catch {
            throw .tooMany(error.message)
        }
    }

    // MARK: - Streams

    private func add(_ stream: PCMStream) {
        guard takesStreams else { return }
        streams[stream.descriptor] = stream
        watch(stream)
        stream.timer = loop.schedule(at: loop.now + Self.greetingTime) { [unowned self] in end(stream) }
    }

    private func watch(_ stream: PCMStream) {
        let descriptor = stream.descriptor
        stream.watched = loop.watch(descriptor, for: Int16(POLLIN)) { [unowned self] _ in read(descriptor) }
    }

    /// Reads one packet; the loop calls again for the next one, after others. Those of a program that floods wait in its socket.
    private func read(_ descriptor: CInt) {
        guard let stream = streams[descriptor] else { return }
        var packet = ringer_pcm_packet()
        let size = ringer_receive(descriptor, &packet, PCMPacket.size)
        if size < 0, [EAGAIN, EINTR].contains(errno) { return }
        guard size == PCMPacket.size else { return end(stream) }
        do throws(PCMPacket.Refusal) {
            try take(PCMPacket(packet), of: stream)
        } catch {
            stream.refuse(error)
            return end(stream)
        }
        let next = paces[stream.pacer, default: PCMPace()].take(stream.packetsAtOnce, at: loop.now)
        if next > loop.now {
            stream.watched?.cancel()
            stream.timer = loop.schedule(at: next) { [unowned self] in watch(stream) }
        }
    }

    private func take(_ packet: PCMPacket, of stream: PCMStream) throws(PCMPacket.Refusal) {
        guard stream.isGreeted else {
            try greet(stream, packet.hello())
            return
        }
        guard packet.packet.version == RINGER_PCM_VERSION else { throw .version }
        switch packet.kind {
        case RINGER_PCM_PING:
            // A device whose thread hangs would not notice the switch either.
            device.sessions.core.perform { [loop] in loop.execute { stream.answer() } }
            return
        case RINGER_PCM_STARTED, RINGER_PCM_STOPPED: stream.isStarted = packet.kind == RINGER_PCM_STARTED
        default: throw .version
        }
        guard let session = stream.session else { return }
        if stream.isStarted { session.streamStarted(since: packet.since) } else { session.streamStopped() }
        if let flags = stream.flagsAtStart.take() { stream.accept(session.state, flags: flags) }
        updateSoon()
    }

    private func greet(_ stream: PCMStream, _ hello: PCMPacket.Hello) throws(PCMPacket.Refusal) {
        stream.isGreeted = true
        stream.timer?.cancel()
        if let program = hello.program {
            stream.program += ", program \(program)"
            stream.packetsAtOnce = PCMPace.packetsOfOthers
        }
        if var payer = stream.payer {
            (payer.connection, payer.part) = (stream.program, .connection)
            stream.programShare = try share(for: payer)
        }
        if stream.process == ownProcess {
            return stream.accept(PCMSession.State(value: RINGER_PCM_HEARD, gain: 1), flags: 0)
        }
        var (category, options) = (hello.category, hello.options)
        if hello.isCapture && !category.records {
            // It counts as recording, and silences nobody, the program's own playback included.
            (category, options) = (.playAndRecord, .mixWithOthers)
        }
        let key = SessionKey(
            process: stream.process, connection: stream.process == 0 ? stream.descriptor : 0, program: hello.program,
            category: category, options: options)
        let session: PCMSession
        if let known = sessions[key] {
            session = known
        } else {
            do {
                let name = hello.name.isEmpty ? "process \(stream.process)" : hello.name
                session = PCMSession(try device.sessions.make(name: name, category: category, options: options))
            } catch {
                throw .category
            }
            sessions[key] = session
        }
        session.streams.append(stream)
        stream.session = session
        stream.forget = { [unowned self] in
            if session.streams.isEmpty { sessions[key] = nil }
        }
        if hello.runs { stream.flagsAtStart = hello.flags } else { stream.accept(session.state, flags: hello.flags) }
    }

    private func end(_ stream: PCMStream) {
        guard streams.removeValue(forKey: stream.descriptor) != nil else { return }
        // A program that connects anew goes on at its pace.
        paces = paces.filter { !$0.value.isWhole(at: loop.now) }
        // Whoever sees the connection closed may connect again.
        (stream.share, stream.programShare) = (nil, nil)
        stream.close()
        guard let session = stream.session else { return }
        session.streams.removeAll { $0 === stream }
        session.streamStopped()
        stream.forget()
    }

    // MARK: - States

    /// Updates what the plug-ins know once what runs now has returned, or a little later after the last time. Called on any
    /// thread.
    private func updateSoon() {
        // In one order with the changes: an update that begins after this reads what changed before it.
        if isUpdateDue.exchange(true, ordering: .sequentiallyConsistent) { return }
        loop.execute { [self] in
            if loop.now >= nextUpdate { return update() }
            _ = loop.schedule(at: nextUpdate) { [weak self] in self?.update() }
        }
    }

    private func update() {
        isUpdateDue.store(false, ordering: .sequentiallyConsistent)
        let began = loop.now
        // Threads of lower priorities have three quarters of the time, however long a look takes.
        defer { nextUpdate = loop.now + max(Self.updateInterval, (loop.now - began) * 3) }
        for session in sessions.values { session.settle() }
        for session in sessions.values {
            let state = session.state
            for stream in session.streams where !stream.tell(state) { end(stream) }
        }
    }
}
