import Glibc
import RingerCore
import RingerTestKit
import Synchronization

/// The board in the terminal, in real time: each key performs a step, and events are shown as they happen.
package enum InteractiveSimulation {
    private static let keys: [(key: Character, does: String, step: SimulationStep)] = [
        (" ", "flip the switch", .flip),
        ("r", "switch to ring", .move(.ring)), ("v", "switch to vibrate", .move(.vibrate)),
        ("s", "switch to silent", .move(.silent)),
        ("p", "play, soloAmbient", .play(melody(3), .soloAmbient, [], name: nil)),
        ("a", "announce, playback", .play(melody(3), .playback, [], name: nil)),
        ("o", "session, soloAmbient", .session(melody(10), .init(category: .soloAmbient), name: nil)),
        ("t", "system sound", .sound(.id(1000), asAlert: false, name: nil)),
        ("n", "notification", .notify(.standard, container: nil, name: nil)),
        ("g", "alert", .alert(.id(1005), .alert, .both, limit: nil, name: nil)),
        ("c", "a call rings", .call), ("e", "the call ends", .hangUp),
        ("m", "vibrate", .vibrate(.standard, name: nil)), ("d", "detect", .detect),
        ("l", "lock the screen", .lock(true)), ("u", "unlock it", .lock(false)),
        ("k", "kept: ring, silent", .keep(nil)), ("w", "press the button", .press(.zero)),
        ("h", "headphone in", .surroundings(.headphoneInserted(true))),
        ("j", "headphone out", .surroundings(.headphoneInserted(false))),
        ("b", "PCM busy", .output(.busy)), ("f", "PCM free", .output(.works)),
        ("x", "stop everything", .stop(nil)),
    ]

    private static func melody(_ seconds: Int) -> SimulationStep.Playing {
        SimulationStep.Playing(length: .seconds(seconds))
    }

    /// The keys, in as many columns as the terminal has room for.
    private static var help: String {
        let columns = max(1, Terminal.width / 29)
        let entries = keys.map { ($0.key == " " ? "space" : String($0.key), $0.does) } + [("q", "quit")]
        let cells = entries.map { "  " + $0.padded(to: 7) + $1.padded(to: 20) }
        return stride(from: 0, to: cells.count, by: columns).map { first in
            cells[first..<min(first + columns, cells.count)].joined()
        }.joined(separator: "\n")
    }

    /// Runs until the user quits.
    ///
    /// - Parameters:
    ///   - onTermination: Called when a signal ends the process, once the device is closed.
    ///   - atEnd: Called when the user has quit, with the board's time.
    package static func run(
        position: SwitchPosition = .ring, configuration: Device.Configuration = .init(), json: Bool = false,
        onTermination: @escaping @Sendable () -> Void = {},
        atEnd: (MonotonicTime) throws(RingerError) -> Void = { _ in }
    ) async throws {
        let (board, loop) = try SimulatedBoard.inRealTime(position: position)
        defer { loop.close() }
        let style = TerminalStyle(
            term: Terminal.environment("TERM"), noColor: Terminal.environment("NO_COLOR"))
        let screen = BoardScreen(loop: loop, style: style)
        let log = SimulationLog(json: json) { line throws(RingerError) in try screen.show(line.oneLine) }
        try screen.show(help)
        let observations = Observations()
        var configuration = configuration
        configuration.observer = { [observer = configuration.observer] event in
            log.note(event)
            observations.note(event)
            screen.update(event)
            observer?(event)
        }
        let device = try Device(Device.Ports(simulated: board), configuration: configuration)
        defer {
            device.close()
            observations.forget()
            // After an error, which is reported below the board.
            try? screen.finish()
        }
        let simulation = Simulation(board: board, device: device, observations: observations, log: log)

        let terminal = try KeyReader(loop: loop)
        defer { terminal.restore() }
        try device.close(on: Terminal.signals) {
            terminal.restore()
            // A terminal that takes nothing must not hold up the signal; one that is gone ended the program.
            if Terminal.isReady { try? screen.finish() }
            onTermination()
        }
        for await key in terminal.keys {
            if key == "q" || key == "\u{4}" { break }
            if key == "?" { try screen.show(help) }
            if let step = keys.first(where: { $0.key == key })?.step { try simulation.perform(step) }
        }
        // First the device: what its end stops has its lines too.
        device.close()
        try screen.finish()
        try atEnd(loop.now)
        if let failure = log.failure { throw failure }
    }
}

/// The keys that are pressed, without waiting for a line.
private final class KeyReader: Sendable {
    let keys: AsyncStream<Character>
    private let before: termios
    private let watch: EventLoop.WatchedDescriptor

    init(loop: EventLoop) throws(RingerError) {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw RingerError("read the settings", "terminal", .init(rawValue: errno))
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else {
            throw RingerError("change the settings", "terminal", .init(rawValue: errno))
        }
        let (keys, continuation) = AsyncStream<Character>.makeStream()
        self.keys = keys
        watch = loop.watch(STDIN_FILENO, for: Int16(POLLIN)) { _ in
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { return continuation.finish() }
            for character in String(decoding: bytes.prefix(count), as: UTF8.self) { continuation.yield(character) }
        }
    }

    /// Restores the terminal's settings.
    func restore() {
        watch.cancel()
        var settings = before
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
