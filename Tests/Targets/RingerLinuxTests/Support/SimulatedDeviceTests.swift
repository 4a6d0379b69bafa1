import RingerLinux
import RingerTestKit

/// What tests of a device on a simulated board need, in virtual time.
class SimulatedDeviceTests {
    let clock = VirtualClock()
    let board: SimulatedBoard
    let device: Device

    init() throws {
        board = SimulatedBoard(clock: clock)
        device = try Device.simulated(board)
    }
}
