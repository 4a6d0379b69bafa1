import PacedSupport
import RingerCore

@testable import RingerLinux

/// An output's events of one sound.
final class Hearing: Sendable {
    private let events: AsyncStream<PlaybackEvent>
    private let continuation: AsyncStream<PlaybackEvent>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    var handler: @Sendable (PlaybackEvent) -> Void {
        { [continuation] event in
            continuation.yield(event)
            // Events after the end are not added to the stream, but not out of the count: see `untilEnd`.
            if case .ended = event { continuation.finish() }
        }
    }

    /// Returns once the event of this name was delivered; it and those before it are not returned by `untilEnd`.
    func until(_ name: String) async {
        for await event in events where event.name == name { return }
    }

    /// The events up to the end.
    func untilEnd() async -> [PlaybackEvent] {
        var all: [PlaybackEvent] = []
        for await event in events { all.append(event) }
        return all
    }
}

/// An output on a PCM of the paced sink, which keeps PCMs open unless `linger` says otherwise.
func output(
    _ name: String, routes: [AudioRoute: String] = [:], linger: Duration = .seconds(3600)
) throws -> ALSASoundOutput {
    try PacedSink.install()
    return try ALSASoundOutput(pcm: name, routes: routes, linger: linger, limits: .patient)
}

extension ALSASoundOutput {
    /// Plays `sound` to its end, and returns all of its events.
    func hear(_ sound: PCMBuffer, _ options: PlaybackOptions = PlaybackOptions()) async -> [PlaybackEvent] {
        let hearing = Hearing()
        let playback = play(sound, options, hearing.handler)
        defer { _ = playback }
        return await hearing.untilEnd()
    }
}

extension PlaybackMachine.Limits {
    /// For tests of something else: a busy machine may take long to open or close a PCM.
    static let patient = Self(open: .seconds(3600), close: .seconds(3600))
}

extension [PlaybackEvent] {
    /// The events' names, in order.
    var names: [String] { map(\.name) }

    /// How it ended.
    var end: PlaybackEnd? {
        guard case .ended(let end, _, _) = last else { return nil }
        return end
    }

    /// How far it was played.
    var position: StreamPosition? {
        guard case .ended(_, _, let position) = last else { return nil }
        return position
    }

    /// Why it failed.
    var error: RingerError? {
        guard case .failed(let error) = end else { return nil }
        return error
    }
}

extension PlaybackEvent {
    /// The event's name.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .started: "started"
        case .progress: "progress"
        case .underrun: "underrun"
        case .recovered: "recovered"
        case .suspended: "suspended"
        case .resumed: "resumed"
        case .ended(.drained, _, _): "drained"
        case .ended(.stopped, _, _): "stopped"
        case .ended(.failed, _, _): "failed"
        case .ended(.ended(let outcome), _, _): "ended as \(outcome)"
        }
    }
}

extension PCMBuffer {
    private static let period = (0..<30_000).map { Int16($0 &* 7 % 30_000 + 1) }

    /// A sound of `frames` frames in which no two neighbouring samples are alike and none is zero.
    static func noise(frames: Int, channels: Int = 2, sampleRate: Double = 48_000) -> PCMBuffer {
        let count = frames * channels
        var samples: [Int16] = []
        samples.reserveCapacity(count)
        // A long sound costs seconds where each sample is computed without optimisation.
        while samples.count < count { samples.append(contentsOf: Self.period.prefix(count - samples.count)) }
        return PCMBuffer(sampleRate: sampleRate, channels: channels, samples: samples)
    }
}
