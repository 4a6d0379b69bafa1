import RingerLinux
import RingerTestKit
import Testing

@Suite("A sound whose device changes its route")
struct RouteTests {
    private let clock = VirtualClock()
    private static let sound = PCMBuffer.silence(duration: .seconds(10), sampleRate: 48_000)

    /// Plays a sound that obeys the switch, plugs headphones in, and flips the switch to silent.
    private func playing(_ routes: [AudioRoute: String]) throws -> (Device, SimulatedBoard, Record<SoundOutcome>) {
        let board = SimulatedBoard(clock: clock, routes: routes)
        let device = try Device.simulated(board)
        let outcomes = Record<SoundOutcome>()
        try device.start(Self.sound, category: .soloAmbient) { outcomes.append($0.outcome) }
        clock.advance(by: .seconds(1))
        board.surroundings.set(.headphoneInserted(true))
        clock.advance(by: .seconds(1))
        board.ringSilent.position = .silent
        clock.advance(by: .seconds(1))
        return (device, board, outcomes)
    }

    // The simulated board had a PCM for each route, and silenced what hardware goes on to play.
    @Test("with one PCM it moves to the headphones, is heard there at silent, and ends when they are pulled out")
    func onePCM() throws {
        let (device, board, outcomes) = try playing([:])
        defer { device.close() }
        #expect(board.speaker.playing.count == 1 && outcomes.all.isEmpty)
        board.surroundings.set(.headphoneInserted(false))
        clock.advance(by: .zero)
        #expect(board.speaker.playing.isEmpty && outcomes.all.count == 1)
        #expect(board.speaker.recordings[0].played == 3 * 48_000)
    }

    @Test("with a PCM for the headphones it stays on the speaker, and the flip silences it")
    func ownPCM() throws {
        let (device, board, outcomes) = try playing([.headphone: "jack"])
        defer { device.close() }
        #expect(outcomes.all == [.silenced(by: .ringSilentSwitch)])
        #expect(board.speaker.recordings[0].played == 2 * 48_000)
    }
}
