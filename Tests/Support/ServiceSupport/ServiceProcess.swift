import Glibc
import Ringer
import RingerBus
import SystemPackage

/// The service as a process of its own on a test's bus, with a simulated board in virtual time, until it is released.
package final class ServiceProcess: Sendable {
    private let process: pid_t

    /// - Parameters:
    ///   - bus: The bus.
    ///   - descriptors: How many descriptors it may have.
    ///   - withoutMachineID: Whether its machine has no identity, as one that starts for the first time.
    package init(_ bus: TestBus, descriptors: Int, withoutMachineID: Bool = false) throws {
        let folder = CommandLine.arguments[0].split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let service =
            "\(folder)/ringerd --address '\(bus.address)' --board simulated --clock virtual --config /dev/null"
        let script = "ulimit -n \(descriptors) && exec \(service)"
        let hidden = "mount --bind /dev/null /etc/machine-id && \(script)"
        let words = withoutMachineID ? ["unshare", "--mount", "sh", "-c", hidden] : ["sh", "-c", script]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        guard result == 0 else { throw RingerError("start", service, Errno(rawValue: result)) }
        self.process = process
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Whether it has not ended.
    package var isRunning: Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0
            && information.si_signo == 0
    }

    /// Returns once it answers `client`.
    package func serves(_ client: BusClient) async throws {
        while isRunning {
            if await client.error(
                "Get", [.string(RingerNames.interface), .string("Board")], interface: BusInterface.properties) == nil
            {
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw RingerError(.system, "start", "ringerd", detail: "it has ended")
    }
}
