extension TimeZoneRules {
    /// The most transitions of a file, as in tzcode (`TZ_MAX_TIMES`); zones of the world have about 250.
    package static let mostTransitions = 2_000

    /// Reads the bytes of a TZif file of versions 1 to 4, as `/etc/localtime` is one.
    ///
    /// Of a file with two blocks the 64-bit one counts. Leap seconds are ignored. Without a footer the last offset lasts.
    /// The source is RFC 9636, which replaces RFC 8536.
    ///
    /// - Throws: ``TimeZoneError`` with the byte.
    package init(tzif bytes: [UInt8]) throws(TimeZoneError) {
        let file = TimeZoneFile(bytes)
        let first = try file.header(at: 0)
        guard first.version != 0 else {
            let (offset, table, _) = try file.block(first, timeSize: 4)
            self.init(first: offset, table: table, footer: nil)
            return
        }
        // The first block is for readers of version 1.
        let header = try file.header(at: try file.end(of: first, timeSize: 4))
        guard header.version == first.version else {
            throw TimeZoneError(.byte(header.start + 4), "the second header has another version than the first")
        }
        let (offset, table, end) = try file.block(header, timeSize: 8)
        self.init(first: offset, table: table, footer: try file.footer(at: end))
    }
}

/// The parts of a TZif file. Numbers are big-endian.
private struct TimeZoneFile {
    struct Header {
        /// Where it begins.
        var start: Int
        /// 0 for version 1, or the digit.
        var version: UInt8
        var utcIndicators, standardIndicators, leapSeconds, transitions, types, characters: Int64

        static let size = 44

        /// In bytes, of the data behind it.
        func size(timeSize: Int64) -> Int64 {
            transitions * (timeSize + 1) + types * 6 + characters + leapSeconds * (timeSize + 4) + standardIndicators
                + utcIndicators
        }
    }

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func number(_ offset: Int, _ size: Int) -> Int64 {
        // The sign is that of the first byte.
        var value = Int64(Int8(bitPattern: bytes[offset]))
        for index in 1..<size { value = value << 8 | Int64(bytes[offset + index]) }
        return value
    }

    func header(at start: Int) throws(TimeZoneError) -> Header {
        guard bytes.count - start >= Header.size else {
            throw TimeZoneError(.byte(bytes.count), "the file ends; expected a header of 44 bytes at byte \(start)")
        }
        guard bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
            throw TimeZoneError(.byte(start), "expected \"TZif\", with which a time zone file begins")
        }
        let version = bytes[start + 4]
        guard version == 0 || (UInt8(ascii: "2")...UInt8(ascii: "4")).contains(version) else {
            throw TimeZoneError(.byte(start + 4), "version \(version); expected 0, or the digit 2, 3 or 4 (50 to 52)")
        }
        func count(_ index: Int) -> Int64 { number(start + 20 + 4 * index, 4) & 0xFFFF_FFFF }
        return Header(
            start: start, version: version, utcIndicators: count(0), standardIndicators: count(1),
            leapSeconds: count(2),
            transitions: count(3), types: count(4), characters: count(5))
    }

    /// Where the data of a header end, which are within the file.
    func end(of header: Header, timeSize: Int64) throws(TimeZoneError) -> Int {
        let start = header.start + Header.size
        let size = header.size(timeSize: timeSize)
        guard size <= Int64(bytes.count - start) else {
            throw TimeZoneError(.byte(bytes.count), "the file ends; expected \(size) bytes of data at byte \(start)")
        }
        return start + Int(size)
    }

    /// The data of a header: the first offset, the transitions, and where the data end.
    func block(
        _ header: Header, timeSize: Int
    ) throws(TimeZoneError) -> (first: Int64, table: [(time: Int64, offset: Int64)], end: Int) {
        func refuse(_ index: Int, _ reason: String) -> TimeZoneError {
            TimeZoneError(.byte(header.start + 20 + 4 * index), reason)
        }
        let (transitions, types) = (header.transitions, header.types)
        for (index, count) in [header.utcIndicators, header.standardIndicators].enumerated() {
            guard count == 0 || count == types else {
                throw refuse(index, "\(count) indicators; expected none, or as many as types, \(types)")
            }
        }
        guard transitions <= Int64(TimeZoneRules.mostTransitions) else {
            throw refuse(3, "\(transitions) transitions; expected at most \(TimeZoneRules.mostTransitions)")
        }
        guard (1...256).contains(types) else { throw refuse(4, "\(types) types of local time; expected 1 to 256") }
        guard header.characters > 0 else { throw refuse(5, "no characters of names; expected 1 or more") }
        let end = try end(of: header, timeSize: Int64(timeSize))

        let times = header.start + Header.size
        let indices = times + Int(transitions) * timeSize
        let firstType = indices + Int(transitions)
        var offsets: [Int64] = []
        for index in 0..<Int(types) {
            let type = firstType + 6 * index
            let offset = number(type, 4)
            guard TimeZoneRules.offsets.contains(offset) else {
                throw TimeZoneError(.byte(type), "an offset of \(offset) s; expected -89999 to 93599")
            }
            guard bytes[type + 4] <= 1 else {
                throw TimeZoneError(.byte(type + 4), "\(bytes[type + 4]) for summer time; expected 0 or 1")
            }
            guard Int64(bytes[type + 5]) < header.characters else {
                throw TimeZoneError(.byte(type + 5), "name \(bytes[type + 5]); expected less than \(header.characters)")
            }
            offsets.append(offset)
        }
        var table: [(time: Int64, offset: Int64)] = []
        for index in 0..<Int(transitions) {
            let time = number(times + index * timeSize, timeSize)
            if let last = table.last, time <= last.time {
                throw TimeZoneError(
                    .byte(times + index * timeSize), "transition \(time); expected a later one than \(last.time)")
            }
            let type = Int(bytes[indices + index])
            guard type < offsets.count else {
                throw TimeZoneError(.byte(indices + index), "type \(type); expected less than \(types)")
            }
            table.append((time, offsets[type]))
        }
        return (offsets[0], table, end)
    }

    /// The rules behind the data; nil if they are empty.
    func footer(at start: Int) throws(TimeZoneError) -> YearlyTimeRules? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\n") else {
            throw TimeZoneError(.byte(start), "expected the footer, which begins with a line feed")
        }
        guard bytes.count - start >= 2, bytes[bytes.count - 1] == UInt8(ascii: "\n") else {
            throw TimeZoneError(.byte(bytes.count), "the file ends; expected a line feed as the end of the footer")
        }
        let text = Array(bytes[start + 1..<bytes.count - 1])
        if text.isEmpty { return nil }
        do throws(TimeZoneError) {
            return try YearlyTimeRules(text)
        } catch {
            guard case .character(let index, _) = error.place else { throw error }
            throw TimeZoneError(
                .byte(start + 1 + index), "footer \"\(String(decoding: text, as: UTF8.self))\": \(error.reason)")
        }
    }
}
