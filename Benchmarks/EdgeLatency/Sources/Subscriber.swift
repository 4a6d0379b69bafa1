import Glibc
import RingerLinux

/// Prints, for each move of the switch, the nanoseconds from the kernel's stamp until a subscriber has it:
/// `Subscriber WAY SWITCH`. It prints "ready" first, and runs until it is killed.
@main
struct Subscriber {
    static func main() throws {
        guard CommandLine.arguments.count == 3 else { throw RingerError(.invalid, "read the arguments", "Subscriber") }
        let way = CommandLine.arguments[1]
        let hardware = Device.Hardware(ringSilent: try SwitchSpecification(CommandLine.arguments[2]))
        let loop = try EventLoop(name: "main")
        try loop.run {
            switch way {
            case "observer":
                let configuration = Device.Configuration(observer: { event in
                    if case .switchMoved(_, _, let at) = event { tell(at) }
                })
                let device = try await Device.discover(hardware, configuration: configuration)
                // Something to wait for that never comes.
                for await _ in device.events.filter({ _ in false }) {}
            case "states":
                let device = try await Device.discover(hardware)
                await Task.detached { await readStates(of: device) }.value
            case "events":
                let device = try await Device.discover(hardware)
                await Task.detached {
                    for await case .switchMoved(_, _, let at) in device.eventsFromPosition { tell(at) }
                }.value
            case "states-on-loop":
                let device = try await Device.discover(hardware)
                guard let executor = device.clock as? EventLoop else { return }
                await Task(executorPreference: executor) { await readStates(of: device) }.value
            case "run":
                break
            default:
                throw RingerError(.invalid, "subscribe", way)
            }
        }
        if way == "run" { try Device.run(hardware) { await readStates(of: $0) } }
    }

    static func readStates(of device: Device) async {
        // Other changes of the state are no moves of the switch.
        var last: MonotonicTime?
        for await state in device.states where state.ringSilentAt != last {
            last = state.ringSilentAt
            if let last { tell(last) }
        }
    }

    /// Not inlined: what counts instructions looks for its name.
    @inline(never) static func tell(_ at: MonotonicTime) {
        let late = MonotonicTime.now.nanoseconds - at.nanoseconds
        print(late)
        fflush(nil)
    }
}
