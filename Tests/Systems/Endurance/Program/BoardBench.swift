import Glibc
import RingerLinux
import RingerTestKit
import Synchronization

/// A device on a simulated board in virtual time.
final class BoardBench {
    let clock = VirtualClock()
    let board: SimulatedBoard
    let device: Device
    let ends = Ends()

    /// - Parameter change: Changes the configuration. An observer notes depths unless it sets another one.
    init(routes: [AudioRoute: String] = [:], _ change: (inout Device.Configuration) -> Void = { _ in }) throws {
        board = SimulatedBoard(clock: clock, routes: routes)
        board.speaker.recordingLimit = 10
        board.motor.turnLimit = 10
        board.statusLight.shownLimit = 10
        var configuration = Device.Configuration()
        // Sound files of this machine must not matter.
        configuration.sounds.predefined.directories = []
        configuration.observer = { _ in Depth.note() }
        change(&configuration)
        device = try Device.simulated(board, configuration: configuration)
    }

    func pass(_ milliseconds: Int) { clock.advance(by: .milliseconds(milliseconds)) }

    func flip(to position: SwitchPosition) {
        if board.ringSilent.position != position { board.ringSilent.position = position }
    }

    /// Plays `sound` and lets `milliseconds` pass.
    func play(
        _ sound: PCMBuffer, _ category: AudioCategory = .playback, _ options: CategoryOptions = [],
        for milliseconds: Int, expecting isExpected: @escaping @Sendable (SoundOutcome) -> Bool = { _ in true }
    ) throws -> SoundPlayer.ID {
        let id = try device.start(
            sound, category: category, options: options, completion: ends.one { isExpected($0.outcome) })
        pass(milliseconds)
        return id
    }
}

/// Counts what began and what has ended. Any thread.
final class Ends: Sendable {
    private let begun = Atomic(0)
    private let ended = Atomic(0)

    /// The completion of one request without a result.
    func one() -> @Sendable () -> Void {
        let end: @Sendable (Bool) -> Void = one()
        return { end(true) }
    }

    /// The completion of one request.
    func one<Result>() -> @Sendable (Result) -> Void {
        begun.add(1, ordering: .relaxed)
        return { [self] _ in
            Depth.note()
            ended.add(1, ordering: .releasing)
        }
    }

    /// The same of one whose end must be `expected`; another one counts as none.
    func one<Result>(_ expected: @escaping @Sendable (Result) -> Bool) -> @Sendable (Result) -> Void {
        begun.add(1, ordering: .relaxed)
        return { [self] in
            Depth.note()
            if expected($0) { ended.add(1, ordering: .releasing) }
        }
    }

    /// Whether each has ended.
    var areOver: Bool { ended.load(ordering: .acquiring) >= begun.load(ordering: .relaxed) }

    /// Waits until each has ended, in real time.
    func wait() throws {
        for _ in 0..<600_000 {
            guard !areOver else { break }
            usleep(100)
        }
        try check()
    }

    /// Fails unless each has ended once.
    func check() throws {
        let (begun, ended) = (begun.load(ordering: .relaxed), ended.load(ordering: .acquiring))
        try require(begun == ended, "of \(begun) requests \(ended) have ended as they had to")
    }
}

/// What rounds vary.
enum Variations {
    static let rates: [Double] = [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000]
    static let positions = SwitchPosition.allCases
    static let categories: [(category: AudioCategory, options: CategoryOptions)] = [
        (.soloAmbient, []), (.ambient, []), (.playback, []), (.playback, .mixWithOthers),
        (.playback, [.mixWithOthers, .honoursRingSilentSwitch]), (.playback, .duckOthers),
        (.playback, .interruptSpokenAudioAndMixWithOthers), (.playAndRecord, .defaultToSpeaker),
        (.playAndRecord, [.allowBluetooth, .mixWithOthers]), (.record, []), (.multiRoute, []),
    ]

    /// Sounds of 10 to 40 ms, mono and stereo, of every rate.
    static let sounds: [PCMBuffer] = rates.enumerated().flatMap { index, rate in
        [1, 2].map { channels in
            let frames = Int(rate) / 100 * (1 + index % 4)
            return PCMBuffer(
                sampleRate: rate, channels: channels, samples: .init(repeating: 1_000, count: frames * channels))
        }
    }
}
