import CRinger
import Glibc
import ProcessDevice
import Ringer
import RingerTestKit
import Synchronization

/// What `struct ringer_device` is: the device, its events, and the requests that have not ended. Any thread.
final class DeviceHandle: Sendable {
    /// What stops a request.
    private enum Running {
        /// It has not begun; whether it is stopped once it has.
        case beginning(isStopped: Bool)
        /// It ends by itself.
        case unstoppable
        case sound(SoundPlayer.ID)
        case systemSound(SystemSoundServices.Call)
        case announcement(Announcements.ID)
        case alert(RunningAlert)
        case vibration(Vibrator.ID)
    }

    private struct Request {
        var running = Running.beginning(isStopped: false)
        /// Whether the program has its number.
        var isNumbered: Bool
    }

    private struct Requests {
        var last: UInt64 = 0
        /// Those that have not ended.
        var all: [UInt64: Request] = [:]
    }

    let device: Device
    /// The simulated board, where the device is on one.
    let board: SimulatedBoard?
    let queue: EventQueue
    private let requests = Mutex(Requests())
    private let sessions: Sessions

    /// The program's sessions, whose events it gets: sounds that were started without one have their own. Any thread.
    private final class Sessions: Sendable {
        let all = Mutex<Set<SessionID>>([])
    }

    init(_ values: ConfigurationHandle.Values) throws {
        let queue = try EventQueue()
        self.queue = queue
        let sessions = Sessions()
        self.sessions = sessions
        // The queue is filled on the device's own thread: one thread less is woken until the program's is.
        var configuration = Device.Configuration()
        configuration.relay = { event in Self.take(event, queue, sessions) }
        switch try BoardChoice(values) {
        case .hardware:
            board = nil
            device = try Device.open(values.hardware, configuration: configuration)
        case .service:
            board = nil
            device = try Device.connect(configuration: configuration)
        case .simulated:
            let board = SimulatedBoard(clock: VirtualClock())
            self.board = board
            device = try Device.simulated(board, configuration: configuration)
        case .simulatedInRealTime:
            let (device, board) = try Board.openSimulated(configuration: configuration)
            (self.device, self.board) = (device, board)
        }
        queue.addState()
    }

    /// The device at `pointer`, which `ringer_device_open` made.
    static func at(_ pointer: OpaquePointer?) throws -> DeviceHandle {
        let handle: DeviceHandle = try object(pointer, "device")
        try handle.device.process.check("use it", "device")
        return handle
    }

    /// The simulated board.
    func simulated() throws -> SimulatedBoard {
        guard let board else { throw Failure(ENOTSUP, "the device is on no simulated board") }
        return board
    }

    private static func take(_ event: DeviceEvent, _ queue: EventQueue, _ sessions: Sessions) {
        func addProblem(_ sentence: String, _ time: MonotonicTime) {
            queue.addLosable(ringer_event(degraded: sentence, at: time))
        }
        switch event {
        case .switchMoved, .switchFound, .stateChanged, .routeChanged: queue.addState()
        case .key(let key, let isPressed, let at):
            var event = ringer_event()
            event.type = RINGER_EVENT_KEY
            event.at = at.nanoseconds
            event.u.key.key = key.constant
            event.u.key.is_pressed = isPressed ? 1 : 0
            queue.addLosable(event)
        case .degraded(let error, let at), .switchLost(let error, _, let at):
            addProblem("\(error)", at)
            queue.addState()
        case .switchEdgesDropped(let count, let source, let at):
            addProblem("\(source): \(count.map { "\($0) " } ?? "")edges were lost, the position was read again", at)
        case .vibration(.onFailed(let error, let at)), .vibration(.offFailed(let error, _, let at)):
            addProblem("\(error)", at)
        case .detectorDisagrees(let reading, let position, let at):
            addProblem("the switch is at \(position), and sounds are measured to be \(reading.verdict)", at)
        case .fallback(let fallback, _, let at):
            let why = fallback.error.map { "\($0)" } ?? fallback.reason.rawValue
            addProblem("another sound is played: \(why)", at)
        case .session(let change, let session, _, let at):
            guard sessions.all.withLock({ $0.contains(session) }) else { break }
            var event = ringer_event()
            event.type = RINGER_EVENT_SESSION
            event.at = at.nanoseconds
            event.u.session = ringer_session_event(change, of: session)
            queue.add(event)
        // The ends of requests have their own events; a vibration that reached the longest time on ends as stopped.
        case .decided, .playback, .soundEnded, .vibration(.on), .vibration(.off), .vibration(.limitReached): break
        }
    }

    func add(_ session: AudioSession) {
        _ = sessions.all.withLock { $0.insert(session.id) }
    }

    func remove(_ session: AudioSession) {
        _ = sessions.all.withLock { $0.remove(session.id) }
    }

    // MARK: - Requests

    /// Begins a request: writes its number to `id` first, so that its end cannot be read before.
    private func begin(_ id: UnsafeMutablePointer<UInt64>?, _ body: (UInt64) throws -> Running) throws -> CInt {
        let number = requests.withLock { requests in
            requests.last += 1
            requests.all[requests.last] = Request(isNumbered: id != nil)
            return requests.last
        }
        id?.pointee = number
        do {
            let running = try body(number)
            let isStopped = requests.withLock { requests in
                // It may have ended already.
                guard case .beginning(let isStopped)? = requests.all[number]?.running else { return false }
                requests.all[number]?.running = running
                return isStopped
            }
            if isStopped { stop(running) }
            return 0
        } catch {
            requests.withLock { $0.all[number] = nil }
            id?.pointee = 0
            throw error
        }
    }

    private func end(
        _ number: UInt64, _ type: ringer_event_type, at: MonotonicTime, _ fill: (inout ringer_event) -> Void
    ) {
        let request = requests.withLock { $0.all.removeValue(forKey: number) }
        var event = ringer_event()
        event.type = type
        event.id = number
        event.at = at.nanoseconds
        fill(&event)
        if request?.isNumbered == true { queue.add(event) } else { queue.addLosable(event) }
    }

    /// The number of a request that a session makes. `body` begins it.
    func begin(
        _ id: UnsafeMutablePointer<UInt64>?, in session: AudioSession, _ body: (UInt64) throws -> SoundPlayer.ID?
    ) throws -> CInt {
        try begin(id) { number in try body(number).map { .sound($0) } ?? .unstoppable }
    }

    func play(
        _ sound: PCMBuffer, _ category: ringer_category, _ options: UInt32, _ id: UnsafeMutablePointer<UInt64>?
    ) throws -> CInt {
        let (category, options) = (try AudioCategory.of(category, "category"), try CategoryOptions.of(options))
        return try begin(id) { number in
            .sound(
                try device.start(sound, category: category, options: options) { [weak self] in self?.ended(number, $0) }
            )
        }
    }

    func playSystemSound(_ sound: UInt32, asAlert: Bool, _ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        try begin(id) { number in
            .systemSound(
                device.sounds.start(SystemSoundID(rawValue: sound), as: asAlert ? .alert : .sound) {
                    [weak self] in self?.ended(number, $0)
                })
        }
    }

    func announce(_ announcement: Announcement, _ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        try begin(id) { number in
            .announcement(try device.announcements.add(announcement) { [weak self] in self?.ended(number, $0) })
        }
    }

    func ended(_ number: UInt64, _ result: SoundResult) {
        end(number, RINGER_EVENT_SOUND_ENDED, at: result.endedAt) { event in
            event.u.result = ringer_result(result.outcome, startedAt: result.startedAt, result.position)
        }
    }

    func answered(_ number: UInt64, _ error: SessionError?) {
        end(number, RINGER_EVENT_SESSION_ANSWERED, at: device.clock.now) { event in
            event.u.result.outcome = error == nil ? RINGER_OUTCOME_FINISHED : RINGER_OUTCOME_FAILED
            event.u.result.error = error.map { -$0.number } ?? 0
        }
    }

    func notify(
        _ sound: NotificationSound, _ container: ApplicationContainer?, _ id: UnsafeMutablePointer<UInt64>?
    ) throws -> CInt {
        try begin(id) { number in
            .systemSound(
                device.notifications.start(sound, in: container) { [weak self] in self?.ended(number, $0) })
        }
    }

    private func ended(_ number: UInt64, _ result: SystemSoundResult) {
        end(number, RINGER_EVENT_SOUND_ENDED, at: result.endedAt) { event in
            event.u.result = ringer_result(
                result.outcome, startedAt: result.startedAt, result.position, felt: result.vibrated)
        }
    }

    func alert(_ sound: UInt32, limit: Duration?, _ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        try begin(id) { number in
            let core = device.core
            let alert = device.alerts.begin(SystemSoundID(rawValue: sound), limit: limit) { [weak self] result in
                core.perform { [weak self] in
                    self?.end(number, RINGER_EVENT_SOUND_ENDED, at: result.endedAt) {
                        $0.u.result = ringer_result(result)
                    }
                }
            }
            return alert.map { .alert($0) } ?? .unstoppable
        }
    }

    func vibrate(_ pattern: VibrationPattern, _ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        guard let vibrator = device.vibrator else { throw Failure(ENOENT, "the device has no vibration motor") }
        let clock = device.clock
        return try begin(id) { number in
            .vibration(
                vibrator.start(pattern) { [weak self] end in
                    self?.end(number, RINGER_EVENT_VIBRATION_ENDED, at: clock.now) { $0.u.result = ringer_result(end) }
                })
        }
    }

    func detect(_ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        try begin(id) { number in
            device.muteDetector.measure { [weak self] reading in
                self?.end(number, RINGER_EVENT_DETECTED, at: reading.at) { event in
                    event.u.reading.verdict = reading.verdict.constant
                    event.u.reading.route = reading.route.constant
                    event.u.reading.elapsed = reading.elapsed.nanoseconds
                }
            }
            return .unstoppable
        }
    }

    func stop(_ number: UInt64) {
        let running = requests.withLock { requests in
            let running = requests.all[number]?.running
            if case .beginning? = running { requests.all[number]?.running = .beginning(isStopped: true) }
            return running
        }
        if let running { stop(running) }
    }

    private func stop(_ running: Running) {
        switch running {
        case .sound(let id): device.player.stop(id)
        case .systemSound(let call): device.sounds.stop(call)
        case .announcement(let id): device.announcements.remove(id)
        case .alert(let alert): alert.stop(because: .caller)
        case .vibration(let id): device.vibrator?.stop(id)
        case .beginning, .unstoppable: break
        }
    }
}
