import Foundation
import PaymentRules
import Testing

@testable import PaymentSpeaker

@Suite struct OutputTests {
    static let hostile = "a\nPaymentSpeaker: all is well\r\u{1B}[2J\u{9B}2J\u{7F}\u{202E}\u{2028}\u{E0041}\0号"

    @Test func textFromTheNetworkForgesNoLineAndCommandsNoTerminal() {
        let report = Report(transaction: Self.hostile, outcome: .refused)
        #expect(
            Output.printable(report.text) == #"a\u000aPaymentSpeaker: all is well\u000d\u001b[2J\u009b2J\u007f\u202e"#
                + #"\u2028\udb40\udc41\u0000号 refused"#)
    }

    @Test func aFilteredLineOfJSONHasTheSameContents() throws {
        // jansson refuses a zero byte.
        let hostile = Self.hostile.replacing("\0", with: "")
        let line = Output.printable(Report(transaction: hostile, outcome: .refused).json)
        #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(try #require(JSONObject(line.utf8)).string("transaction") == hostile)
    }

    @Test func linesThatNobodyReadsAreLostAndCounted() async throws {
        let pipe = Pipe()
        let output = await Output(pipe.fileHandleForWriting.fileDescriptor)
        let line = String(repeating: "x", count: 99)
        // It returns.
        for _ in 0..<5000 { await output.line(line) }
        _ = fcntl(pipe.fileHandleForReading.fileDescriptor, F_SETFL, O_NONBLOCK)
        var text = ""
        func readAll() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(pipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count), count > 0 {
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
        }
        for _ in 0..<10 {
            readAll()
            // Prints what waits as well.
            await output.line("again")
        }
        readAll()
        let lines = text.split(separator: "\n")
        let heard = lines.count { $0 == line }
        #expect(lines.count { $0.hasSuffix("lines were not read in time, and are lost") } == 1)
        #expect(lines.contains("\(5000 - heard) lines were not read in time, and are lost"))
        #expect(lines.last == "again")
    }

    @Test func aReaderThatEndedIsNoObstacle() async throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let output = await Output(pipe.fileHandleForWriting.fileDescriptor)
        for _ in 0..<5000 { await output.line("x") }
    }
}
