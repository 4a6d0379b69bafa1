import RingerPolicy
import SoundFile

/// Does a piece of work so many times, for counting the processor's instructions.
@main
enum Work {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 3, let times = Int(words[2]) else { return print("usage: work decide|ima4|pcm TIMES") }
        switch words[1] {
        case "decide": decide(times)
        case "ima4": try decode(.ima4, .caf, seconds: times)
        default:
            let format = LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)
            try decode(.linearPCM(format), .wave, seconds: times)
        }
    }

    private static func decide(_ times: Int) {
        let requests: [SoundRequest] = [
            .session(.playback, options: [], isInterrupted: false, isInBackground: false), .alert,
            .systemSound(isUISound: true), .vibration,
        ]
        let states = SwitchPosition.allCases.map { DeviceState(ringSilent: $0) }
        let preferences = UserPreferences()
        var played = 0
        for index in 0..<times {
            let decision = RingerPolicy.decide(
                requests[index % requests.count], state: states[index % states.count], preferences: preferences)
            if case .play = decision { played += 1 }
        }
        print(played)
    }

    /// Decodes a second of two channels at 48 kHz again and again.
    private static func decode(_ codec: SoundCodec, _ container: SoundContainer, seconds: Int) throws {
        let samples = (0..<96_000).map { Int16(truncatingIfNeeded: $0 &* 7919) }
        let sound = PCMBuffer(sampleRate: 48_000, channels: 2, samples: samples)
        let file = try SoundFiles.encode(sound, container: container, codec: codec)
        var piece = [Int16](repeating: 0, count: 2 * 960)
        var frames = 0
        for _ in 0..<seconds {
            var decoder = try SoundDecoder(MemorySource(file))
            while case let read = try decoder.read(into: &piece), read > 0 { frames += read }
        }
        print(frames)
    }
}
