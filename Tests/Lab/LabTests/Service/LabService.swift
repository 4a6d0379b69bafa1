import Glibc
import RingerBus
import ServiceSupport

/// A bus of the type "system", and `ringerd` on it.
final class LabService {
    let address: String
    let bus: ChildProcess
    private(set) var ringerd: ChildProcess

    init(_ arguments: String...) async throws {
        let folder = "\(Lab.temporaryFolder)/bus-\(UInt32.random(in: 0 ... .max))"
        mkdir(folder, 0o755)
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>unix:path=\(folder)/bus</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/><allow send_destination="*"/><allow receive_type="signal"/><allow receive_type="method_call"/>
                <allow receive_type="method_return"/><allow receive_type="error"/>
              </policy>
              <policy user="root"><allow own="org.ringer.Ringer1"/><allow own="org.sigxcpu.Feedback"/></policy>
            </busconfig>
            """
        try write(Array(configuration.utf8), to: folder + "/bus.conf")
        address = "unix:path=\(folder)/bus"
        bus = try await ChildProcess.bus(folder + "/bus.conf")
        ringerd = try Self.start(address, arguments)
        try await isServed()
    }

    static func start(_ address: String, _ arguments: [String]) throws -> ChildProcess {
        let program = RingerCommandLine.path + "d"
        return try ChildProcess([program, "--address", address] + arguments)
    }

    func restart() async throws {
        ringerd = try Self.start(address, [])
        try await isServed()
    }

    /// A client whose vibration, of a minute, has begun, and the vibration's number.
    func vibrating() async throws -> (client: BusClient, id: UInt32) {
        let client = try BusClient(address)
        let id = try await client.request("Vibrate", [.string("60000"), .dictionary([:])])
        while try !LabBoard.chip.isHigh(LabBoard.motorLine) {
            try await Task.sleep(for: .milliseconds(5))
        }
        return (client, id)
    }

    /// Waits until the service owns its name.
    private func isServed() async throws {
        let client = try BusClient(address)
        var error: String?
        for _ in 0..<12_000 {
            error = await client.error("Decide", [.string("alert"), .dictionary([:])])
            if error == nil { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw LabFailure("ringerd does not answer: \(error ?? ""); it says: \(try ringerd.output())")
    }

    /// Calls a method as a user of this number in this group; returns what busctl printed.
    func call(user: Int, group: Int, _ arguments: String...) async throws -> String {
        try await ChildProcess(
            [
                "setpriv", "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "busctl",
                "--address=\(address)", "call", RingerNames.service, RingerNames.path,
            ] + arguments
        ).wait().output
    }
}

extension ChildProcess {
    /// A message bus that accepts connections. Its socket's file is there before it does.
    static func bus(_ configuration: String) async throws -> ChildProcess {
        let bus = try ChildProcess(
            "dbus-daemon", "--config-file=\(configuration)", "--nofork", "--nopidfile", "--print-address")
        for _ in 0..<12_000 {
            if try bus.output().contains("unix:path=") { return bus }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw LabFailure("dbus-daemon prints no address: \(try bus.output())")
    }
}
