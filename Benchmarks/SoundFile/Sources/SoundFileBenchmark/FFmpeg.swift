import Foundation

/// Decoding by ffmpeg as a process, minus its time for starting and decoding almost nothing.
struct FFmpeg {
    private let path: String
    private let folder: URL

    init?() {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        guard
            let path = directories.map({ "\($0)/ffmpeg" }).first(where: FileManager.default.isExecutableFile(atPath:))
        else { return nil }
        self.path = path
        folder = FileManager.default.temporaryDirectory
    }

    func time(_ bytes: [UInt8], _ rows: inout Rows) throws {
        let file = folder.appendingPathComponent("ringer-benchmark-\(getpid()).caf")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(bytes).write(to: file)
        let whole = try seconds(["-i", file.path])
        let start = try seconds(["-i", file.path, "-t", "0.001"])
        rows.add("ffmpeg: IMA4 in CAF, net", max(1e-6, whole - start))
    }

    private func seconds(_ arguments: [String]) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-v", "error", "-threads", "1"] + arguments + ["-f", "s16le", "-y", "/dev/null"]
        process.standardInput = FileHandle.nullDevice
        let start = Self.spent
        try process.run()
        process.waitUntilExit()
        return Self.spent - start
    }

    /// The processor time of the processes that have ended.
    private static var spent: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6
    }
}
