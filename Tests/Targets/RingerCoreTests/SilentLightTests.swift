import RingerTestKit
import Testing

@testable import RingerCore

/// The light that is lit while the device is not at ring.
@Suite struct SilentLightTests {
    private let clock = VirtualClock()
    private let board: SimulatedBoard

    init() {
        board = SimulatedBoard(clock: clock)
    }

    @Test(
        "it is lit while the switch, the kept position or an unreadable switch silences, and off once the device is closed"
    )
    func follows() async throws {
        let device = try Device.simulated(board)
        #expect(board.silentLight.pattern == .off)
        board.ringSilent.position = .vibrate
        #expect(board.silentLight.pattern == .on)
        board.ringSilent.position = .silent
        try await device.setPosition(.silent)
        board.ringSilent.position = .ring
        #expect(board.silentLight.pattern == .on)
        board.button.press()
        #expect(board.silentLight.pattern == .off)
        device.setScreenLocked(true)
        board.ringSilent.position = .silent
        device.close()
        #expect(board.silentLight.pattern == .off)
        // Each change was shown once.
        #expect(board.silentLight.shown.map(\.pattern) == [.on, .off, .on, .off])
    }

    @Test("a device that begins at silent lights it, and so does a switch that cannot be read, as the user chose")
    func start() throws {
        board.ringSilent.becomeUnreadable()
        let device = try Device.simulated(board)
        #expect(board.silentLight.pattern == .on)
        device.preferences.whenSwitchUnreadable = .ring
        #expect(board.silentLight.pattern == .off)
        device.preferences.whenSwitchUnreadable = .silent
        #expect(board.silentLight.pattern == .on)
        device.close()
    }

    @Test("a light that fails is reported, and the next move tries again")
    func fails() throws {
        let seen = Record<DeviceEvent>()
        let device = try Device.simulated(board, configuration: .init(observer: { seen.append($0) }))
        board.silentLight.fail(with: RingerError(.disconnected, "show", "light"))
        board.ringSilent.position = .silent
        board.silentLight.fail(with: nil)
        board.ringSilent.position = .vibrate
        #expect(board.silentLight.pattern == .on)
        device.close()
        #expect(seen.all.contains { if case .degraded(let error, _) = $0 { error.subject == "light" } else { false } })
    }
}
