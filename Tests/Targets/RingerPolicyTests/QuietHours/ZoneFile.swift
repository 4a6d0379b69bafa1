import Glibc
import RingerPolicy
import SeededGenerator

/// A time zone file of a test, as bytes.
struct ZoneFile {
    var version: Character? = "2"
    var types: [Int32] = [0]
    var transitions: [(time: Int64, type: UInt8)] = []
    var leapSeconds = 0
    var footer = ""

    /// The bytes: a block of 32 bits, and from version 2 on one of 64 bits and the footer.
    var bytes: [UInt8] {
        guard let version else { return block(version: 0, timeSize: 4) }
        let first = ZoneFile(version: version).block(version: version.asciiValue ?? 0, timeSize: 4)
        return first + block(version: version.asciiValue ?? 0, timeSize: 8) + "\n\(footer)\n".utf8
    }

    /// Where the 64-bit block begins.
    static let second = 44 + 6 + 4

    private func block(version: UInt8, timeSize: Int) -> [UInt8] {
        func big(_ value: Int64, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
        }
        var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        for count in [0, 0, leapSeconds, transitions.count, types.count, 4] { bytes += big(Int64(count), 4) }
        for transition in transitions { bytes += big(transition.time, timeSize) }
        bytes += transitions.map(\.type)
        for type in types { bytes += big(Int64(type), 4) + [0, 0] }
        bytes += "ABC\0".utf8
        for index in 0..<leapSeconds { bytes += big(Int64(index) * 40_000_000, timeSize) + big(Int64(index + 1), 4) }
        return bytes
    }

    /// The file of a zone of this machine; nil if it has none.
    static func installed(_ name: String) -> [UInt8]? {
        guard let file = fopen("/usr/share/zoneinfo/\(name)", "r") else { return nil }
        defer { fclose(file) }
        return contents(file)
    }

    /// What is left of a file, which is closed by its owner.
    static func contents(_ file: UnsafeMutablePointer<FILE>) -> [UInt8] {
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return bytes
    }
}

/// Python's zoneinfo, an independent source of local times.
enum ZoneInfo {
    /// Whether tests that need it run. Where `RINGER_REQUIRE_ORACLES` is set they always do, and fail without.
    static var isPresent: Bool {
        getenv("RINGER_REQUIRE_ORACLES") != nil
            || access("/usr/bin/python3", X_OK) == 0 && ZoneFile.installed("Europe/Berlin") != nil
    }

    struct Failure: Error {
        let command: String
    }

    /// What `Zones/expect.py` prints, in words. The arguments have no quotation marks.
    static func expect(_ arguments: [String]) throws -> [[Substring]] {
        let script = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/Zones/expect.py"
        let command = (["python3", script] + arguments).map { "'\($0)'" }.joined(separator: " ")
        guard let output = popen(command, "r") else { throw Failure(command: command) }
        let text = String(decoding: ZoneFile.contents(output), as: UTF8.self)
        guard pclose(output) == 0 else { throw Failure(command: command) }
        return text.split(separator: "\n").map { $0.split(separator: " ") }
    }
}

extension SeededGenerator {
    /// Quiet hours of some spans, of times that are near each other, and near those at which clocks are set.
    mutating func quietHours() throws -> QuietHours {
        let times = [0, 1, 90, 119, 120, 135, 150, 179, 180, 210, 420, 720, 1_320, 1_410, 1_439]
        let spans = try (0...below(5)).map { _ throws in
            let days = Weekdays(rawValue: UInt8(1 + below(127)))
            let (begin, end) = (pick(times), pick(times))
            let volume = pick([nil, nil, 0, 0.3, 1, Float(below(1_001)) / 1_000])
            return try QuietHours.Span(days, from: begin, to: end, volume: volume)
        }
        return try QuietHours(spans)
    }
}

/// A second of UTC.
func utc(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) -> Int64 {
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
    (time.tm_hour, time.tm_min, time.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
    return Int64(timegm(&time))
}
