import Ringer
import Testing

@testable import VoIPHandset

extension HandsetMachineTests {
    @Test("A hundred thousand random events leave nothing behind once every call is closed")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let seed = generator.next()
        var random = SplitMix(state: seed)
        var machine = Machine(rules: .init())
        var open: Set<CallNumber> = []
        var alerts: Set<Int> = []
        var (alert, session, light): (Int?, Machine.SessionUse?, Machine.Light) = (nil, nil, .off)
        var (came, over): (Int, Int) = (0, 0)
        func perform(_ actions: [Machine.Action]) {
            for action in actions {
                switch action {
                case .startAlert(let number, _, _):
                    #expect(alert == nil, "seed \(seed)")
                    alert = number
                    alerts.insert(number)
                case .stopAlert: alert = nil
                case .useSession(let use): session = use
                case .endSession: session = nil
                case .light(let new): light = new
                case .report(let event):
                    if [.cancelled, .ended, .refused].contains(event.kind) { over += 1 }
                default: break
                }
            }
        }
        for step in 0..<100_000 {
            let now = at(Int64(step))
            let call = open.randomElement(using: &random) ?? 0
            switch random.next() % 10 {
            case 0 where open.count < 3:
                came += 1
                open.insert(CallNumber(came))
                let ring = came % 3 == 0 ? Ring(name: "family", sound: 1) : nil
                perform(machine.handle(incoming(CallNumber(came), Int64(step), ring: ring)))
            case 1:
                open.remove(call)
                perform(machine.handle(.closed(call, heard: .zero, at: now)))
            case 2: perform(machine.handle(.answer))
            case 3: perform(machine.handle(.reject))
            case 4: perform(machine.handle(.hangUp))
            case 5: perform(machine.handle(.silence))
            case 6: perform(machine.handle(.outputReleased(call, at: now)))
            case 7:
                if let ended = alerts.randomElement(using: &random) {
                    alerts.remove(ended)
                    perform(machine.handle(.alertEnded(ended, at: now)))
                }
            case 8: perform(machine.handle(.observed([heard, felt, neither][Int(random.next() % 3)], at: now)))
            default: perform(machine.handle(.ringLimit(call)))
            }
        }
        for call in open { perform(machine.handle(.closed(call, heard: .zero, at: at(100_000)))) }
        for ended in alerts { perform(machine.handle(.alertEnded(ended, at: at(100_001)))) }
        #expect(machine.callCount == 0 && alert == nil && session == nil && light == .off, "seed \(seed)")
        #expect(came == over, "seed \(seed): each call ends with one report")
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
