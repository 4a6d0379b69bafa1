import CLinux
import CPCMProtocol
import Glibc
import Ringer
import RingerHardware
import Synchronization
import SystemPackage

/// Serves the ALSA plug-in `ringer`: the streams of programs that play by themselves are sessions of the device.
///
/// The streams of a process that have the same category and options share a session, so that a program that plays and
/// records does not interrupt itself. The session is active while one of them runs.
///
/// It runs on the event loop's thread, and nothing there waits.
// SAFETY: all state but `isUpdateDue` is used on the loop's thread alone.
package final class PCMServer: @unchecked Sendable {
    /// Where the plug-in looks for the service.
    package static let standardPath = RINGER_PCM_SOCKET
    package static let standardDirectory = "/run/ringer"
    /// How many connections there may be.
    package static let limit = 64
    /// How long no connection is taken when the system has no descriptor left.
    private static let pause = Duration.milliseconds(250)
    /// How long a connection may take to greet.
    private static let greetingTime = Duration.seconds(2)
    /// How long it takes until the socket is tried again, at first and at most.
    private static let (firstRetry, lastRetry) = (Duration.seconds(1), Duration.seconds(60))

    private struct SessionKey: Hashable {
        var process: pid_t
        /// The connection, where the process is not known: one of another container.
        var connection: CInt
        var category: AudioCategory
        var options: CategoryOptions
    }

    private let device: Device
    private let loop: EventLoop
    private let path: String
    private let authorization: Authorization
    private let ownProcess: pid_t
    private var listener: CInt = -1
    private var watched: EventLoop.WatchedDescriptor?
    private var streams: [CInt: PCMStream] = [:]
    private var sessions: [SessionKey: PCMSession] = [:]
    private var isStopped = false
    private let isUpdateDue = Atomic(false)

    /// A server of `device` at `path`, on `loop`, for those who may play.
    ///
    /// - Parameter ownProcess: The service's process: where the plug-in is the default PCM, the device's own sounds come
    ///   here too, and were decided already.
    package init(
        _ device: Device, loop: EventLoop, path: String, authorization: Authorization, ownProcess: pid_t = getpid()
    ) {
        self.ownProcess = ownProcess
        self.device = device
        self.loop = loop
        self.path = path
        self.authorization = authorization
    }

    /// Begins to listen. Called on the loop's thread.
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
    /// loop's thread.
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
        _ = device.clock.schedule(at: device.clock.now + pause) { [weak self, loop] in
            loop.execute { [weak self] in
                guard let self, !isStopped else { return }
                do throws(RingerError) {
                    try start()
                } catch {
                    retry(after: min(pause * 2, Self.lastRetry))
                }
            }
        }
    }

    /// Ends every connection and removes the socket. Called on the loop's thread.
    package func stop() {
        isStopped = true
        guard listener >= 0 else { return }
        watched?.cancel()
        close(listener)
        listener = -1
        unlink(path)
        for stream in streams.values { end(stream) }
    }

    // MARK: - Connections

    private func watch() {
        watched = loop.watch(listener, for: Int16(POLLIN)) { [unowned self] _ in accept() }
    }

    private func accept() {
        let descriptor = ringer_accept(listener)
        guard descriptor >= 0 else {
            // A connection that its program gave up.
            if [EAGAIN, EINTR, ECONNABORTED].contains(errno) { return }
            // No descriptor or memory left: the connection stays, and the listener readable.
            watched?.cancel()
            _ = loop.schedule(at: loop.now + Self.pause) { [weak self] in
                if let self, listener >= 0 { watch() }
            }
            return
        }
        let stream = PCMStream(descriptor)
        do throws(PCMPacket.Refusal) {
            stream.process = try admit(descriptor)
        } catch {
            return stream.refuse(error)
        }
        streams[descriptor] = stream
        stream.watched = loop.watch(descriptor, for: Int16(POLLIN)) { [unowned self] _ in read(descriptor) }
        stream.timer = loop.schedule(at: loop.now + Self.greetingTime) { [unowned self] in
            if let stream = streams[descriptor] { end(stream) }
        }
    }

    /// The process that has connected, if it may play.
    private func admit(_ descriptor: CInt) throws(PCMPacket.Refusal) -> pid_t {
        guard streams.count < Self.limit else { throw .tooMany }
        // Nobody's, where the kernel does not say.
        var (process, user, group): (pid_t, uid_t, gid_t) = (0, .max, .max)
        var groups = [gid_t](repeating: 0, count: 1024)
        let count = ringer_peer(descriptor, &process, &user, &group, &groups, CInt(groups.count))
        let known = count < 0 ? [] : groups[..<Int(count)]
        let credentials = Authorization.Credentials(user: user, groups: Set(known).union([group]))
        guard authorization.allows(credentials, .play) else { throw .notPermitted }
        return process
    }

    /// Reads one packet; the loop calls again for the next one, after others.
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
            end(stream)
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
        case RINGER_PCM_STARTED: stream.isStarted = true
        case RINGER_PCM_STOPPED: stream.isStarted = false
        default: throw .version
        }
        stream.session?.streamsChanged()
        update()
    }

    private func greet(_ stream: PCMStream, _ hello: PCMPacket.Hello) throws(PCMPacket.Refusal) {
        stream.isGreeted = true
        stream.timer?.cancel()
        if stream.process == ownProcess {
            return stream.accept(PCMSession.State(value: RINGER_PCM_HEARD, gain: 1), flags: 0)
        }
        var (category, options) = (hello.category, hello.options)
        if hello.isCapture && !category.records {
            // It counts as recording, and silences nobody, the program's own playback included.
            (category, options) = (.playAndRecord, .mixWithOthers)
        }
        let key = SessionKey(
            process: stream.process, connection: stream.process == 0 ? stream.descriptor : 0, category: category,
            options: options)
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
        stream.accept(session.state, flags: hello.flags)
    }

    private func end(_ stream: PCMStream) {
        guard streams.removeValue(forKey: stream.descriptor) != nil else { return }
        stream.close()
        guard let session = stream.session else { return }
        session.streams.removeAll { $0 === stream }
        session.streamsChanged()
        stream.forget()
    }

    // MARK: - States

    /// Updates what the plug-ins know once what runs now has returned. Called on any thread.
    private func updateSoon() {
        // In one order with the changes: an update that begins after this reads what changed before it.
        if isUpdateDue.exchange(true, ordering: .sequentiallyConsistent) { return }
        loop.execute { [self] in
            isUpdateDue.store(false, ordering: .sequentiallyConsistent)
            update()
        }
    }

    private func update() {
        for session in sessions.values { session.settle() }
        for stream in streams.values {
            guard let session = stream.session else { continue }
            if !stream.tell(session.state) { end(stream) }
        }
    }
}
