import RingerLinux
import Testing

/// Announcements heard through the loopback: there a sound that is stopped ends a while after the stop was asked for.
extension VirtualTime {
    @Suite struct AnnouncementTests {
        /// Ways in which an interruption begins and is over at once.
        enum Interruption: CaseIterable {
            case ended, answered, session

            func pass(_ sessions: AudioSessions) async throws {
                switch self {
                case .ended: sessions.interruptionEnded(sessions.interruptionBegan())
                case .answered: sessions.interruptionAnswered(sessions.interruptionBegan())
                case .session:
                    let session = sessions.make(category: .playback)
                    try await session.activate()
                    try await session.deactivate()
                }
            }
        }

        @Test("an announcement is played whole after an interruption, however short", arguments: Interruption.allCases)
        func shortInterruption(_ interruption: Interruption) async throws {
            let lab = try LabDevice(.init(pcm: "loopback"))
            let announced = Probe<SoundResult>(lab.device.clock)
            let announcement = Announcement(DeviceSoundTests.sound(.milliseconds(400)))
            for _ in 0..<2 { try lab.device.announcements.add(announcement) { announced.tell($0) } }
            _ = try await lab.nextStart()
            try await Task.sleep(for: .milliseconds(100))
            try await interruption.pass(lab.device.sessions)
            for _ in 0..<2 {
                let result = try await announced.next()
                #expect(result.outcome == .finished && result.position.played == announcement.sound.frames)
            }
        }
    }
}
