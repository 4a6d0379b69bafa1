import RingerLinux
import RingerTestKit
import Testing

/// The jacks of several input devices, which come and go.
@Suite struct JackTests {
    /// A device at silent with so many jack devices.
    private struct Bench {
        let jacks: [SimulatedStateSource]
        let device: Device
        let events = Record<DeviceEvent>()
        let clock = VirtualClock()
        let board: SimulatedBoard

        init(jacks count: Int) throws {
            board = SimulatedBoard(clock: clock, position: .silent)
            let jacks = (0..<count).map { _ in SimulatedStateSource() }
            self.jacks = jacks
            var ports = Device.Ports(simulated: board)
            ports.stateSources = jacks
            let events = events
            device = try Device(ports, configuration: .init(observer: { events.append($0) }))
        }

        /// How a system sound ends.
        func play() -> SoundOutcome? {
            let outcomes = Record<SoundOutcome>()
            device.sounds.start(1057) { outcomes.append($0.outcome) }
            clock.advance(by: .seconds(2))
            return outcomes.all.first
        }
    }

    private let loss = RingerError(.disconnected, "read", "jack")

    @Test("headphones count as pulled out when their jack device is lost: at silent nothing is heard from the speaker")
    func lost() throws {
        let bench = try Bench(jacks: 1)
        bench.jacks[0].set(.microphoneInserted(true))
        bench.jacks[0].set(.headphoneInserted(true))
        #expect(bench.play() == .finished)
        bench.jacks[0].set(.lost(loss))
        #expect(!bench.device.state.isHeadphoneInserted && !bench.device.state.isMicrophoneInserted)
        #expect(bench.device.state.route == .speaker)
        #expect(bench.play() == .silenced(by: .ringSilentSwitch))
        let changes = bench.events.all.compactMap { event in
            if case .stateChanged(let change, bench.jacks[0].name, _) = event { change } else { nil }
        }
        #expect(
            changes == [
                .microphoneInserted(true), .headphoneInserted(true), .headphoneInserted(false),
                .microphoneInserted(false), .lost(loss),
            ])
        // It comes back with its plug in.
        bench.jacks[0].set(.found)
        bench.jacks[0].set(.headphoneInserted(true))
        #expect(bench.play() == .finished)
    }

    @Test("a sound that plays on the headphones stops when their jack device is lost at silent")
    func lostWhilePlaying() throws {
        let bench = try Bench(jacks: 1)
        bench.jacks[0].set(.headphoneInserted(true))
        let outcomes = Record<SoundOutcome>()
        bench.device.player.startOutsideSessions(
            .silence(duration: .seconds(2), sampleRate: 48_000), as: .session(.soloAmbient)
        ) { outcomes.append($0.outcome) }
        bench.clock.advance(by: .milliseconds(500))
        bench.jacks[0].set(.lost(loss))
        bench.clock.advance(by: .zero)
        #expect(outcomes.all == [.silenced(by: .ringSilentSwitch)])
        #expect(bench.board.speaker.recordings[0].played == 24_000)
    }

    @Test("headphones are in while they are in one of two jacks, in whatever order the jacks report")
    func two() throws {
        let bench = try Bench(jacks: 2)
        bench.jacks[0].set(.headphoneInserted(true))
        bench.jacks[1].set(.headphoneInserted(false))
        #expect(bench.device.state.isHeadphoneInserted && bench.device.state.route == .headphone)
        bench.jacks[1].set(.headphoneInserted(true))
        bench.jacks[0].set(.lost(loss))
        #expect(bench.device.state.isHeadphoneInserted && bench.play() == .finished)
        bench.jacks[1].set(.headphoneInserted(false))
        #expect(!bench.device.state.isHeadphoneInserted && bench.device.state.route == .speaker)
        #expect(bench.play() == .silenced(by: .ringSilentSwitch))
    }
}
