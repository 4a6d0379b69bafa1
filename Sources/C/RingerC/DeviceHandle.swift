import Boards
import CRinger
import Glibc
import RingerLinux
import RingerClient
import RingerTestKit
import Synchronization

/// A device of ringer.h: the device, its events, and the requests that have not ended. Any thread.
final class DeviceHandle: Sendable {
    /// What stops a request.
    enum Running {
        /// It has not begun; whether it is stopped once it has.
        case beginning(isStopped: Bool)
        /// It ends by itself.
        case unstoppable
        case sound(PlayedSound)
        case systemSound(SystemSoundServices.Call)
        case announcement(Announcements.ID, Announcements)
        case alert(RunningAlert)
        case vibration(Vibrator.ID)

        /// Whether the player's sound of this number is the request's.
        func plays(_ sound: UInt64) -> Bool {
            switch self {
            case .sound(let played): played.plays(sound)
            case .systemSound(let call): call.id.number == sound
            case .announcement(let id, let announcements): announcements.plays(id, as: sound)
            case .beginning, .unstoppable, .alert, .vibration: false
            }
        }

        /// The sound that can be paused; nil for another request.
        var played: PlayedSound? { if case .sound(let played) = self { played } else { nil } }
    }

    private struct Request {
        var running: Running
        /// Whether the program has its number.
        var isNumbered: Bool
    }

    private struct Requests {
        var last: UInt64 = 0
        /// Those that have not ended.
        var all: [UInt64: Request] = [:]
        /// How many have not begun.
        var beginning = 0
        /// When sounds started that may be those of requests that have not begun.
        var started: [UInt64: MonotonicTime] = [:]

        mutating func hasBegun() {
            beginning -= 1
            if beginning == 0 { started = [:] }
        }
    }

    let device: Device
    /// The simulated board, where the device is on one.
    let board: SimulatedBoard?
    let queue: EventQueue
    let process = OwnProcess()
    private let requests = Mutex(Requests())
    let hasClosed = Atomic(false)
    private let receivers: Receivers

    /// Who gets the device's events, which come before there is a handle. Any thread.
    final class Receivers: Sendable {
        struct Reference {
            weak var handle: DeviceHandle?
        }

        /// The program's sessions, whose events it gets: sounds that were started without one have their own.
        let sessions = Mutex<Set<SessionID>>([])
        let reference = Mutex(Reference())
    }

    init(_ values: ConfigurationHandle.Values) throws {
        let queue = try EventQueue()
        self.queue = queue
        let receivers = Receivers()
        self.receivers = receivers
        // The queue is filled on the device's own thread: one thread less is woken until the program's is.
        var configuration = values.configuration
        let board = try BoardChoice(values)
        configuration.relay = { event in Self.take(event, queue, receivers, isConnected: board == .service) }
        switch board {
        case .hardware:
            self.board = nil
            device = try Device.open(values.hardware, configuration: configuration)
        case .service:
            self.board = nil
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
        receivers.reference.withLock { $0.handle = self }
    }

    /// The result of calls once the device is closed.
    static let closed = RingerError(.closed, "use it", "device")

    /// - Throws: ``RingerError``: `otherProcess` in a child of fork, `closed` once the device is closed.
    func check() throws {
        try process.check()
        if hasClosed.load(ordering: .acquiring) { throw Self.closed }
    }

    /// Closes the device. Calls of other threads that have begun go on, on a closed device.
    func close() {
        device.close()
        // A thread that waits for events learns of the end.
        queue.end()
        // Nobody moves a simulated board's clock any more: what waits for it would never be freed.
        guard let clock = board?.clock as? VirtualClock else { return }
        var limit = 10_000
        while limit > 0, clock.advanceToNextTimer(by: MonotonicTime(nanoseconds: .max)) { limit -= 1 }
    }

    /// The simulated board.
    func simulated() throws -> SimulatedBoard {
        guard let board else { throw Failure(ENOTSUP, "the device is on no simulated board") }
        return board
    }

    func add(_ session: AudioSession) {
        _ = receivers.sessions.withLock { $0.insert(session.id) }
    }

    func remove(_ session: AudioSession) {
        _ = receivers.sessions.withLock { $0.remove(session.id) }
        for played in playedSounds where played.isOf(session.id) { played.sessionIsFreed() }
    }

    // MARK: - Requests

    /// Begins a request: writes its number to `id` first, so that its end cannot be read before.
    func begin(_ id: UnsafeMutablePointer<UInt64>?, _ body: (UInt64) throws -> Running) throws -> CInt {
        let number = newNumber()
        return try begin(number, .beginning(isStopped: false), id) { try body(number) }
    }

    private func newNumber() -> UInt64 {
        requests.withLock { requests in
            requests.last += 1
            return requests.last
        }
    }

    private func begin(
        _ number: UInt64, _ running: Running, _ id: UnsafeMutablePointer<UInt64>?, _ body: () throws -> Running
    ) throws -> CInt {
        requests.withLock { requests in
            requests.all[number] = Request(running: running, isNumbered: id != nil)
            requests.beginning += 1
        }
        id?.pointee = number
        do {
            let running = try body()
            let isStopped = requests.withLock { requests in
                defer { requests.hasBegun() }
                // It may have ended already.
                guard case .beginning(let isStopped)? = requests.all[number]?.running else { return false }
                requests.all[number]?.running = running
                if let (_, time) = requests.started.first(where: { running.plays($0.key) }) {
                    addStart(of: number, requests.all[number], time)
                }
                return isStopped
            }
            if isStopped { stop(running) }
            return 0
        } catch {
            requests.withLock { requests in
                requests.all[number] = nil
                requests.hasBegun()
            }
            id?.pointee = 0
            throw error
        }
    }

    func started(_ sound: UInt64, _ time: MonotonicTime) {
        requests.withLock { requests in
            if let (number, request) = requests.all.first(where: { $0.value.running.plays(sound) }) {
                // Under the lock: before its end.
                addStart(of: number, request, time)
            } else if requests.beginning > 0 {
                requests.started[sound] = time
            }
        }
    }

    private func addStart(of number: UInt64, _ request: Request?, _ time: MonotonicTime) {
        request?.running.played?.stream(runs: true, at: time)
        var event = ringer_event()
        event.type = RINGER_EVENT_SOUND_STARTED
        event.id = number
        event.at = time.nanoseconds
        if request?.isNumbered == true { queue.add(event) } else { queue.addLosable(event) }
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

    /// Plays a sound in a category, or in a session of the program's.
    ///
    /// - Parameter isEndless: Whether the sound is repeated until it is stopped.
    func play(
        _ sound: PCMBuffer, in manner: SoundManner = SoundManner(), isEndless: Bool = false, _ place: PlayedSound.Place,
        of session: AudioSession? = nil, _ id: UnsafeMutablePointer<UInt64>?
    ) throws -> CInt {
        let number = newNumber()
        let played = PlayedSound(
            sound, in: manner, total: isEndless ? .max : manner.frames(of: sound), place: place, session: session,
            on: device
        ) { [weak self] in self?.ended(number, $0) }
        return try begin(played, number, id)
    }

    /// Begins a sound, which can be stopped and paused from the moment on at which the program has its number.
    func begin(_ played: PlayedSound, _ number: UInt64, _ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        try begin(number, .sound(played), id) {
            try played.begin()
            return .sound(played)
        }
    }

    /// The sound of a request, which has not ended.
    ///
    /// - Throws: `ENOENT` for another request, and once it has ended.
    func played(by number: UInt64) throws -> PlayedSound {
        guard let played = requests.withLock({ $0.all[number]?.running.played }) else {
            throw Failure(ENOENT, "\(number) is no sound that is played")
        }
        return played
    }

    func played(_ sound: UInt64) -> PlayedSound? {
        requests.withLock { $0.all.values.first { $0.running.plays(sound) }?.running.played }
    }

    private var playedSounds: [PlayedSound] { requests.withLock { $0.all.values.compactMap(\.running.played) } }

    func ended(_ number: UInt64, _ end: PlayedSound.End) {
        self.end(number, RINGER_EVENT_SOUND_ENDED, at: end.endedAt) { event in
            event.u.result = ringer_result(end.outcome, startedAt: end.startedAt, end.position)
            event.u.result.note(end.fallback)
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
            let announcements = device.announcements
            return .announcement(
                try announcements.add(announcement) { [weak self] in self?.ended(number, $0) }, announcements)
        }
    }

    func repeatAnnouncement(_ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        try begin(id) { number in
            let announcements = device.announcements
            let last = announcements.repeatLast { [weak self] in self?.ended(number, $0) }
            guard let last else { throw Failure(ENOENT, "no announcement has begun yet") }
            return .announcement(last, announcements)
        }
    }

    func ended(_ number: UInt64, _ result: SoundResult) {
        end(number, RINGER_EVENT_SOUND_ENDED, at: result.endedAt) { event in
            event.u.result = ringer_result(result.outcome, startedAt: result.startedAt, result.position)
            event.u.result.note(result.fallback)
        }
    }

    func answered(_ number: UInt64, _ error: SessionError?) {
        end(number, RINGER_EVENT_SESSION_ANSWERED, at: device.clock.now) { event in
            event.u.result.outcome = RINGER_OUTCOME_FINISHED
            if let error { event.u.result.fail(error) }
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
            event.u.result = ringer_result(result)
        }
    }

    func alert(
        _ sound: UInt32, kind: AlertKind, way: AlertWay, limit: Duration?, vibration: VibrationPattern?,
        pause: Duration,
        _ id: UnsafeMutablePointer<UInt64>?
    ) throws -> CInt {
        try begin(id) { number in
            let core = device.core
            let alert = device.alerts.begin(
                SystemSoundID(rawValue: sound), kind: kind, way: way, limit: limit, vibration: vibration, pause: pause
            ) { [weak self] result in
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
                    self?.end(number, RINGER_EVENT_VIBRATION_ENDED, at: clock.now) {
                        $0.u.result = ringer_result(vibration: end)
                    }
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

    func releaseOutput(_ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        let clock = device.clock
        return try begin(id) { number in
            for played in playedSounds { played.outputIsReleased() }
            device.releaseOutput { [weak self] in
                self?.end(number, RINGER_EVENT_OUTPUT_RELEASED, at: clock.now) { _ in }
            }
            return .unstoppable
        }
    }

    /// Stops everything, sounds that are paused among it.
    func stopAll() {
        for played in playedSounds { played.stop() }
        device.stopAll()
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
        case .sound(let played): played.stop()
        case .systemSound(let call): device.sounds.stop(call)
        case .announcement(let id, let announcements): announcements.remove(id)
        case .alert(let alert): alert.stop(because: .caller)
        case .vibration(let id): device.vibrator?.stop(id)
        case .beginning, .unstoppable: break
        }
    }
}
