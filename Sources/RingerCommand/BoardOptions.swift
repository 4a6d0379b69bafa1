import ArgumentParser
import Ringer

/// Which device a command works on.
struct BoardOptions: ParsableArguments {
    /// Where a device's parts come from.
    enum Board: String, CaseIterable, ExpressibleByArgument {
        case auto, simulated
    }

    @Option(help: "The machine's own hardware (auto), or a simulated board.")
    var board = Board.auto
    @Option(help: "A simulated switch that stands there.")
    var position: SwitchPosition?

    /// A part without which a command makes no sense.
    enum Part {
        case ringSilentSwitch
    }

    /// The device that the options name.
    func makeDevice(
        requiring part: Part? = nil, configuration: Device.Configuration = .init()
    ) async throws -> Device {
        let (simulated, loop) = try SimulatedBoard.inRealTime(position: position ?? .ring)
        let device = try Device(Device.Ports(simulated: simulated) { loop.close() }, configuration: configuration)
        try device.closeOnTermination()
        return device
    }
}
