import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("ringer simulate --junit")
struct JUnitTests {
    @Test("the report has a suite for each script and a case for each test, with times, failures and the log")
    func report() throws {
        let ringer = try Command()
        try ringer.write(
            Array(
                """
                test "ring" & <silent>
                play playback for 2 s
                expect finished within 3 s
                test it fails
                wait 1.5 s
                expect heard
                """.utf8), "a.script")
        try ringer.write(Array("expect silent\n".utf8), "b.script")
        let result = try ringer("simulate", "--script", "a.script", "--script", "b.script", "--junit", "report.xml")
        #expect(result.status == 1)
        let report = try XMLDocument(data: Data(ringer.read("report.xml")))
        func values(_ path: String) throws -> [String] {
            try report.nodes(forXPath: path).map { $0.stringValue ?? "" }
        }
        #expect(try values("/testsuites/@tests") == ["3"] && values("/testsuites/@failures") == ["1"])
        #expect(try values("//testsuite/@name") == ["a.script", "b.script"])
        #expect(try values("//testsuite/@failures") == ["1", "0"])
        #expect(try values("//testcase/@name") == ["ring & <silent>", "it fails", "b"])
        #expect(try values("//testcase/@time") == ["2.000000", "1.500000", "0.000000"])
        #expect(try values("//testcase[failure]/@line") == ["6"])
        #expect(try values("//failure/@message") == ["line 6: expect heard: nothing is heard"])
        #expect(try values("//testcase[1]/system-out")[0].contains("2.000000 s  sound 1   finished"))
    }

    @Test("a report that cannot be written is found out before anything runs")
    func unwritable() throws {
        let ringer = try Command()
        try ringer.write(Array("play playback\n".utf8), "a.script")
        let result = try ringer("simulate", "--script", "a.script", "--junit", "no/report.xml")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors == "Error: no/report.xml: cannot create: No such file or directory\n")
    }
}
