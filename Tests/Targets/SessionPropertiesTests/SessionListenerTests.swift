import FourCharacterCodes
import RingerCore
import SessionProperties
import SessionRules
import Testing

@Suite("Sessions: listeners")
struct SessionListenerTests {
    @Test("there is one listener for a pair of property and client data, and the newer replaces the older")
    func pairs() throws {
        var listeners = SessionListeners<Int>()
        let first = try listeners.add("chov", 1)
        let second = try listeners.add("chov", 2)
        let other = try listeners.add("aiav", 1)
        #expect(first.replaced == nil && second.replaced == nil && other.replaced == nil)
        #expect(listeners.listeners(of: "chov") == [first.added, second.added])
        let again = try listeners.add("chov", 1)
        #expect(again.replaced == first.added)
        #expect(listeners.listeners(of: "chov") == [second.added, again.added])
        #expect(try listeners.remove("chov", 2) == second.added)
        #expect(try listeners.remove("chov", 2) == nil)
        _ = try listeners.add("chov", 3)
        #expect(try listeners.removeAll("chov").count == 2)
        #expect(listeners.listeners(of: "chov") == [] && listeners.listeners(of: "aiav") == [other.added])
        #expect(!listeners.isEmpty)
    }

    @Test("listening to what can only be set, or is not there, is pty?")
    func refused() throws {
        var listeners = SessionListeners<Int>()
        for property in SessionProperty.all {
            let isRefused = (try? listeners.add(property.code, 1)) == nil
            #expect(isRefused == (property.code == "ovrd"))
        }
        for code in ["ovrd", "none"] as [FourCharacterCode] {
            for call in 0..<3 {
                var thrown: SessionError?
                do throws(SessionError) {
                    switch call {
                    case 0: _ = try listeners.add(code, 2)
                    case 1: _ = try listeners.remove(code, 2)
                    default: _ = try listeners.removeAll(code)
                    }
                } catch { thrown = error }
                #expect(thrown?.code == .unsupportedProperty)
            }
        }
    }

    @Test("listeners get what changed and nothing else, in the table's order, a route change with its old name")
    func changes() throws {
        var publisher = SessionPropertyStore(session: SessionID(rawValue: 1), facts: SessionFacts(routeName: "Speaker"))
        try publisher.initialize()
        #expect(publisher.update(publisher.facts) == [])
        var facts = publisher.facts
        facts.hardware.outputVolume = 0.25
        facts.hardware.isServerDead = true
        facts.routeName = "Headphone"
        let change = RouteChange(.newDeviceAvailable, from: SessionRoute(.speaker), to: SessionRoute(.headphone))
        #expect(
            publisher.update(facts, routeChange: change) == [
                SessionPropertyChange("rout", .string("Headphone")),
                SessionPropertyChange("roch", .routeChange(.newDeviceAvailable, oldRoute: "Speaker")),
                SessionPropertyChange("chov", .float32(0.25)), SessionPropertyChange("died", .uint32(1)),
            ])
        facts.hardware.isServerDead = false
        #expect(publisher.update(facts) == [SessionPropertyChange("died", .uint32(0))])
        // Waking changes no value, and listeners get it nevertheless.
        let woke = RouteChange(.wakeFromSleep, from: SessionRoute(.headphone), to: SessionRoute(.headphone))
        #expect(publisher.update(facts, routeChange: woke).map(\.property) == ["roch"])
    }

    @Test("flipping the switch changes the route's name, and a listener of the name hears of it")
    func switchFlips() throws {
        var coordinator = SessionCoordinator()
        let id = SessionID(rawValue: 1)
        _ = coordinator.handle(.make(id))
        let ring = try #require(coordinator.facts(of: id, state: DeviceState(ringSilent: .ring)))
        var publisher = SessionPropertyStore(session: id, facts: ring)
        let silent = try #require(coordinator.facts(of: id, state: DeviceState(ringSilent: .silent)))
        #expect(publisher.update(silent) == [SessionPropertyChange("rout", .string(""))])
        #expect(publisher.update(ring) == [SessionPropertyChange("rout", .string("Speaker"))])
        #expect(coordinator.facts(of: SessionID(rawValue: 99), state: DeviceState()) == nil)
    }

    private func property(_ code: FourCharacterCode) throws -> SessionProperty {
        try #require(SessionProperty(code: code))
    }

    @Test("each listener gets changes in order, and one that does not read delays no other")
    func order() async throws {
        let queues = SessionListenerQueues()
        let slow = SessionListenerID(rawValue: 1)
        let quick = SessionListenerID(rawValue: 2)
        let slowStream = queues.open(slow, of: try property("roch"))
        var quickStream = queues.open(quick, of: try property("roch")).makeAsyncIterator()
        let reasons = RouteChangeReason.allCases
        for reason in reasons {
            queues.tell(SessionPropertyChange("roch", .routeChange(reason, oldRoute: "")), to: [slow, quick])
            // The slow one has taken nothing yet.
            let told = await quickStream.next()
            #expect(told?.change.value == .routeChange(reason, oldRoute: "") && told?.missed == 0)
        }
        queues.close(slow)
        var late: [SessionPropertyValue] = []
        for await told in slowStream { late.append(told.change.value) }
        #expect(late == reasons.map { .routeChange($0, oldRoute: "") })
    }

    @Test("a slow listener of a state finds the newest, and how many it missed")
    func newest() async throws {
        let queues = SessionListenerQueues()
        let id = SessionListenerID(rawValue: 1)
        var stream = queues.open(id, of: try property("chov")).makeAsyncIterator()
        for step in 0...10 { queues.tell(SessionPropertyChange("chov", .float32(Float(step))), to: [id]) }
        let told = await stream.next()
        #expect(told?.change.value == .float32(10) && told?.missed == 9)
        queues.close(id)
        #expect(await stream.next() == nil)
        // Nobody listens any more, and telling is harmless.
        queues.tell(SessionPropertyChange("chov", .float32(0)), to: [id])
    }

    @Test("of happenings a slow listener finds the newest 64, and how many it missed")
    func happenings() async throws {
        let queues = SessionListenerQueues()
        let id = SessionListenerID(rawValue: 1)
        let stream = queues.open(id, of: try property("died"))
        for step in 0..<100 { queues.tell(SessionPropertyChange("died", .uint32(UInt32(step))), to: [id]) }
        queues.close(id)
        var values: [SessionPropertyValue] = []
        var missed = 0
        for await told in stream {
            values.append(told.change.value)
            missed = max(missed, told.missed)
        }
        #expect(values.first == .uint32(36) && values.count == SessionListenerQueues.capacity)
        #expect(missed == 35)
    }

    @Test("opening a listener's queue again, and dropping all queues, end the streams")
    func ends() async throws {
        let id = SessionListenerID(rawValue: 1)
        var queues: SessionListenerQueues? = SessionListenerQueues()
        let first = try #require(queues).open(id, of: try property("chov"))
        let second = try #require(queues).open(id, of: try property("chov"))
        for await _ in first { Issue.record("told by a queue that was replaced") }
        queues = nil
        for await _ in second { Issue.record("told by queues that are gone") }
    }
}
