import RingerLinux
import RingerTestKit
import Testing

@Suite("The speaker's PCM, when another process needs it")
final class ReleaseOutputTests: SimulatedDeviceTests {
    private let ends = Record<String>()

    private func start(_ milliseconds: Int) throws {
        let sound = PCMBuffer.silence(duration: .milliseconds(milliseconds), sampleRate: 8_000)
        try device.start(sound, category: .playback) { [ends] in ends.append("\($0.outcome)") }
    }

    @Test("releaseOutput with a completion calls it once the PCM is closed")
    func releaseWithCompletion() throws {
        try start(1000)
        clock.advance(by: .milliseconds(500))
        let (board, ends) = (board, ends)
        device.releaseOutput { ends.append("released \(board.speaker.isOpen)") }
        clock.advance()
        #expect(ends.all == ["stopped(outputReleased)", "released false"])
    }

    @Test("releaseOutput stops what plays, and what waits, and the PCM is closed when it returns")
    func release() async throws {
        board.speaker.mixes = false
        try start(1000)
        try start(1000)
        device.alerts.start(1005) { [ends] in ends.append("alert \($0.outcome)") }
        clock.advance(by: .milliseconds(500))
        #expect(board.speaker.isOpen)
        await device.releaseOutput()
        #expect(!board.speaker.isOpen)
        clock.advance(by: .seconds(30))
        #expect(
            ends.all.sorted() == ["alert stopped(outputReleased)"]
                + .init(repeating: "stopped(outputReleased)", count: 2))
        #expect(board.speaker.recordings.map(\.played).filter { $0 > 0 } == [4_000])
        // What is played afterwards is heard.
        try start(100)
        clock.advance(by: .seconds(1))
        #expect(ends.all.last == "finished")
    }

    @Test("firmware that is not async releases the output in one call")
    func blocking() throws {
        try start(100)
        clock.advance(by: .seconds(1))
        #expect(board.speaker.isOpen)
        device.releaseOutput()
        #expect(!board.speaker.isOpen)
    }

    @Test(
        "announcements that wait end with the one that plays; a queue that was paused keeps them",
        arguments: [true, false])
    func announcements(isPaused: Bool) async throws {
        for _ in 0..<2 {
            let clip = PCMBuffer.silence(duration: .seconds(1), sampleRate: 8_000)
            try device.announcements.add(Announcement(clip)) { [ends] in ends.append("\($0.outcome)") }
        }
        clock.advance(by: .milliseconds(500))
        if isPaused { device.announcements.pause() }
        await device.releaseOutput()
        clock.advance(by: .seconds(5))
        #expect(!board.speaker.isOpen)
        device.announcements.resume()
        clock.advance(by: .seconds(5))
        #expect(ends.all == .init(repeating: isPaused ? "finished" : "stopped(outputReleased)", count: 2))
    }

    // It used to stay open for 2 s.
    @Test("a call that begins, or is answered, closes the PCM that is kept for the next sound")
    func interruption() throws {
        try start(1000)
        clock.advance(by: .milliseconds(500))
        let call = device.sessions.interruptionBegan()
        clock.advance()
        #expect(ends.all == ["silenced(interruption)"] && !board.speaker.isOpen)
        // It rings.
        device.alerts.start(1005)
        clock.advance(by: .milliseconds(500))
        #expect(board.speaker.isOpen)
        device.alerts.stop()
        device.sessions.interruptionAnswered(call)
        clock.advance()
        #expect(!board.speaker.isOpen)
    }

    @Test("an alert that is stopped keeps the PCM, or closes it", arguments: [true, false])
    func alert(isReleasing: Bool) {
        device.alerts.start(1005)
        clock.advance(by: .milliseconds(500))
        device.alerts.stop(releasingOutput: isReleasing)
        clock.advance()
        #expect(board.speaker.isOpen == !isReleasing)
    }

    @Test("a call that begins does not stop sounds that may play on")
    func playsOn() throws {
        device.player.startOutsideSessions(
            .silence(duration: .seconds(1), sampleRate: 8_000), as: .notification(isCritical: true)
        ) { [ends] in ends.append("\($0.outcome)") }
        clock.advance(by: .milliseconds(500))
        _ = device.sessions.interruptionBegan()
        #expect(board.speaker.isOpen)
        clock.advance(by: .seconds(1))
        #expect(ends.all == ["finished"])
    }
}
