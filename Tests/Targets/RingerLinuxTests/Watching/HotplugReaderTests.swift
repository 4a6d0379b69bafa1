import Glibc
import RingerCore
import Synchronization
import SystemPackage
import Testing

@testable import RingerLinux

// A named pipe replaces the device: written bytes are read, and closing the last writer unplugs it.
@Suite final class HotplugReaderTests: LoopTests {
    private var path: FilePath { directory.path.appending("device") }

    @Test("the current state is reported before start returns, then what is read, in order")
    func reading() async throws {
        let device = try PipeDevice(path)
        let (reader, told) = try startedReader()
        #expect(told.all == ["begin"])
        for byte in 1...3 as ClosedRange<UInt8> { device.write(byte) }
        await told.wait(for: "3")
        #expect(told.all == ["begin", "1", "2", "3"])
        #expect(reader.name == "pipe")
        reader.close()
    }

    @Test("a device that disappears is reported as lost, and as found when it is back, each time")
    func hotplug() async throws {
        var device = try PipeDevice(path)
        let (reader, told) = try startedReader()
        for round in 1...3 as ClosedRange<UInt8> {
            device.unplug()
            await told.wait(for: "lost")
            device = try PipeDevice(path)
            await told.wait(for: "found")
            device.write(round)
            await told.wait(for: "\(round)")
        }
        #expect(
            told.all == [
                "begin", "lost", "found", "begin", "1", "lost", "found", "begin", "2", "lost", "found", "begin", "3",
            ])
        reader.close()
    }

    // Such as a line without debouncing that floats.
    @Test("a device that has more all the time is read in parts, and holds up no timer")
    func restlessDevice() throws {
        let (turns, rest) = (Counter(Atomic(0)), Counter(Atomic(0)))
        let reader = HotplugReader<TestSource>(loop: loop, name: "restless", directory: directory.path) {
            () throws(RingerError) in
            try TestSource("restless", "/dev/null") { _, isReady, _ in
                (isReady ? turns : rest).value.add(1, ordering: .relaxed)
                return true
            }
        }
        try reader.start { _ in }
        for _ in 0..<10 {
            let isDue = Latch()
            let timer = loop.schedule(at: loop.now + .milliseconds(2)) { isDue.open() }
            #expect(isDue.wait(until: .now + .seconds(60)))
            withExtendedLifetime(timer) {}
        }
        reader.close()
        let (looks, parts) = (turns.value.load(ordering: .relaxed), rest.value.load(ordering: .relaxed))
        #expect(looks >= 10 && parts > 0 && parts <= 64 * looks, "\(looks) turns, \(parts) reads of what was left")
    }

    @Test("what the device has is read and told before drain returns")
    func draining() throws {
        let device = try PipeDevice(path)
        let (reader, told) = try startedReader()
        loop.sync {
            for byte in 1...3 as ClosedRange<UInt8> { device.write(byte) }
            reader.drain()
            #expect(told.all == ["begin", "1", "2", "3"])
        }
        reader.close()
        reader.drain()
    }

    @Test("a device that is opened anew tells what is news, and is lost where it cannot be opened")
    func reopening() async throws {
        var device = try PipeDevice(path)
        let (reader, told) = try startedReader()
        reader.reopen { _ in { _ in false } }
        #expect(told.all == ["begin"])
        reader.reopen { _ in { $0 == "begin" } }
        #expect(told.all == ["begin", "begin"])
        device.write(1)
        await told.wait(for: "1")
        try loop.syncThrowing { [path] () throws(RingerError) in
            unlink(path.string)
            reader.reopen { _ in { _ in false } }
        }
        #expect(told.all == ["begin", "begin", "1", "lost"])
        device = try PipeDevice(path)
        await told.wait(for: "found")
        device.write(2)
        await told.wait(for: "2")
        reader.close()
        reader.reopen { _ in { _ in true } }
        #expect(told.all == ["begin", "begin", "1", "lost", "found", "begin", "2"])
    }

    @Test("a device that opens and fails at once is not opened in an endless round")
    func brokenDevice() async throws {
        let reader = HotplugReader<TestSource>(loop: loop, name: "broken", directory: directory.path) {
            () throws(RingerError) in
            try TestSource("broken", "/dev/null") { _, _, _ throws(RingerError) in
                throw RingerError("read", "broken", Errno(rawValue: ENODEV))
            }
        }
        let told = Told()
        try reader.start { told.add($0) }
        await told.wait(for: "lost")
        await told.wait(for: "lost")
        for _ in 0..<10 { loop.sync {} }
        #expect(told.all == ["begin", "lost", "found", "begin", "lost"])

        // Any change of the directory makes it try again.
        try directory.write("", to: "other")
        await told.wait(for: "found")
        reader.close()
    }

    // An expander that did not acknowledge twice left the switch lost for ever: nothing changes in a directory then.
    @Test("a device whose bus failed is opened again without a change in its directory")
    func busFailure() async throws {
        let opened = Counter(Atomic(0))
        let device = try PipeDevice(path)
        let reader = HotplugReader<TestSource>(loop: loop, name: "failing", directory: directory.path) {
            [path] () throws(RingerError) in
            let number = opened.value.add(1, ordering: .relaxed).newValue
            // The first one fails when it is read, the next ones when they are opened, the fifth works.
            if (2...4).contains(number) { throw RingerError("open", "expander", Errno(rawValue: EIO)) }
            let source = try TestSource("failing", path.string) { descriptor, isReady, reports throws(RingerError) in
                if number == 1 { throw RingerError("read", "failing", Errno(rawValue: ENXIO)) }
                var bytes: [UInt8] = [0, 0]
                if isReady, Glibc.read(descriptor, &bytes, bytes.count) > 0 { reports.append("read") }
                return false
            }
            device.write(1)
            return source
        }
        let told = Told()
        try reader.start { told.add($0) }
        await told.wait(for: "lost")
        await told.wait(for: "found")
        await told.wait(for: "read")
        #expect(told.all == ["begin", "lost", "found", "begin", "read"])
        #expect(opened.value.load(ordering: .relaxed) == 5)
        reader.close()
    }

    // The watch of a chip that was removed reported it for ever, and the loop took a whole processor.
    @Test("the watch for the release of a busy device is made anew when it reports, though it goes on reporting")
    func brokenReleaseWatch() throws {
        let (opens, watches) = (Counter(Atomic(0)), Counter(Atomic(0)))
        let reader = HotplugReader<TestSource>(
            loop: loop, name: "held", directory: directory.path, awaited: .always,
            releaseWatch: { [loop] handler throws(RingerError) in
                var ends: [CInt] = [-1, -1]
                guard pipe(&ends) == 0 else { throw RingerError("open", "pipe", .current) }
                // The first one has hung up: that of a device that was removed.
                let isFirst = watches.value.add(1, ordering: .relaxed).newValue == 1
                if isFirst { close(ends[1]) }
                let watch = loop.watch(ends[0], for: Int16(POLLIN)) { _ in handler() }
                return { [ends] in
                    watch.cancel()
                    close(ends[0])
                    if !isFirst { close(ends[1]) }
                }
            }
        ) { () throws(RingerError) in
            opens.value.add(1, ordering: .relaxed)
            throw RingerError("open", "held", Errno(rawValue: EBUSY))
        }
        try reader.start { _ in }
        // Each of these takes a turn of the loop.
        for _ in 0..<50 { loop.sync {} }
        #expect(watches.value.load(ordering: .relaxed) == 2)
        #expect(opens.value.load(ordering: .relaxed) < 10)
        reader.close()
    }

    @Test("a device that is missing is an error, and nothing is watched")
    func missing() throws {
        let reader = makeReader()
        let error = #expect(throws: RingerError.self) { try reader.start { _ in } }
        #expect(error?.code == .notFound)
        let device = try PipeDevice(path)
        let told = Told()
        // It may be tried again.
        try reader.start { told.add($0) }
        #expect(told.all == ["begin"])
        let again = #expect(throws: RingerError.self) { try reader.start { _ in } }
        #expect(again?.code == .invalid)
        reader.close()
        withExtendedLifetime(device) {}
    }

    @Test("a handler that closes the reader is not called again")
    func closedByHandler() async throws {
        let device = try PipeDevice(path)
        let reader = makeReader()
        let told = Told()
        try reader.start { event in
            told.add(event)
            if told.all.last == "1" { reader.close() }
        }
        for byte in 1...9 as ClosedRange<UInt8> { device.write(byte) }
        await told.wait(for: "1")
        loop.sync {}
        #expect(told.all == ["begin", "1"])
    }

    @Test("closing from several threads during events leaves nothing open and makes no later calls")
    func closingRace() async throws {
        let path = path
        let directory = directory.path
        try await withOwnDescriptors {
            let loop = try EventLoop(name: "test-race")
            let before = openDescriptors()
            for _ in 0..<200 {
                let device = try PipeDevice(path)
                let reader = HotplugReader<TestSource>(loop: loop, name: "pipe", directory: directory) {
                    () throws(RingerError) in try .pipe(path)
                }
                let isClosed = Counter(Atomic(0))
                let late = Counter(Atomic(0))
                try reader.start { _ in
                    if isClosed.value.load(ordering: .acquiring) == 1 { late.value.add(1, ordering: .relaxed) }
                }
                for byte in 0..<8 as Range<UInt8> { device.write(byte) }
                loop.execute { reader.close() }
                reader.close()
                isClosed.value.store(1, ordering: .releasing)
                device.unplug()
                loop.sync {}
                #expect(late.value.load(ordering: .relaxed) == 0)
            }
            #expect(openDescriptors() == before)
            loop.close()
        }
    }

    private func makeReader() -> HotplugReader<TestSource> {
        HotplugReader(loop: loop, name: "not open", directory: directory.path) { [path] () throws(RingerError) in
            try .pipe(path)
        }
    }

    /// A reader that was started, and what it tells.
    private func startedReader() throws -> (HotplugReader<TestSource>, Told) {
        let (reader, told) = (makeReader(), Told())
        try reader.start { told.add($0) }
        return (reader, told)
    }
}

private final class Counter: Sendable {
    let value: Atomic<Int>

    init(_ value: consuming Atomic<Int>) {
        self.value = value
    }
}

/// The reports of a reader, as words.
private final class Told: Sendable {
    private struct State {
        var words: [String] = []
        var awaited: Int = 0
        var waiter: (word: String, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var all: [String] { state.withLock { $0.words } }

    func add(_ event: HotplugEvent<String>) {
        let word =
            switch event {
            case .report(let report): report
            case .lost: "lost"
            case .found: "found"
            }
        let waiter = state.withLock { state in
            state.words.append(word)
            guard state.waiter?.word == word else { return nil as CheckedContinuation<Void, Never>? }
            state.awaited = state.words.count
            return state.waiter.take()?.continuation
        }
        waiter?.resume()
    }

    /// Waits until `word` is reported after the last one that was waited for.
    func wait(for word: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if let index = state.words[state.awaited...].firstIndex(of: word) {
                    state.awaited = index + 1
                    return true
                }
                state.waiter = (word, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

/// A named pipe, and its writing end.
private final class PipeDevice: Sendable {
    private let path: FilePath
    private let writer: Atomic<CInt>

    init(_ path: FilePath) throws {
        self.path = path
        // A pipe whose reader has gone is an error here, as with devices.
        signal(SIGPIPE, SIG_IGN)
        // Made aside and moved into place: it has a writer from the moment at which it is there.
        let aside = path.string + ".new"
        try #require(mkfifo(aside, 0o600) == 0)
        // A reader lets the writer open it without waiting.
        let reader = open(aside, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        writer = Atomic(open(aside, O_WRONLY | O_NONBLOCK | O_CLOEXEC))
        close(reader)
        try #require(rename(aside, path.string) == 0)
    }

    deinit {
        hangUp()
    }

    func write(_ byte: UInt8) {
        var byte = byte
        _ = Glibc.write(writer.load(ordering: .relaxed), &byte, 1)
    }

    func hangUp() {
        let descriptor = writer.exchange(-1, ordering: .relaxed)
        if descriptor >= 0 { close(descriptor) }
    }

    /// The file goes first, as it does for devices.
    func unplug() {
        unlink(path.string)
        hangUp()
    }
}

/// A file that `body` reads.
private struct TestSource: ~Copyable, WatchedDevice {
    typealias Read =
        @Sendable (_ descriptor: CInt, _ isReady: Bool, _ reports: inout [String]) throws(RingerError) -> Bool

    let name: String
    let descriptor: CInt
    private let body: Read

    init(_ name: String, _ path: String, _ body: @escaping Read) throws(RingerError) {
        let opened = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw RingerError("open", path, .current) }
        (self.name, descriptor, self.body) = (name, opened, body)
    }

    /// The reading end of a named pipe. One byte at a time: the reader asks again while there may be more.
    static func pipe(_ path: FilePath) throws(RingerError) -> TestSource {
        try TestSource("pipe", path.string) { descriptor, _, reports throws(RingerError) in
            var byte: UInt8 = 0
            switch Glibc.read(descriptor, &byte, 1) {
            case 1:
                reports.append("\(byte)")
                return true
            case 0:
                throw RingerError("read", "pipe", Errno(rawValue: ENODEV))
            default:
                return false
            }
        }
    }

    deinit {
        close(descriptor)
    }

    mutating func begin(now: MonotonicTime, into reports: inout [String]) {
        reports.append("begin")
    }

    mutating func read(
        isReady: Bool, now: () -> MonotonicTime, into reports: inout [String]
    ) throws(RingerError) -> Bool {
        try body(descriptor, isReady, &reports)
    }
}
