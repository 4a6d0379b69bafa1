import Testing

@testable import RingerCore

@Suite("Waking an event loop")
struct WokenTurnTests {
    // The first one was relied on though it was held up: what others added, such as turning the motor off, waited for it.
    @Test("a thread that is held up before it has woken the loop holds up no other one; later ones need not wake it")
    func heldUp() {
        let woken = WokenTurn()
        var wakes: [String] = []
        woken.wake(1) {
            woken.wake(1) { wakes.append("other") }
            woken.wake(1) { wakes.append("third") }
            wakes.append("first")
        }
        woken.wake(1) { wakes.append("fourth") }
        #expect(wakes == ["other", "first"])
    }

    @Test("each turn is woken anew, also where a wake of the turn before comes late")
    func turns() {
        let woken = WokenTurn()
        var wakes: [Int] = []
        woken.wake(1) { wakes.append(1) }
        woken.wake(2) {
            woken.wake(3) { wakes.append(3) }
            wakes.append(2)
        }
        woken.wake(3) { wakes.append(3) }
        #expect(wakes == [1, 3, 2, 3])
    }
}
