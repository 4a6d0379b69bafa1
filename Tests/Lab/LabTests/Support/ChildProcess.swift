import Glibc
import ServiceSupport
import Synchronization

/// A program that runs beside the test.
///
/// What it prints goes to a file in the guest's memory. It is killed and waited for when the last reference goes.
final class ChildProcess: Sendable {
    /// How a program ended.
    struct Outcome: Equatable, Sendable {
        /// Its exit status; for a death by signal, 128 and the signal's number.
        var status: Int32
        /// What it printed, errors included, except the end of the last line.
        var output: String
    }

    private let process: pid_t
    private let outputPath: String
    private let outcome = Mutex<Int32?>(nil)

    /// Starts a program; its name is searched in PATH.
    convenience init(_ arguments: String...) throws {
        try self.init(arguments)
    }

    /// Starts a program; its name, the first argument, is searched in PATH.
    init(_ arguments: [String]) throws {
        outputPath = "\(Lab.temporaryFolder)/output-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        process = try startProcess(arguments, output: outputPath)
    }

    deinit {
        if outcome.withLock({ $0 == nil }) {
            Glibc.kill(process, SIGKILL)
            _ = reap()
        }
        unlink(outputPath)
    }

    /// Sends a signal to a program that was not waited for yet.
    func send(_ signal: Int32) throws {
        try outcome.withLock { outcome in
            guard outcome == nil else { return }
            guard Glibc.kill(process, signal) == 0 else { throw LabFailure.system("kill", "\(process)") }
        }
    }

    /// What it has printed so far.
    func output() throws -> String {
        try KernelFile.read(outputPath)
    }

    /// Waits until it has ended.
    func wait() async throws -> Outcome {
        let status = try await blocking { self.reap() }
        return Outcome(status: status, output: try output())
    }

    /// Runs a program to its end.
    static func run(_ arguments: String...) async throws -> Outcome {
        try await ChildProcess(arguments).wait()
    }

    /// The lines of a GPIO chip, as the installed libgpiod's program shows them: that of 2.x has an option for the chip.
    static func gpioinfo(_ chip: String) async throws -> Outcome {
        try await run("sh", "-c", "gpioinfo \"$0\" 2>/dev/null || gpioinfo -c \"$0\"", chip)
    }

    private func reap() -> Int32 {
        // Waits without reaping and without the lock, so that a signal can be sent meanwhile, and never to a process
        // that has got this one's number since.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        return outcome.withLock { outcome in
            if let known = outcome { return known }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 && errno == EINTR {}
            let signal = status & 0x7f
            let result = signal == 0 ? (status >> 8) & 0xff : 128 + signal
            outcome = result
            return result
        }
    }
}
