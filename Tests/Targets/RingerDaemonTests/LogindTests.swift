import RingerCore
import RingerBus
import ServiceSupport
import Testing

@testable import RingerDaemon

/// Lock and sleep from logind.
@Suite struct LogindTests {
    /// Returns once the property has the value.
    private func wait(_ client: BusClient, _ property: String, _ value: BusValue) async throws {
        while try await client.property(property) != value { await Task.yield() }
    }

    /// A service on which logind has locked the screen.
    private func lockedScreen() async throws -> (ServiceBench, BusClient, FakeLogind) {
        let bench = try ServiceBench(followsLogind: true)
        let (client, logind) = (try bench.client(), try FakeLogind(bench.bus.address))
        logind.add("1", isLocked: true)
        try await wait(client, "ScreenLocked", .boolean(true))
        return (bench, client, logind)
    }

    @Test("the lock is that of logind's session, from its start and after each change, and nobody else may set it")
    func lock() async throws {
        let bench = try ServiceBench(followsLogind: true)
        let client = try bench.client()
        // As long as there is no logind.
        #expect(await client.set("ScreenLocked", .boolean(true)) == nil)
        #expect(await client.set("ScreenLocked", .boolean(false)) == nil)

        let logind = try FakeLogind(bench.bus.address)
        logind.add("1", isLocked: true)
        try await wait(client, "ScreenLocked", .boolean(true))
        #expect(await client.set("ScreenLocked", .boolean(false)) == "org.freedesktop.DBus.Error.PropertyReadOnly")
        #expect(bench.device.state.isScreenLocked)
        logind.set("1", "LockedHint", false)
        #expect(try await logind.property("ScreenLocked") == .boolean(false))
        logind.set("1", "LockedHint", true)
        #expect(try await logind.property("ScreenLocked") == .boolean(true))

        // What the last logind reported holds until somebody knows better.
        await logind.leave()
        while await client.set("ScreenLocked", .boolean(true)) != nil { await Task.yield() }
        #expect(bench.device.state.isScreenLocked)
        #expect(await client.set("ScreenLocked", .boolean(false)) == nil)
    }

    @Test("a logind that was there before the service is asked for its sessions")
    func existing() async throws {
        let bus = try TestBus()
        let logind = try FakeLogind(bus.address)
        logind.add("1", isLocked: true)
        let bench = try ServiceBench(followsLogind: true, bus: bus)
        try await wait(try bench.client(), "ScreenLocked", .boolean(true))
    }

    @Test(
        "sessions in the background and those without a seat do not lock the screen; without a seat nobody reports it")
    func foreground() async throws {
        let bench = try ServiceBench(followsLogind: true)
        let (client, logind) = (try bench.client(), try FakeLogind(bench.bus.address))
        logind.add("ssh", seat: "", isLocked: true)
        logind.add("1", isActive: false, isLocked: true)
        logind.add("2", isLocked: true)
        try await wait(client, "ScreenLocked", .boolean(true))
        // Another user's turn.
        logind.set("2", "Active", false)
        #expect(try await logind.property("ScreenLocked") == .boolean(false))
        logind.set("1", "Active", true)
        #expect(try await logind.property("ScreenLocked") == .boolean(true))
        logind.remove("1")
        #expect(try await logind.property("ScreenLocked") == .boolean(false))
        #expect(await client.set("ScreenLocked", .boolean(true)) == "org.freedesktop.DBus.Error.PropertyReadOnly")
        logind.remove("2")
        #expect(try await logind.property("ScreenLocked") == .boolean(false))
        #expect(await client.set("ScreenLocked", .boolean(true)) == nil)
    }

    // A greeter that locks puts the user's session, with its hint, in the background: that counted as unlocked.
    @Test("a greeter or a lock screen in the foreground is a lock", arguments: ["greeter", "lock-screen"])
    func greeter(kind: String) async throws {
        let bench = try ServiceBench(followsLogind: true)
        let (client, logind) = (try bench.client(), try FakeLogind(bench.bus.address))
        logind.add("c1", of: kind)
        try await wait(client, "ScreenLocked", .boolean(true))
        logind.set("c1", "Active", false)
        #expect(try await logind.property("ScreenLocked") == .boolean(false))
        logind.add("1", isLocked: true)
        try await wait(client, "ScreenLocked", .boolean(true))
        logind.set("c1", "Active", true)
        logind.set("1", "Active", false)
        #expect(try await logind.property("ScreenLocked") == .boolean(true))
        logind.set("1", "LockedHint", false)
        #expect(try await logind.property("ScreenLocked") == .boolean(true))
        logind.set("1", "Active", true)
        logind.remove("c1")
        #expect(try await logind.property("ScreenLocked") == .boolean(false))
    }

    @Test("signals of a program that only looks like logind change nothing")
    func impostor() async throws {
        let (bench, client, logind) = try await lockedScreen()
        defer { withExtendedLifetime((client, logind)) {} }
        let impostor = try FakeLogind(bench.bus.address, ownsName: false)
        impostor.set("1", "LockedHint", false, to: RingerNames.service)
        #expect(try await impostor.property("ScreenLocked") == .boolean(true))
    }

    @Test("a switch that was moved while the machine slept is read before anything sounds")
    func sleep() async throws {
        let bench = try ServiceBench(followsLogind: true)
        let (client, logind) = (try bench.client(), try FakeLogind(bench.bus.address))
        logind.add("1")
        while await client.set("ScreenLocked", .boolean(false)) == nil { await Task.yield() }

        logind.prepareForSleep(true)
        #expect(try await logind.property("SwitchPosition") == .string("ring"))
        // The request comes before the report of waking.
        bench.board.ringSilent.moveUnnoticed(to: .silent)
        let id = try await client.play(.uint32(1007))
        try await client.advance(.seconds(2))
        #expect(await client.ended() == .init(request: id, outcome: "silenced", reason: "ringSilentSwitch"))
        #expect(bench.board.speaker.recordings.isEmpty)

        // And the other way round: waking alone has it read.
        bench.board.ringSilent.moveUnnoticed(to: .vibrate)
        logind.prepareForSleep(false)
        #expect(try await logind.property("SwitchPosition") == .string("vibrate"))
        // Awake, moves are noticed, and nothing is read for each request.
        bench.board.ringSilent.moveUnnoticed(to: .ring)
        #expect(try await logind.property("SwitchPosition") == .string("vibrate"))
    }

    @Test("a sleep that a logind announced which then went away is over")
    func logindLeavesAsleep() async throws {
        let (bench, client, logind) = try await lockedScreen()
        logind.prepareForSleep(true)
        #expect(try await logind.property("SwitchPosition") == .string("ring"))
        bench.board.ringSilent.moveUnnoticed(to: .silent)
        await logind.leave()
        try await wait(client, "SwitchPosition", .string("silent"))
    }

    private let lock = ["sleep", "ringerd", "The vibration motor is turned off first.", "delay"]

    @Test("a sleep waits until the motor is off; the caller is informed, and the next vibration after the sleep works")
    func motor() async throws {
        let bench = try ServiceBench(followsLogind: true)
        let (client, logind) = (try bench.client(), try FakeLogind(bench.bus.address))
        while logind.inhibitions.isEmpty { await Task.yield() }
        #expect(logind.inhibitions == [lock])
        #expect(try await logind.property("Board") == .string("simulated"))
        #expect(logind.isLocked)
        let id = try await client.request("Vibrate", [.string("5000"), .dictionary([:])])
        // The request is answered before it begins.
        while !bench.board.motor.isOn { await Task.yield() }

        logind.prepareForSleep(true)
        await logind.lockIsReleased()
        #expect(!bench.board.motor.isOn)
        #expect(await client.ended() == .init(request: id, outcome: "stopped", reason: "caller"))
        // Nothing turns the motor on before the machine sleeps, however long that takes.
        bench.clock.advance(by: .seconds(8))
        let early = try await client.request("Vibrate", [.string("400"), .dictionary([:])])
        #expect(await client.ended() == .init(request: early, outcome: "failed", reason: "error"))
        #expect(bench.board.motor.turnCount == 1)

        bench.clock.sleep(for: .seconds(3600))
        logind.prepareForSleep(false)
        while logind.inhibitions.count < 2 { await Task.yield() }
        #expect(try await logind.property("Board") == .string("simulated"))
        #expect(logind.isLocked && logind.inhibitions == [lock, lock])
        let late = try await client.request("Vibrate", [.string("400"), .dictionary([:])])
        try await client.advance(.seconds(1))
        #expect(await client.ended() == .init(request: late, outcome: "finished", reason: ""))
        bench.stop()
        await logind.lockIsReleased()
    }

    @Test("after a sleep that was given up the motor turns at once")
    func givenUp() async throws {
        let bench = try ServiceBench(followsLogind: true)
        let (client, logind) = (try bench.client(), try FakeLogind(bench.bus.address))
        while !logind.isLocked { await Task.yield() }
        #expect(try await logind.property("Board") == .string("simulated"))
        logind.prepareForSleep(true)
        await logind.lockIsReleased()
        logind.prepareForSleep(false)
        #expect(try await logind.property("Board") == .string("simulated"))
        let id = try await client.request("Vibrate", [.string("400"), .dictionary([:])])
        try await client.advance(.seconds(1))
        #expect(await client.ended() == .init(request: id, outcome: "finished", reason: ""))
    }

    @Test("a logind that comes later is asked to delay sleep too, and one that refuses is reported")
    func refused() async throws {
        let bench = try ServiceBench(followsLogind: true)
        let client = try bench.client()
        // It gets signals from now on.
        _ = try await client.property("Board")
        do {
            let first = try FakeLogind(bench.bus.address)
            while first.inhibitions.isEmpty { await Task.yield() }
            await first.leave()
        }
        let logind = try FakeLogind(bench.bus.address, refusesLocks: true)
        for await signal in client.signals where signal.member == "Degraded" {
            #expect(
                signal.arguments.first?.string
                    == "org.freedesktop.login1: cannot delay sleep: permission denied (no locks for you)")
            break
        }
        // What it announces is obeyed all the same.
        _ = try await client.request("Vibrate", [.string("5000"), .dictionary([:])])
        logind.prepareForSleep(true)
        #expect(try await logind.property("Board") == .string("simulated"))
        #expect(!bench.board.motor.isOn)
    }
}
