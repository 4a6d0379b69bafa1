import RingerLinux
import RingerTestKit
import Testing

/// Setting the output volume.
@Suite struct OutputVolumeTests {
    @Test("the volume is in the device's state when setting it returns, and sessions report it")
    func set() throws {
        let device = try Device.simulated(SimulatedBoard(clock: VirtualClock()))
        #expect(device.state.outputVolume == nil)
        try device.setOutputVolume(0.25)
        #expect(device.state.outputVolume == 0.25)
        #expect(device.sessions.make(category: .playback).outputVolume == 0.25)
    }

    @Test("a volume outside of 0 to 1 is refused by name", arguments: [-0.1, 1.1, .nan, .infinity] as [Float])
    func range(volume: Float) throws {
        let device = try Device.simulated(SimulatedBoard(clock: VirtualClock()))
        let error = try #require(throws: RingerError.self) { try device.setOutputVolume(volume) }
        #expect(error.code == .invalid)
        #expect("\(error)" == "output: cannot set the volume to \(volume): not valid (a volume is 0 to 1)")
        #expect(device.state.outputVolume == nil)
    }

    @Test("without a mixer the volume cannot be set: none is followed, or it has gone")
    func noMixer() throws {
        let board = SimulatedBoard(clock: VirtualClock())
        var ports = Device.Ports(simulated: board)
        ports.setOutputVolume = nil
        #expect(
            try #require(throws: RingerError.self) { try Device(ports).setOutputVolume(1) }.code == .unsupported)
        let device = try Device.simulated(board)
        board.surroundings.set(.outputVolume(nil))
        #expect(try #require(throws: RingerError.self) { try device.setOutputVolume(1) }.code == .notFound)
        board.surroundings.set(.outputVolume(0))
        try device.setOutputVolume(1)
        #expect(device.state.outputVolume == 1)
    }
}
