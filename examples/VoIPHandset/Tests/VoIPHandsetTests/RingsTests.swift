import Ringer
import RingerTestKit
import Testing

@testable import VoIPHandset

@Suite("Handset: the ring that a caller chooses")
struct RingsTests {
    @Test(
        "The names in Alert-Info",
        arguments: [
            ("<urn:alert:source:internal>", ["urn:alert:source:internal"]), ("Bellcore-dr2", ["Bellcore-dr2"]),
            ("<http://127.0.0.1/x>;info=alert-external;x=1", ["alert-external", "http://127.0.0.1/x"]),
            (";info=\"family\"", ["family"]), (" <door> ; INFO = front ", ["front", "door"]), ("", []), ("<>", []),
            (";;;", []), ("<", ["<"]), ("info=a", ["a", "info=a"]), (";info=;info=b", ["b"]),
            ("\u{1b}[2J;\u{0}=\u{0}", ["\u{1b}[2J"]),
        ])
    func names(_ value: String, _ names: [String]) {
        #expect(Rings.names(in: value) == names)
    }

    @Test("Configured names come first, then those of predefined sounds; a path or an address is neither")
    func choice() {
        let rings = Rings([
            Ring(name: "Family", sound: 1), Ring(name: "alarm", sound: 2), Ring(name: "http://127.0.0.1/dr2", sound: 3),
        ])
        #expect(rings.ring(for: "<family>")?.sound == 1 && rings.ring(for: "ALARM")?.sound == 2)
        #expect(rings.ring(for: "<http://127.0.0.1/dr2>")?.name == "http://127.0.0.1/dr2")
        #expect(rings.ring(for: "<unknown>;info=family")?.name == "Family")
        #expect(Rings().ring(for: "<TOCK>")?.name == "Tock")
        for value in [
            "", "/etc/passwd", "<file:///etc/passwd>", "<http://192.0.2.1/ring.wav>", "<../Tock>", "Tock.caf",
            "Vibrate", "1000",
        ] {
            #expect(Rings().ring(for: value) == nil, "\(value)")
        }
    }

    @Test("Of two ringing calls, the one that rings longest chooses; the other's ring begins when that is over")
    func two() {
        var machine = HandsetMachine(rules: .init())
        let family = Ring(name: "family", sound: 1)
        let time = MonotonicTime(nanoseconds: 0)
        #expect(
            machine.handle(.incoming(1, name: "a", peer: "b", ring: family, at: time)).first
                == .startAlert(1, .ring, family))
        #expect(
            !machine.handle(.incoming(2, name: "c", peer: "d", at: time)).contains { action in
                if case .startAlert = action { true } else { false }
            })
        #expect(machine.handle(.closed(1, heard: .zero, at: time)).prefix(2) == [.stopAlert, .startAlert(2, .ring)])
    }

    @Test("An unknown name rings by the default ring, a known one by its own, and beside a call neither is heard")
    func board() throws {
        let bench = try Bench(rings: ["family": .silence(duration: .milliseconds(700))])
        func ring(_ number: CallNumber, _ alertInfo: String) -> Int? {
            let before = bench.board.speaker.recordingCount
            bench.handset.take(.incoming(number, name: "call", peer: "sip:a@b", alertInfo: alertInfo))
            bench.clock.advance(by: .seconds(1))
            defer { bench.close(number) }
            return bench.board.speaker.recordingCount > before ? bench.board.speaker.recordings.last?.sound.frames : nil
        }
        let standard = RingTone.standard().frames
        #expect(ring(1, "") == standard && ring(2, "<file:///etc/passwd>") == standard)
        let family = try #require(ring(3, "<family>"))
        #expect(family == PCMBuffer.silence(duration: .milliseconds(700)).frames)
        #expect(try #require(ring(4, "Tock")) < standard)
        #expect(bench.notes.reported.map(\.ring).filter { $0 != nil } == ["family", "Tock"])
        bench.call(5)
        bench.handset.send(.answer)
        #expect(ring(6, "<family>") == nil)
    }
}
