import Ringer
import RingerCore
import RingerTestKit
import Synchronization

@testable import VoIPHandset

/// What the SIP side was asked for, and what was reported.
final class Notes: Telephony {
    private let notes = Mutex<[String]>([])
    private let events = Mutex<[HandsetEvent]>([])
    struct Handlers {
        var whenStarted: @Sendable () -> Void = {}
    }

    let handlers = Mutex(Handlers())

    var all: [String] { notes.withLock { $0 } }
    var reported: [HandsetEvent] { events.withLock { $0 } }
    var kinds: [HandsetEvent.Kind] { reported.map(\.kind) }
    func report(_ event: HandsetEvent) { events.withLock { $0.append(event) } }
    func note(_ text: String) { notes.withLock { $0.append(text) } }

    func start() { handlers.withLock { $0 }.whenStarted() }
    func answer(_ call: CallNumber) { note("answer \(call)") }
    func openAudio(_ call: CallNumber) { note("open \(call)") }
    func mute(_ call: CallNumber, _ isMuted: Bool) { note("mute \(call) \(isMuted)") }
    func refuse(_ call: CallNumber) { note("refuse \(call)") }
    func giveUp(_ call: CallNumber) { note("give up \(call)") }
    func hangUp(_ call: CallNumber) { note("hang up \(call)") }
}

private final class Observer: Sendable {
    let handset = Mutex<Handset?>(nil)
}

/// A handset on a simulated board.
struct Bench {
    let clock = VirtualClock()
    let board: SimulatedBoard
    let device: Device
    let handset: Handset
    let notes = Notes()

    init(
        _ position: SwitchPosition = .ring, preferences: UserPreferences = .init(),
        rings: [String: PCMBuffer] = [:], rules: HandsetMachine.Rules = .init()
    ) throws {
        board = SimulatedBoard(clock: clock, position: position)
        let observer = Observer()
        device = try Device.simulated(
            board,
            configuration: .init(
                preferences: preferences,
                observer: { event in observer.handset.withLock { $0 }?.take(event) }))
        let notes = notes
        handset = try Handset(
            device, ringTone: RingTone.standard(), rings: rings, rules: rules, report: { notes.report($0) },
            complain: { notes.note($0) })
        handset.connect(notes)
        observer.handset.withLock { [handset] in $0 = handset }
    }

    /// A bench where the call 1 has rung for that time.
    init(ringingFor duration: Duration) throws {
        try self.init()
        call(1)
        clock.advance(by: duration)
    }

    func call(_ number: CallNumber) {
        handset.take(.incoming(number, name: "call-\(number)", peer: "sip:a@b"))
        clock.advance()
    }

    func close(_ number: CallNumber) {
        handset.take(.closed(number, heard: .zero))
        clock.advance()
    }

    /// The session of the calls.
    var session: SessionState? { device.sessions.all.first { $0.name == "call" } }

    func makeAlarm() -> AudioSession { device.sessions.make(name: "alarm", category: .playback, priority: .alarm) }

    var isQuiet: Bool { board.speaker.playing.isEmpty && !board.motor.isOn }
}
