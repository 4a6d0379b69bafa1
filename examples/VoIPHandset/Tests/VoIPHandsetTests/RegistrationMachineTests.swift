import Ringer
import RingerTestKit
import Synchronization
import Testing

@testable import VoIPHandset

/// Where the handset is registered, as a value, and in virtual time.
@Suite("Handset: the registration")
struct RegistrationMachineTests {
    private typealias Machine = RegistrationMachine

    private let now = MonotonicTime(nanoseconds: 0)

    private func registered(_ registrar: Int) -> Machine.Event { .registered(registrar, for: .seconds(600), at: now) }

    private func failed(_ registrar: Int, _ failure: Machine.Failure = .other("no answer")) -> Machine.Event {
        .failed(registrar, failure, at: now, chance: 1)
    }

    private func reports(_ actions: [Machine.Action]) -> [RegistrationEvent] {
        actions.compactMap { if case .report(let event) = $0 { event } else { nil } }
    }

    /// The machine after the first of two has failed.
    private func atSecond() -> Machine {
        var machine = Machine(rules: .init(registrars: 2))
        for event in [Machine.Event.start, failed(0), registered(1)] { _ = machine.handle(event) }
        return machine
    }

    @Test("It registers at the first one, and reports that once: a refresh is no news")
    func first() {
        var machine = Machine(rules: .init(registrars: 2))
        #expect(machine.handle(.start) == [.register(0)])
        #expect(
            machine.handle(registered(0)) == [
                .report(RegistrationEvent(registrar: 0, lifetime: .seconds(600), at: now)), .cancelTimer,
            ])
        #expect(machine.current == 0)
        #expect(machine.handle(registered(0)) == [] && machine.handle(.due) == [])
    }

    @Test("A refresh that fails is reported, and the second one is tried at once")
    func second() {
        var machine = Machine(rules: .init(registrars: 2))
        _ = machine.handle(.start)
        _ = machine.handle(registered(0))
        let actions = machine.handle(failed(0))
        #expect(reports(actions).map(\.reason) == ["no answer"] && actions.last == .register(1))
        #expect(machine.current == nil)
        #expect(machine.handle(registered(1)).last == .setTimer(after: .seconds(300)) && machine.current == 1)
    }

    @Test("At the second one, the first is tried now and then, and left for nobody before it answers")
    func back() {
        var machine = atSecond()
        #expect(machine.handle(.due) == [.register(0)])
        // As before: no news.
        #expect(machine.handle(failed(0)) == [.setTimer(after: .seconds(300))] && machine.current == 1)
        #expect(machine.handle(.due) == [.register(0)])
        let actions = machine.handle(registered(0))
        #expect(reports(actions).map(\.registrar) == [0])
        #expect(actions.suffix(2) == [.unregister(1), .cancelTimer] && machine.current == 0)
    }

    @Test("The second one fails while the first is tried: nothing else begins until that is known")
    func bothAtOnce() {
        var machine = atSecond()
        _ = machine.handle(.due)
        #expect(machine.handle(failed(1)).count == 1)
        #expect(machine.handle(failed(0)) == [.setTimer(after: .seconds(2))])
    }

    @Test("When all have failed, the pauses grow up to the longest, and begin anew after a success")
    func pauses() {
        var machine = Machine(rules: .init(registrars: 2))
        var pauses: [Duration] = []
        for round in 0..<12 {
            #expect(machine.handle(round == 0 ? .start : .due) == [.register(0)])
            let first = machine.handle(failed(0))
            #expect(first.last == .register(1) && first.count == (round == 0 ? 2 : 1))
            if case .setTimer(let pause)? = machine.handle(failed(1)).last { pauses.append(pause) }
        }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600].map { .seconds($0) })
        _ = machine.handle(.due)
        _ = machine.handle(registered(0))
        _ = machine.handle(failed(0))
        #expect(machine.handle(failed(1)).last == .setTimer(after: .seconds(2)))
    }

    @Test("A wrong password is reported once, and tried with longer pauses")
    func refused() {
        var machine = Machine(rules: .init(registrars: 1))
        var pauses: [Duration] = []
        var reported = 0
        for round in 0..<9 {
            _ = machine.handle(round == 0 ? .start : .due)
            let actions = machine.handle(failed(0, .refused("401 Unauthorized")))
            reported += reports(actions).count
            if case .setTimer(let pause)? = actions.last { pauses.append(pause) }
        }
        #expect(reported == 1)
        #expect(pauses == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600].map { .seconds($0) })
        // Another reason is news.
        _ = machine.handle(.due)
        #expect(reports(machine.handle(failed(0))).count == 1)
    }

    @Test("Pauses of many handsets are spread over their second half")
    func spread() {
        for (chance, pause) in [(0.0, Duration.seconds(1)), (0.5, .seconds(1.5)), (1, .seconds(2))] {
            var machine = Machine(rules: .init(registrars: 1))
            _ = machine.handle(.start)
            #expect(machine.handle(.failed(0, .other(""), at: now, chance: chance)).last == .setTimer(after: pause))
        }
    }

    @Test("A hundred thousand random events: at most one attempt at a time, always with a timer or an answer to come")
    func random() {
        var generator = SystemRandomNumberGenerator()
        var machine = Machine(rules: .init(registrars: 2))
        var (open, hasTimer): (Set<Int>, Bool) = ([], false)
        func perform(_ actions: [Machine.Action]) {
            for action in actions {
                switch action {
                case .register(let registrar):
                    #expect(open.insert(registrar).inserted)
                case .unregister(let registrar): open.remove(registrar)
                case .setTimer: hasTimer = true
                case .cancelTimer: hasTimer = false
                case .report: break
                }
            }
        }
        perform(machine.handle(.start))
        for _ in 0..<100_000 {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0 where hasTimer:
                hasTimer = false
                perform(machine.handle(.due))
            case 1:
                if let registrar = open.randomElement() { perform(machine.handle(registered(registrar))) }
            default:
                if let registrar = open.randomElement() {
                    open.remove(registrar)
                    perform(machine.handle(failed(registrar)))
                }
            }
            #expect(hasTimer || !open.isEmpty)
            #expect(machine.current.map { open.contains($0) } ?? true)
        }
    }

    private final class Client: RegistrationClient {
        let attempts = Mutex<[Int]>([])
        func register(_ registrar: Int) { attempts.withLock { $0.append(registrar) } }
        func unregister(_ registrar: Int) {}
    }

    @Test("In virtual time a registrar that is away for an hour is asked a dozen times, and reported once")
    func hour() {
        let clock = VirtualClock()
        let client = Client()
        let lines = Mutex<[String]>([])
        let registration = Registration(["one", "two"], clock: clock) { event, registrar in
            lines.withLock { $0.append(event.sentence(registrar)) }
        }
        registration.start(client)
        let end = clock.now + .seconds(3600)
        while clock.now < end {
            registration.take(.registrationFailed(0, .other("no \u{1b}answer")))
            registration.take(.registrationFailed(1, .other("no answer")))
            clock.advance(by: .seconds(1))
        }
        #expect(lines.withLock { $0 } == ["one: unregistered, no ?answer", "two: unregistered, no answer"])
        let count = client.attempts.withLock { $0.count } / 2
        #expect((12...24).contains(count), "\(count)")
        #expect(clock.pendingTimers <= 1 && registration.registrar == nil)
    }
}
