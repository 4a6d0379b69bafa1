import Foundation
import Testing

@Suite("output that nobody reads")
struct BrokenPipeTests {
    /// Runs the command until its reader has read `lines` of them and has gone.
    private func run(_ arguments: [String], lines: Int) throws -> (reason: Process.TerminationReason, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("ringer")
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        // Processes that other tests start meanwhile have no copies of the ends.
        for pipe in [output, errors] {
            for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                #expect(fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0)
            }
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        if lines == 0 { try output.fileHandleForReading.close() }
        try process.run()
        var read = Data()
        while read.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
            read += output.fileHandleForReading.availableData
        }
        if lines > 0 { try output.fileHandleForReading.close() }
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(complaints.isEmpty, "\(String(decoding: complaints, as: UTF8.self))")
        return (process.terminationReason, process.terminationStatus)
    }

    @Test(
        "a command ends by SIGPIPE, without a word",
        arguments: [["policy"], ["sounds", "--json"], ["watch", "--board", "simulated"], ["--help"], ["simulate"]])
    func writing(arguments: [String]) throws {
        let result = try run(arguments, lines: 0)
        #expect(result.reason == .uncaughtSignal && result.status == SIGPIPE)
    }

    @Test("a command that waits ends too, with its device closed")
    func waiting() throws {
        let result = try run(["watch", "--board", "simulated"], lines: 8)
        #expect(result.reason == .uncaughtSignal && result.status == SIGPIPE)
    }
}
