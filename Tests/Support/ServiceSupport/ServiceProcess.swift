import CServiceSupport
import Glibc
import RingerCore
import RingerBus
import SystemPackage

/// The service as a process of its own on a test's bus, with a simulated board, until it is released.
package final class ServiceProcess: Sendable {
    package let process: pid_t

    /// - Parameters:
    ///   - bus: The bus.
    ///   - isRealTime: Whether the board has a real clock instead of a virtual one.
    ///   - configuration: Its configuration file.
    ///   - descriptors: How many descriptors it may have.
    ///   - withoutMachineID: Whether its machine has no identity, as one that starts for the first time.
    ///   - libraries: The folder where it finds its libraries first; nil for none.
    ///   - environment: Variables besides those of this process.
    ///   - errors: The file that gets its standard error; nil for the test's own.
    package init(
        _ bus: TestBus, isRealTime: Bool = false, configuration: String = "/dev/null", descriptors: Int = 1024,
        withoutMachineID: Bool = false, libraries: String? = nil, environment: [String: String] = [:],
        errors: String? = nil
    ) throws {
        let folder = CommandLine.arguments[0].split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let service =
            "\(folder)/ringerd --address '\(bus.address)' --board simulated --clock \(isRealTime ? "real" : "virtual") --config '\(configuration)'"
        let redirection = errors.map { " 2>'\($0)'" } ?? ""
        let path = libraries.map { "export LD_LIBRARY_PATH='\($0)' && " } ?? ""
        let variables = environment.map { "\($0)='\($1)' " }.joined()
        let program = variables.isEmpty ? service : "env \(variables)\(service)"
        let script = "ulimit -n \(descriptors) && \(path)exec \(program)\(redirection)"
        let hidden = "mount --bind /dev/null /etc/machine-id && \(script)"
        let words = withoutMachineID ? ["unshare", "--mount", "sh", "-c", hidden] : ["sh", "-c", script]
        process = try startProcess(words) { test_close_from(&$0, 3) }
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Sends SIGTERM, and returns the status with which it exits; nil where a signal ends it.
    package func terminate() -> CInt? {
        kill(process, SIGTERM)
        var information = siginfo_t()
        waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT)
        return information.si_code == CLD_EXITED ? information._sifields._sigchld.si_status : nil
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
