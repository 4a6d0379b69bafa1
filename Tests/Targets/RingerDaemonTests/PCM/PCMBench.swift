import CLinux
import CPCMProtocol
import Glibc
import PacedSupport
import RingerCore
import RingerTestKit
import ServiceSupport
import Synchronization
import SystemPackage
import Testing

@testable import RingerDaemon

/// The service's end of the ALSA plug-in on a simulated board in real time, and programs that play over the plug-in to a
/// paced sink, which keeps what was heard in a file.
final class PCMBench: Sendable {
    let folder: TemporaryFolder
    /// The device's, where the service also listens.
    let loop: EventLoop
    /// Where it serves those that it has admitted.
    let streamLoop: EventLoop
    let board: SimulatedBoard
    let device: Device
    /// Where the service listens.
    let socket: String
    private let server = Mutex<PCMServer?>(nil)
    private let authorization: Authorization
    private let budget: ServiceBudget
    private let configuration: String

    static let longGreeting = "GREETING_MILLISECONDS=20000"

    /// - Parameters:
    ///   - authorization: Who may play; nil for the user who runs the test.
    ///   - connections: How many connections each user may have.
    ///   - patience: How long the plug-in waits for a service on a slow machine, where that is not as long as the product's.
    ///   - isServed: Whether the service is started.
    init(
        authorization: Authorization? = nil, connections: Int = 32,
        patience: [String] = [longGreeting, "ANSWER_NANOSECONDS=600000000000"], isServed: Bool = true
    ) throws {
        try PacedSink.install()
        folder = try TemporaryFolder()
        socket = folder.path + "/pcm"
        loop = try EventLoop(name: "service", stackSize: 1024 * 1024)
        streamLoop = try EventLoop(name: "streams")
        board = SimulatedBoard(clock: loop)
        device = try Device.simulated(board)
        var own = Authorization()
        own.controllingUsers.insert(getuid())
        self.authorization = authorization ?? own
        budget = ServiceBudget(.init([.pcms: connections]), clock: device.clock)
        let package = Self.package
        let plugin = ([package + "/.build/alsa"] + patience).joined(separator: "-")
        let compiler = "CC=\"${CC:-cc} \(patience.map { "-D" + $0 }.joined(separator: " "))\""
        let build = "'\(package)/Sources/Service/ALSAPlugin/build' '\(plugin)'"
        guard system("\(compiler) \(build) >/dev/null </dev/null") == 0 else {
            throw RingerError(.system, "build", "Sources/Service/ALSAPlugin")
        }
        configuration = try folder.write(
            """
            <\(package)/.build/paced/asound.conf>
            pcm_type.ringer { lib "\(plugin)/libasound_module_pcm_ringer.so" }
            pcm.ringer {
                @args [ CATEGORY OPTIONS SLAVE WHEN_SILENCED IF_UNREACHABLE ]
                @args.CATEGORY { type string default soloAmbient }
                @args.OPTIONS { type string default "" }
                @args.SLAVE { type string default "paced_hw:UNDERRUNS=false" }
                @args.WHEN_SILENCED { type string default silence }
                @args.IF_UNREACHABLE { type string default silence }
                type plug
                slave.pcm {
                    type ringer
                    category $CATEGORY
                    options $OPTIONS
                    slave $SLAVE
                    when_silenced $WHEN_SILENCED
                    if_unreachable $IF_UNREACHABLE
                    socket "\(socket)"
                }
            }
            """, to: "asound.conf")
        if isServed { try start() }
    }

    deinit {
        stop()
        streamLoop.close()
        loop.close()
        device.close()
    }

    /// - Parameter ownProcess: The process whose sounds the service takes for its own; none by default, since the test is
    ///   the service's process.
    func start(ownProcess: pid_t = 0) throws {
        try loop.syncThrowing { [self] () throws(RingerError) in
            let made = PCMServer(
                device, loop: loop, streamLoop: streamLoop, path: socket, authorization: authorization,
                budget: budget, ownProcess: ownProcess)
            try made.start()
            server.withLock { $0 = made }
        }
    }

    func stop() {
        loop.sync { [self] in
            server.withLock { $0.take() }?.stop()
        }
    }

    /// Whether a descriptor of this process is the service's: of the socket where it listens, or of a connection there.
    func owns(_ descriptor: CInt) -> Bool {
        var address = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_un>.size)
        var size = socklen_t(address.count)
        let result = address.withUnsafeMutableBytes {
            getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        // The path is behind the family's two bytes.
        return result == 0 && address.dropFirst(2).prefix { $0 != 0 }.elementsEqual(socket.utf8)
    }

    /// Waits for a turn of each loop.
    func turn() {
        loop.sync {}
        streamLoop.sync {}
    }

    /// Flips the switch, and waits until every PCM has its state.
    func flip(to position: SwitchPosition) async throws {
        let witness = try PCMClient(self)
        witness.greet("ambient")
        #expect(try await witness.receive()?.first == Int(RINGER_PCM_ACCEPTED))
        board.ringSilent.position = position
        let state = position == .ring ? RINGER_PCM_HEARD : RINGER_PCM_SILENCED
        #expect(try await witness.receive() == [RINGER_PCM_STATE, state])
        // Every PCM gets its state in the same turn of the loop.
        turn()
    }

    // MARK: - Sounds

    /// What was heard of a sound: consecutive frames that are its own, at a gain, or silent.
    struct Stretch: Equatable {
        /// The frames' factor, rounded to tenths; nil for frames that are nothing of these.
        var gain: Double?
        var frames: Range<Int>
    }

    static let rate = 48_000
    /// The package's directory.
    static let package = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()

    /// After so many frames the sound repeats itself: a whole number of aplay's periods.
    static let period = 19_200

    /// The sample of a frame: never 0, and different from its neighbours. The same on both channels.
    static func sample(_ frame: Int) -> Int16 { Int16(5_000 + frame % period) * (frame % 2 == 0 ? 1 : -1) }

    /// So many frames of the sound.
    private static func sound(frames: Int) -> [UInt8] {
        (0..<frames).flatMap { frame in
            let sample = UInt16(bitPattern: sample(frame))
            let bytes = [UInt8(truncatingIfNeeded: sample), UInt8(sample >> 8)]
            return bytes + bytes
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    /// Writes a sound file, and returns its path.
    func sound(seconds: Int) throws -> String {
        let frames = seconds * Self.rate
        var bytes = [UInt8](repeating: 0, count: 44)
        func put(_ text: String, at offset: Int) { bytes.replaceSubrange(offset..<offset + 4, with: text.utf8) }
        func put(_ value: Int, _ count: Int, at offset: Int) {
            for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
        }
        put("RIFF", at: 0)
        put(frames * 4 + 36, 4, at: 4)
        put("WAVE", at: 8)
        put("fmt ", at: 12)
        for (value, count, offset) in [
            (16, 4, 16), (1, 2, 20), (2, 2, 22), (Self.rate, 4, 24), (Self.rate * 4, 4, 28), (4, 2, 32), (16, 2, 34),
        ] { put(value, count, at: offset) }
        put("data", at: 36)
        put(frames * 4, 4, at: 40)
        let path = "\(folder.path)/sound-\(seconds).wav"
        try write(bytes + Self.sound(frames: frames), to: path)
        return path
    }

    // MARK: - Programs

    /// A program that plays over the plug-in.
    final class Program: Sendable {
        private let process: pid_t
        private let heardPath: String
        private let messagesPath: String
        /// The file that is played over and over until it is removed, where there is one.
        private let source: String?
        private let status = Mutex<Int32?>(nil)

        fileprivate init(_ words: [String], _ configuration: String, _ heardPath: String, _ source: String?) throws {
            (self.heardPath, self.source) = (heardPath, source)
            messagesPath = heardPath + ".txt"
            process = try startProcess(
                ["env", "ALSA_CONFIG_PATH=\(configuration)", "LC_ALL=C"] + words, output: messagesPath)
        }

        deinit {
            if status.withLock({ $0 == nil }) {
                kill(process, SIGKILL)
                waitpid(process, nil, 0)
            }
        }

        func send(_ signal: CInt) {
            kill(process, signal)
        }

        /// How many frames the sink has played.
        var played: Int {
            var information = stat()
            return stat(heardPath, &information) == 0 ? Int(information.st_size) / 4 : 0
        }

        /// Whether the program has ended, with its exit status.
        var ended: Int32? {
            status.withLock { status in
                if let status { return status }
                var word: Int32 = 0
                guard waitpid(process, &word, WNOHANG) == process else { return nil }
                status = word & 0x7f == 0 ? word >> 8 & 0xff : 128 + word & 0x7f
                return status
            }
        }

        /// Waits until the sound is heard at that gain.
        func hear(gain: Double, ducked: Float = Ducking.gain) async throws {
            while ended == nil {
                if played > 0, try heard(from: played - 1, ducked: ducked).last?.gain == gain { return }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// Waits until the sink has played so many frames more.
        func hear(seconds: Double) async throws {
            let target = played + Int(seconds * Double(PCMBench.rate))
            while played < target, ended == nil { try await Task.sleep(for: .milliseconds(5)) }
        }

        /// Waits for the program's end, and returns its exit status.
        func end() async throws -> Int32 {
            while true {
                if let ended { return ended }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// Ends the sound of ``PCMBench/playOn(pcm:)``, and returns the program's exit status.
        func finish() async throws -> Int32 {
            if let source { unlink(source) }
            let status = try await end()
            // aplay plays 20 ms of silence where a sound ends whose length it does not know.
            let silence = played % PCMBench.period
            #expect(silence == PCMBench.rate / 50)
            truncate(heardPath, .init((played - silence) * 4))
            return status
        }

        /// What it has printed.
        var messages: String {
            do { return try TextFile.read(messagesPath) } catch { return "\(error)" }
        }

        /// The samples of one channel that were heard.
        func samples(from first: Int = 0) throws -> [Int16] {
            let file = try FileDescriptor.open(FilePath(heardPath), .readOnly)
            let bytes = try file.closeAfter {
                var bytes = [UInt8](repeating: 0, count: (played - first) * 4)
                let count = try bytes.withUnsafeMutableBytes {
                    try file.read(fromAbsoluteOffset: Int64(first * 4), into: $0)
                }
                return bytes.prefix(count)
            }
            return (0..<bytes.count / 4).map { index in
                Int16(bitPattern: UInt16(bytes[index * 4]) | UInt16(bytes[index * 4 + 1]) << 8)
            }
        }

        /// What was heard, in stretches. A frame next to its own stretch's end, which a ramp of the gain scaled, is nil; 0.2 is the
        /// gain `ducked`.
        func heard(from first: Int = 0, ducked: Float = Ducking.gain) throws -> [Stretch] {
            var stretches: [Stretch] = []
            for (index, sample) in try samples(from: first).enumerated() {
                let frame = first + index
                let factor = Double(sample) / Double(PCMBench.sample(frame))
                let gain =
                    sample == PCMBench.sample(frame)
                    ? 1 : sample == 0 ? 0 : abs(factor - Double(ducked)) < 0.001 ? 0.2 : nil
                if let last = stretches.last, last.gain == gain {
                    stretches[stretches.count - 1].frames = last.frames.lowerBound..<frame + 1
                } else {
                    stretches.append(Stretch(gain: gain, frames: frame..<frame + 1))
                }
            }
            return stretches
        }
    }

    private static let programs = Atomic(0)

    /// Starts a program on the PCM `ringer` with these arguments; `PCM` among its words stands for the PCM's name. The sink
    /// fails as `fault` says, in arguments of `paced_hw`.
    func run(
        _ words: [String], pcm arguments: String = "", fault: String = "FAULT=none", source: String? = nil
    ) throws -> Program {
        let heard = newFile("heard")
        let slave = "SLAVE='paced_hw:UNDERRUNS=false,CAPTURE=\(heard),\(fault)'"
        let pcm = "ringer:" + (arguments.isEmpty ? "" : arguments + ",") + slave
        return try Program(words.map { $0 == "PCM" ? pcm : $0 }, configuration, heard, source)
    }

    private func newFile(_ name: String) -> String {
        "\(folder.path)/\(name)-\(Self.programs.add(1, ordering: .relaxed).newValue)"
    }

    /// Compiles a program in C with alsa-lib, and returns its path.
    func compile(_ source: String) throws -> String {
        let path = newFile("program")
        guard system("cc -w -o '\(path)' '\(source)' -lasound -lm </dev/null") == 0 else {
            throw RingerError(.system, "compile", source)
        }
        return path
    }

    /// Runs `ringer detect` on the PCM, in a process that may not read the switch, and returns the reading in words. It is
    /// repeated where the machine was too slow for one.
    func detect(_ arguments: String) async throws -> String {
        let command =
            CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/") + "/ringer"
        // It is looked for again; a file that is no chip would be a mistake.
        let loop = newFile("loop")
        symlink(loop, loop)
        while true {
            let program = try run(
                [command, "detect", "--switch", "gpio:\(loop):0", "--motor", "none", "--pcm", "PCM"],
                pcm: arguments)
            _ = try await program.end()
            let slow = ["deadline", "streamDisturbed", "streamStalled", "timingDoubtful"]
            if !slow.contains(where: { program.messages.contains("unknown (\($0))") }) { return program.messages }
        }
    }

    /// Starts aplay with a file.
    func play(_ file: String, pcm arguments: String = "") throws -> Program {
        try run(["aplay", "-q", "-D", "PCM", file], pcm: arguments)
    }

    /// Starts aplay with a sound that goes on until ``Program/finish()``.
    func playOn(pcm arguments: String = "") throws -> Program {
        let source = newFile("source")
        try write(Self.sound(frames: Self.period), to: source)
        let script = "while cat \"$2\" 2>/dev/null; do :; done | aplay -q -D \"$1\" -t raw -f dat"
        return try run(["sh", "-c", script, "-", "PCM", source], pcm: arguments, source: source)
    }

    /// A bench, and aplay that is heard until ``Program/finish()``.
    static func playing() async throws -> (PCMBench, Program) {
        let bench = try PCMBench()
        let aplay = try bench.playOn()
        try await aplay.hear(gain: 1)
        return (bench, aplay)
    }
}

/// A client of the socket that need not keep to the protocol.
final class PCMClient {
    private let descriptor: CInt
    /// The flags of the packet that was received last.
    private(set) var flags = 0
    /// When the session was activated, by that packet; 0 where it is inactive.
    private(set) var since: UInt64 = 0

    convenience init(_ bench: PCMBench) throws { try self.init(bench.socket) }

    /// - Parameter socket: Where the service listens.
    init(_ socket: String) throws {
        descriptor = ringer_connect(socket)
        guard descriptor >= 0 else { throw RingerError("connect", socket, Errno(rawValue: errno)) }
    }

    deinit {
        close(descriptor)
    }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { ringer_send(descriptor, $0.baseAddress, $0.count) }
    }

    func send(_ packet: ringer_pcm_packet) {
        withUnsafeBytes(of: packet) { send(Array($0)) }
    }

    func send(kind: Int) {
        send(PCMPacket(kind: kind).packet)
    }

    /// Says that a stream starts, and returns once the service has read it.
    func start(on bench: PCMBench) {
        send(kind: RINGER_PCM_STARTED)
        // A packet is read in the turn that finds it, or in the next one.
        for _ in 0..<2 { bench.turn() }
    }

    /// Says that a stream runs since that time, in nanoseconds of CLOCK_MONOTONIC.
    func resume(_ category: String, since: UInt64) {
        greet(category, flags: RINGER_PCM_RUNS)
        var packet = PCMPacket(kind: RINGER_PCM_STARTED).packet
        packet.since = since
        send(packet)
    }

    /// A greeting of that category and direction.
    func greet(
        _ category: String, options: String = "", isCapture: Bool = false, version: Int32 = RINGER_PCM_VERSION,
        flags: Int = 0, program: UInt32? = nil
    ) {
        var packet = ringer_pcm_packet()
        packet.version = UInt8(version)
        packet.gain = program ?? 0
        packet.kind = UInt8(RINGER_PCM_HELLO)
        packet.flags = UInt8(flags | (program == nil ? 0 : RINGER_PCM_FOR_OTHERS))
        packet.value = UInt8(isCapture ? RINGER_PCM_CAPTURE : RINGER_PCM_PLAYBACK)
        func put<Field>(_ text: String, into field: inout Field) {
            withUnsafeMutableBytes(of: &field) { $0.copyBytes(from: Array(text.utf8)) }
        }
        put(category, into: &packet.category)
        put(options, into: &packet.options)
        put("test", into: &packet.name)
        send(packet)
    }

    /// Greets, and expects to be accepted and heard.
    func join(_ category: String, program: UInt32? = nil) async throws {
        greet(category, program: program)
        #expect(try await receive() == [RINGER_PCM_ACCEPTED, RINGER_PCM_HEARD])
    }

    /// Whether a packet waits, or the connection has ended.
    var hasPacket: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }

    /// The next packet's kind and value; nil when the connection has ended.
    func receive() async throws -> [Int]? {
        var packet = ringer_pcm_packet()
        var wasReset = false
        while true {
            let size = ringer_receive(descriptor, &packet, PCMPacket.size)
            (flags, since) = (Int(packet.flags), packet.since)
            if size == PCMPacket.size { return [Int(packet.kind), Int(packet.value)] }
            // A service that refused without reading the greeting: its reason comes next.
            if size < 0, errno == ECONNRESET, !wasReset {
                wasReset = true
                continue
            }
            guard size < 0, errno == EAGAIN else { return nil }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
