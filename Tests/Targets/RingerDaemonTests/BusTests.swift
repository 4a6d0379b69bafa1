import Glibc
import RingerCore
import RingerBus
import ServiceSupport
import Synchronization
import Testing

/// The connection to a bus, and what programs that know nothing of the service see there.
@Suite struct BusTests {
    // SAFETY: used on the loop's thread alone.
    private final class Held: @unchecked Sendable {
        var connection: BusConnection?
        var served: BusConnection.Registration?
        var handled = 0
        var handledAtTimer = 0
    }

    @Test("of 2,000 messages that wait, a timer that becomes due does not wait for all, and none is lost")
    func turns() async throws {
        let bus = try TestBus.system()
        let loop = try EventLoop(name: "busy")
        defer { loop.close() }
        let held = Held()
        let (isDone, gate) = (Latch(), Latch())
        try loop.syncThrowing { () throws(RingerError) in
            let connection = try BusConnection.connect(.address(bus.address), on: loop)
            held.connection = connection
            held.served = try connection.serve("/org/ringer/Ringer1") { _ in
                held.handled += 1
                usleep(50)
                if held.handled == 2_000 { isDone.open() }
                return true
            }
            try connection.own("org.ringer.Ringer1")
        }
        // Each may have so many calls.
        let callers = try (0..<80).map { _ in try RawCaller(bus.address, as: .nobody) }
        let watcher = try BusClient(bus.address)
        loop.execute {
            gate.wait()
            // It waits for the bus, and so has the library queue what arrived before the answer.
            do throws(RingerError) { try held.connection?.own("org.sigxcpu.Feedback") } catch { Issue.record(error) }
            // Two of them are handled in each turn until then.
            _ = loop.schedule(at: loop.now + .milliseconds(5)) { held.handledAtTimer = held.handled }
        }
        for caller in callers { try caller.send([RawCaller.Call](repeating: .introspect, count: 25)) }
        // The bus has passed on what it read before.
        for _ in 0..<20 { _ = try await watcher.bus("GetId") }
        gate.open()
        isDone.wait()
        loop.sync {
            #expect(held.handled == 2_000 && held.handledAtTimer < 1_000, "\(held.handledAtTimer)")
            held.served = nil
            held.connection?.close()
            held.connection = nil
        }
    }

    /// What a command prints.
    private func output(_ command: String) -> String {
        guard let pipe = popen("\(command) 2>&1 </dev/null", "r") else { return "" }
        var text = ""
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, CInt(line.count), pipe) != nil {
            text += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        let status = pclose(pipe)
        return status == 0 ? text : "status \(status): \(text)"
    }

    // It used to say "No medium found".
    @Test("without a session bus the service's error names the variables that would name one")
    func noSessionBus() {
        let folder = CommandLine.arguments[0].split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let run = "env -u DBUS_SESSION_BUS_ADDRESS -u XDG_RUNTIME_DIR \(folder)/ringerd --session --board simulated"
        #expect(
            output(run).hasSuffix(
                ": Error: session bus: cannot connect: not found "
                    + "(neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set)\n"))
    }

    // A service that stood still for 25 s took a client's missing answer for its leaving the bus, and ended its alert.
    @Test("what the bus alone answers is waited for without a limit")
    func patience() async throws {
        let bus = try TestBus()
        let loop = try EventLoop(name: "patient")
        defer { loop.close() }
        let held = Held()
        try loop.syncThrowing { () throws(RingerError) in
            held.connection = try BusConnection.connect(.address(bus.address), on: loop)
        }
        await withCheckedContinuation { continuation in
            loop.execute { held.connection?.callBus("GetId", []) { _ in continuation.resume() } }
        }
        // Nothing is answered from here on.
        bus.send(SIGSTOP)
        defer { bus.send(SIGCONT) }
        loop.sync {
            guard let connection = held.connection else { return }
            let name = BusName("org.ringer.Ringer1", on: connection) { _ in }
            let signals = name.signals { _ in }
            connection.callBus("GetConnectionCredentials", [.string("org.ringer.Ringer1")]) { _ in }
            #expect(connection.nextTimeout == nil)
            connection.call("org.example", "/", "org.example", "Anything") { _ in }
            #expect(connection.nextTimeout != nil)
            withExtendedLifetime((name, signals)) {}
        }
        bus.send(SIGCONT)
        loop.sync {
            held.connection?.close()
            held.connection = nil
        }
    }

    // busctl used to refuse the data for an attribute that it does not know, and to find no object from the root.
    @Test("busctl and gdbus find the object from the root on, and introspect it")
    func introspection() throws {
        let bench = try ServiceBench(feedback: .init())
        let bus = "busctl --address='\(bench.bus.address)'"
        let tree = output("\(bus) --list tree org.ringer.Ringer1").split(separator: "\n")
        #expect(
            tree == ["/", "/org", "/org/ringer", "/org/ringer/Ringer1", "/org/sigxcpu", "/org/sigxcpu/Feedback"],
            "\(tree)")
        let members = output("\(bus) introspect org.ringer.Ringer1 /org/ringer/Ringer1")
        for member in [".Play", ".SwitchPosition", ".Ended"] {
            #expect(members.split(separator: "\n").contains { $0.hasPrefix(member + " ") }, "\(members)")
        }
        let described = output(
            "gdbus introspect --address '\(bench.bus.address)' --dest org.ringer.Ringer1 --object-path /org/ringer/Ringer1"
        )
        #expect(described.contains("Decide(in  s sound,"), "\(described)")
        #expect(described.contains("@org.gtk.GDBus.DocString(\"Stops a request."), "\(described)")
    }
}
