import Synchronization
import Testing

@testable import RingerCore

@Suite("A sound's gate")
struct GateTests {
    /// The gates of many sounds, which one thread begins while another shuts them.
    private final class Race: Sendable {
        let gates = (0..<100_000).map { _ in Gate() }
        let hasStarted = Atomic(false)
        /// How many gates were shut: those before this index.
        let shut = Atomic(0)
        let hadBegun = Mutex<[Bool]>([])
    }

    @Test("no sound begins after its gate was shut, and who shuts a gate knows whether the sound had begun")
    func race() throws {
        let race = Race()
        try DetachedThread.start(stackSize: DetachedThread.workStackSize) {
            race.hasStarted.store(true, ordering: .releasing)
            var hadBegun: [Bool] = []
            for (index, gate) in race.gates.enumerated() {
                hadBegun.append(gate.shut())
                race.shut.store(index + 1, ordering: .sequentiallyConsistent)
            }
            race.hadBegun.withLock { $0 = hadBegun }
        }
        while !race.hasStarted.load(ordering: .acquiring) {}
        var begun: [Bool] = []
        var late = 0
        for (index, gate) in race.gates.enumerated() {
            let wasShut = index < race.shut.load(ordering: .sequentiallyConsistent)
            begun.append(gate.begin())
            if wasShut && begun[index] { late += 1 }
        }
        while race.hadBegun.withLock({ $0.isEmpty }) {}
        #expect(late == 0)
        #expect(race.hadBegun.withLock { $0 == begun })
    }

    @Test("a gate has its gain while it is open, and is never opened again")
    func life() {
        let gate = Gate(gain: 0.25)
        #expect(gate.level == 0.25)
        gate.setGain(0.5)
        #expect(gate.level == 0.5 && gate.begin() && gate.level == 0.5)
        for ramp in [Duration.zero, .microseconds(1), .milliseconds(20), .seconds(2)] {
            gate.setGain(0.25, over: ramp)
            #expect(gate.change?.level == 0.25 && gate.change?.ramp == ramp)
        }
        gate.setGain(0.5, over: .seconds(1 << 40))
        #expect(gate.change?.level == 0.5 && gate.isOpen)
        gate.setGain(0.5, over: .seconds(-1))
        #expect(gate.change?.level == 0.5 && gate.change?.ramp == .zero && gate.isOpen)
        // A stream is started again after an underrun.
        #expect(gate.begin() && gate.shut())
        gate.setGain(1)
        #expect(gate.level == nil && gate.change == nil && !gate.begin() && !gate.isOpen)
        #expect(!Gate().shut())
    }
}
