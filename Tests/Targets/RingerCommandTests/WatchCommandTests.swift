import Foundation
import RingerLinux
import RingerTerminal
import RingerTestKit
import Testing

@Suite("ringer watch")
struct WatchCommandTests {
    private func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test("watch shows the current state first: the switch, then routes, volume, input, jacks, lock and sessions")
    func json() throws {
        let result = try Command()("watch", "--board", "simulated", "--position", "silent", "--for", "0", "--json")
        let lines = try objects(result.output)
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(
            lines.map { $0["event"] as? String }
                == ["position", "route", "state", "state", "state", "state", "state", "session", "state"])
        #expect(lines.allSatisfy { $0["initial"] as? Bool == true && $0["ringSilent"] as? String == "silent" })
        #expect(lines.allSatisfy { $0["at"] is Double && $0["source"] is String })
        #expect(lines[1]["route"] as? String == "speaker")
        #expect(lines[1]["routes"] as? [String] == ["speaker", "receiver"])
        #expect(lines[2]["outputVolume"] is NSNull && lines[3]["inputAvailable"] is NSNull)
        #expect(lines[4]["headphone"] as? Bool == false && lines[5]["microphone"] as? Bool == false)
        #expect(lines[6]["locked"] as? Bool == false)
        #expect(lines[7]["sessions"] as? Int == 0 && lines[7]["otherAudio"] as? Bool == false)
        #expect(lines[8]["doNotDisturb"] as? Bool == false && lines[8]["alert"] as? String == "vibrate")
        #expect(lines[8]["alertReason"] as? String == "ringSilentSwitch")
    }

    @Test("in words, watch names what is unknown")
    func words() throws {
        let result = try Command()("watch", "--board", "simulated", "--for", "0")
        let lines = result.output.split(separator: "\n").map { $0.drop { $0 != " " }.drop { $0 == " " } }
        #expect(
            lines == [
                "ring      simulated switch",
                "route     sessions  Speaker; there: speaker, receiver",
                "state     device  volume unknown: no mixer reports it",
                "state     device  input unknown: nothing reports it",
                "state     device  headphone out",
                "state     device  microphone out",
                "state     device  unlocked; only the firmware reports a lock",
                "session   sessions  none here; no other process plays",
                "state     device  do-not-disturb off; an alert: play on speaker and vibrate (switchAtRing)",
            ])
    }

    @Test("changes from before watch starts are part of the initial state, later ones are events")
    func board() async throws {
        let board = SimulatedBoard(clock: VirtualClock())
        let device = try Device.simulated(board)
        defer { device.close() }
        let session = device.sessions.make(name: "music", category: .playback)
        try await session.activate()
        board.surroundings.set(.outputVolume(0.4))
        board.surroundings.set(.inputAvailable(false))
        board.surroundings.set(.headphoneInserted(true))
        board.surroundings.set(.otherAudioPlaying(true))
        device.setScreenLocked(true)
        let lines = WatchLine.initial(of: device)
        let words = lines.map { $0.text.split(separator: "  ").dropFirst().joined(separator: " ") }
        #expect(
            words.map { $0.split(separator: " ", omittingEmptySubsequences: true).dropFirst(2).joined(separator: " ") }
                == [
                    "Headphone; there: speaker, receiver, headphone", "volume 0.40", "no input", "headphone in",
                    "microphone out", "locked; only the firmware reports a lock", "1 here; another process plays",
                    "do-not-disturb off; an alert: play on headphone and vibrate (switchAtRing)",
                ])
        let told = try objects(lines.map { $0.json(ringSilent: .ring).description }.joined(separator: "\n"))
        #expect(told[0]["route"] as? String == "headphone" && told[1]["outputVolume"] as? Double == 0.4)
        #expect(told[2]["inputAvailable"] as? Bool == false && told[3]["headphone"] as? Bool == true)
        #expect(told[5]["locked"] as? Bool == true && told[6]["sessions"] as? Int == 1)

        let change = DeviceEvent.stateChanged(.outputVolume(nil), source: "mixer", at: device.clock.now)
        let line = try #require(WatchLine(change)).json(ringSilent: .ring).description
        let changed = try objects(line)[0]
        #expect(changed["initial"] == nil && changed["outputVolume"] is NSNull)
        #expect(changed["detail"] as? String == "volume unknown")
    }

    // It never showed do-not-disturb, nor why an alert is silenced.
    @Test("a change of the user's preferences is shown with how an alert is judged from then on")
    func preferences() async throws {
        let device = try Device.simulated(SimulatedBoard(clock: VirtualClock()))
        defer { device.close() }
        let events = device.events
        device.preferences = device.preferences
        device.preferences.doNotDisturb = true
        for await event in events {
            guard case .preferencesChanged(let preferences, _) = event else { continue }
            #expect(preferences.doNotDisturb)
            let line = try #require(WatchLine.line(of: event, on: device))
            #expect(line.text.hasSuffix("state     device  do-not-disturb on; an alert: silence (doNotDisturb)"))
            let told = try objects(line.json(ringSilent: .ring).description)[0]
            #expect(told["event"] as? String == "state" && told["doNotDisturb"] as? Bool == true)
            #expect(told["alert"] as? String == "silence" && told["alertReason"] as? String == "doNotDisturb")
            break
        }
    }

    @Test(
        "a change is shown before what follows from it, in the order of their times; what did not change is not shown")
    func order() async throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let device = try Device.simulated(board)
        let session = device.sessions.make(name: "music", category: .playback)
        try await session.activate()
        board.surroundings.set(.routePresent(.bluetooth, false))
        board.surroundings.set(.otherAudioPlaying(false))
        let events = device.events
        board.surroundings.set(.headphoneInserted(true))
        for _ in 0..<2 {
            board.surroundings.set(.routePresent(.bluetooth, false))
            board.surroundings.set(.otherAudioPlaying(false))
            board.surroundings.set(.headphoneInserted(true))
        }
        clock.advance(by: .milliseconds(10))
        board.surroundings.set(.routePresent(.bluetooth, true))
        board.surroundings.set(.headphoneInserted(false))
        device.close()
        var told: [[String: Any]] = []
        for await event in events {
            guard let line = WatchLine(event) else { continue }
            told += try objects(line.json(ringSilent: .ring).description)
        }
        #expect(
            told.map { "\($0["event"] ?? ""): \($0["detail"] ?? "")" } == [
                "state: headphone in", "route: Speaker -> Headphone (newDeviceAvailable)",
                "session: routeChanged: Speaker -> Headphone (newDeviceAvailable)",
                "state: bluetooth there", "route: Headphone -> HeadphonesBT (newDeviceAvailable)",
                "session: routeChanged: Headphone -> HeadphonesBT (newDeviceAvailable)",
                "state: headphone out", "session: deactivated",
            ])
        let times = told.compactMap { $0["at"] as? Double }
        #expect(times == times.sorted())
    }
}
