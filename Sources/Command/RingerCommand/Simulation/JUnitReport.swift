import RingerLinux
import SystemPackage
import RingerTerminal

/// The results of scripts as JUnit's XML, which continuous-integration servers read.
///
/// Each script is a test suite, each test a test case. Times are the device's, in seconds.
struct JUnitReport: ~Copyable {
    private let path: String
    private var file: ReplacementFile
    private var suites: [String]
    private var totals = (tests: 0, failures: 0, seconds: 0.0)

    /// A report into the file at `path`, which is created now, so that no test runs if that fails.
    init(_ path: String) throws(RingerError) {
        // Assigned last: the compiler of Swift 6.2.3 crashes on an initializer that throws in between.
        let created: ReplacementFile
        do {
            created = try ReplacementFile(FilePath(path))
        } catch {
            throw RingerError("create", path, (error as? Errno) ?? .ioError)
        }
        file = created
        self.path = path
        suites = []
    }

    /// Adds the results of a script.
    mutating func add(_ results: [ScriptRun.Result], of script: Script) {
        let failures = results.count { $0.failure != nil }
        let seconds = results.reduce(0) { $0 + $1.length.inSeconds }
        let folder = Self.escaped(script.name)
        var text = "  <testsuite name=\"\(folder)\" tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"0\""
        text += " skipped=\"0\" time=\"\(seconds.fixed(6))\">\n"
        for result in results {
            text += "    <testcase name=\"\(Self.escaped(result.name))\" classname=\"\(folder)\""
            text += " file=\"\(folder)\" time=\"\(result.length.inSeconds.fixed(6))\""
            text += result.failure.map { " line=\"\($0.line)\">\n" } ?? ">\n"
            if let failure = result.failure {
                let message = Self.escaped("line \(failure.line): \(failure.text): \(failure.reason)")
                text += "      <failure message=\"\(message)\"/>\n"
            }
            text += "      <system-out>\(Self.escaped(result.log.joined(separator: "\n")))</system-out>\n"
            text += "    </testcase>\n"
        }
        suites.append(text + "  </testsuite>\n")
        totals.tests += results.count
        totals.failures += failures
        totals.seconds += seconds
    }

    /// Writes the report.
    mutating func finish() throws(RingerError) {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"\(totals.tests)\" "
            + "failures=\"\(totals.failures)\" errors=\"0\" time=\"\(totals.seconds.fixed(6))\">\n"
            + suites.joined() + "</testsuites>\n"
        do {
            try file.descriptor.writeAll(text.utf8)
            try file.finish()
        } catch {
            throw RingerError("write", path, (error as? Errno) ?? .ioError)
        }
    }

    /// The text, escaped for XML 1.0; characters that XML cannot represent become question marks.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\n", "\t": String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: "?"
            default: String(scalar)
            }
        }.joined()
    }
}
