import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

@Suite("Audio sessions and routes")
struct AudioSessionRouteTests {
    @Test("a headphone that is plugged in is a new route for the session and the device, with reason and old route")
    func pluggedIn() throws {
        let (bench, session) = try SessionBench.playing("music", .playback)
        bench.board.surroundings.set(.headphoneInserted(true))
        #expect(session.route == SessionRoute(.headphone) && bench.bench.publisher.state.route == .headphone)
        #expect(bench.told.last == "music: Speaker to Headphone, newDeviceAvailable")
        #expect(bench.bench.player.playing == 1)
        #expect(
            bench.bench.events.all.contains {
                if case .routeChanged(let change, _) = $0 {
                    return change == RouteChange(.newDeviceAvailable, from: .init(.speaker), to: .init(.headphone))
                }
                return false
            })
    }

    @Test("a headphone that is pulled out stops what played through it by that name, at that sample; the session stays")
    func pulledOut() throws {
        let bench = try SessionBench()
        bench.board.surroundings.set(.headphoneInserted(true))
        let session = try bench.playing("music", .playback)
        #expect(bench.recordings[0].route == .headphone)
        bench.clock.advance(by: .milliseconds(100))
        bench.board.surroundings.set(.headphoneInserted(false))
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.stopped(.oldDeviceUnavailable)])
        #expect(bench.recordings[0].played == 4800)
        #expect(session.isActive && session.isAudible && session.route == SessionRoute(.speaker))
        #expect(bench.bench.publisher.state.route == .speaker)
        bench.start(session)
        #expect(bench.recordings[1].route == .speaker)
    }

    @Test("at silent a pulled headphone is why soloAmbient stops, and then the switch silences it")
    func pulledOutAtSilent() throws {
        let bench = try SessionBench(position: .silent)
        bench.board.surroundings.set(.headphoneInserted(true))
        let session = try bench.playing("music", .soloAmbient)
        #expect(session.isAudible && session.routeName == "Headphone")
        bench.board.surroundings.set(.headphoneInserted(false))
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.stopped(.oldDeviceUnavailable)])
        #expect(!session.isAudible && session.routeName == "")
        #expect(bench.told.last == "music: silenced, ringSilentSwitch")
    }

    @Test("a call is heard from the receiver, from the speaker by override, and the override reverts with a headphone")
    func override() throws {
        let (bench, call) = try SessionBench.playing("call", .playAndRecord)
        #expect(bench.recordings[0].route == .receiver && call.routeName == "ReceiverAndMicrophone")
        try call.overrideRoute(toSpeaker: true)
        #expect(call.route?.output == .speaker && call.overrides == .speaker)
        bench.start(call)
        #expect(bench.recordings[1].route == .speaker)
        bench.board.surroundings.set(.headphoneInserted(true))
        #expect(call.route?.output == .headphone && call.overrides == [])
        bench.board.surroundings.set(.headphoneInserted(false))
        #expect(call.route?.output == .receiver)
        let music = try bench.make("music", .playback)
        #expect(throws: SessionError.self) { try music.overrideRoute(toSpeaker: true) }
    }

    @Test("what the firmware chooses holds until something is plugged in")
    func chosen() throws {
        let (bench, session) = try SessionBench.make("music", .playback)
        bench.board.surroundings.set(.route(.bluetooth))
        #expect(session.route?.output == .bluetooth && bench.bench.publisher.state.route == .bluetooth)
        bench.board.surroundings.set(.headphoneInserted(true))
        #expect(session.route?.output == .headphone)
        bench.board.surroundings.set(.headphoneInserted(false))
        bench.board.surroundings.set(.route(.speaker))
        #expect(session.route?.output == .speaker && bench.bench.publisher.state.route == .speaker)
    }

    @Test("the user says which routes the switch silences, and the route's name obeys")
    func silencedRoutes() throws {
        let bench = try SessionBench(position: .silent)
        bench.board.surroundings.set(.headphoneInserted(true))
        let session = try bench.playing("music", .soloAmbient)
        #expect(session.routeName == "Headphone")
        bench.bench.player.preferences.routesSilencedBySwitch.insert(.headphone)
        bench.clock.advance(by: .zero)
        #expect(session.routeName == "" && !session.isAudible)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
    }

    @Test("waking notifies the active sessions, and changes no route")
    func wakes() throws {
        let (bench, session) = try SessionBench.playing("music", .playback)
        bench.board.surroundings.set(.wokeFromSleep)
        #expect(bench.told.last == "music: Speaker to Speaker, wakeFromSleep")
        #expect(session.isAudible && bench.bench.player.playing == 1)
    }

    // Properties used to have their new values after the event only.
    @Test("a subscriber that is notified of a route change finds it in the properties")
    func properties() throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let publisher = StatePublisher()
        let player = SoundPlayer(output: board.speaker, clock: clock, publisher: publisher)
        let held = Mutex<AudioSession?>(nil)
        let found = Record<String>()
        let report: @Sendable (DeviceEvent) -> Void = { event in
            switch event {
            case .session(.routeChanged, _, _, _), .routeChanged:
                let session = held.withLock { $0 }
                found.append(session?.routeName ?? "none")
            default: break
            }
        }
        let sessions = AudioSessions(player: player, publisher: publisher, clock: clock, board: .phone, report: report)
        let session = sessions.make(name: "music", category: .playback)
        session.activate { #expect($0 == nil) }
        held.withLock { $0 = session }
        for isInserted in [true, false] {
            publisher.change(.headphoneInserted(isInserted), from: "jack", at: clock.now)
        }
        #expect(found.all == ["Headphone", "Headphone", "Speaker", "Speaker"])
        held.withLock { $0 = nil }
    }

    @Test("a recording session whose input disappears reports that no route fits its category, and its return")
    func inputLost() throws {
        let bench = try SessionBench()
        bench.board.surroundings.set(.inputAvailable(true))
        let memo = try bench.make("memo", .record)
        #expect(bench.activate(memo) == nil && memo.route == SessionRoute(.speaker, input: .microphone))
        bench.board.surroundings.set(.inputAvailable(false))
        #expect(memo.isActive && memo.route == SessionRoute(nil) && memo.routeName == "")
        #expect(bench.told.last == "memo: SpeakerAndMicrophone to , noSuitableRouteForCategory")
        bench.board.surroundings.set(.inputAvailable(true))
        #expect(bench.told.last == "memo:  to SpeakerAndMicrophone, newDeviceAvailable")
        // The device's other sounds keep the route that they had.
        #expect(bench.bench.publisher.state.route == .speaker)
    }
}
