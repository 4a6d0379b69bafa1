import Glibc
import RingerCore
import Synchronization
import Testing

@testable import RingerLinux

/// The zone of local wall time, from TZ or the system's file.
@Suite final class SystemTimeZoneTests: LoopTests {
    /// A file of a zone with one offset.
    private func write(_ hours: UInt8, to name: String) throws {
        let counts = [0, 0, 0, 0, 1, 4].map { "\0\0\0" + String(UnicodeScalar(UInt8($0))) }.joined()
        let head = "TZif2" + String(repeating: "\0", count: 15) + counts
        // An hour is 3,600 s: 0xe10.
        let type = hours == 0 ? "\0\0\0\0" : "\0\0\u{e}\u{10}"
        let block = head + type + "\0\0ABC\0"
        try directory.write(block + block + "\n<ABC>-\(hours)\n", to: name + ".new")
        #expect(rename(directory.path.string + "/\(name).new", directory.path.string + "/\(name)") == 0)
    }

    private func zone(_ variable: String?) -> SystemTimeZone {
        SystemTimeZone(
            loop: loop, variable: variable, localtime: directory.path.appending("localtime"), zones: directory.path)
    }

    private func offset(_ variable: String?) -> Result<Int64, RingerError>? {
        let zone = zone(variable)
        defer { zone.close() }
        let offsets = Mutex<[Result<Int64, RingerError>]>([])
        zone.start { result in offsets.withLock { $0.append(result.map { $0.offset(at: 0) }) } }
        return offsets.withLock { $0 }.first
    }

    @Test("TZ names a zone or has its rules; without it the system's file counts, and without that UTC")
    func sources() throws {
        #expect(offset(nil) == .success(0))
        try write(1, to: "Zone")
        #expect(offset("Zone") == .success(3_600) && offset(":Zone") == .success(3_600))
        #expect(offset("EST5EDT") == .success(-5 * 3_600) && offset("") == .success(0))
        #expect(offset(nil) == .success(0))
        try write(1, to: "localtime")
        #expect(offset(nil) == .success(3_600) && offset("UTC0") == .success(0))
        guard case .failure(let error) = offset("Nowhere/Land") else {
            Issue.record("it is no zone")
            return
        }
        #expect(error.subject == "TZ=Nowhere/Land" && error.detail?.contains("does not exist") == true)
        // Without any file of a zone.
        #expect(try offset("UTC")?.get() == 0)
        try directory.write("no zone", to: "localtime")
        guard case .failure(let damaged) = offset(nil) else {
            Issue.record("it is no zone")
            return
        }
        #expect(damaged.subject == directory.path.string + "/localtime" && damaged.detail?.contains("byte") == true)
    }

    @Test("a file that is replaced counts at once, and other files beside it do not matter")
    func replaced() async throws {
        try write(0, to: "localtime")
        let path = directory.path.string + "/localtime"
        try write(1, to: "hour")
        let hour = try TextFile.bytes(of: directory.path.string + "/hour", "read the zone")
        let zone = zone(nil)
        let (offsets, continuation) = AsyncStream<Int64?>.makeStream()
        zone.start { continuation.yield(try? $0.get().offset(at: 0)) }
        var iterator = offsets.makeAsyncIterator()
        #expect(await iterator.next() == .some(.some(0)))
        try directory.write("", to: "other")
        try write(1, to: "localtime")
        #expect(await iterator.next() == .some(.some(3_600)))
        directory.remove("localtime")
        #expect(await iterator.next() == .some(.some(0)))
        // Missing and unreadable are two things; a file may be written in its place.
        symlink("localtime", path)
        #expect(await iterator.next() == .some(nil))
        directory.remove("localtime")
        #expect(await iterator.next() == .some(.some(0)))
        try write(0, to: "localtime")
        #expect(await iterator.next() == .some(.some(0)))
        let file = open(path, O_WRONLY)
        #expect(Glibc.write(file, hour, hour.count) == hour.count)
        close(file)
        #expect(await iterator.next() == .some(.some(3_600)))
        zone.close()
    }
}
