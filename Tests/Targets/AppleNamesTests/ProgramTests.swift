import Foundation
import Glibc
import RingerLinux
import ServiceSupport
import Testing

@testable import RingerTestKit

/// Programs that are written as for the phone, in processes of their own: what they print, and what the board that the
/// service shares plays and does.
@Suite struct ProgramTests {
    @Test func `A ringer with a player rings and vibrates at ring, and vibrates at silent`() throws {
        for position in [SwitchPosition.ring, .silent] {
            let scene = try ProgramScene(position)
            let (speaker, motor) = (scene.service.board.speaker, scene.service.board.motor)
            // It answers when a line comes: here when it has been ringing.
            let answer = "\(scene.folder.path)/answer"
            mkfifo(answer, 0o600)
            let program = try scene.start("CallRinger", "RINGER_BOARD=service", input: answer)
            let descriptor = open(answer, O_WRONLY | O_CLOEXEC)
            defer { close(descriptor) }
            eventually { motor.turnCount >= 1 && (position == .silent || speaker.playing.count == 1) }
            write(descriptor, "\n", 1)
            #expect(program.rest() == ["ringing: true", "ringing: false", "connected: true, false, 0.0"])
            #expect(program.status == 0)
            let recordings = speaker.recordings
            if position == .ring {
                // The rounds of the ring tone, which is stopped, and the tone of the connection.
                #expect(recordings.count == 2 && recordings[0].manner.rounds > 1 && recordings[0].outcome != .drained)
                #expect(recordings.last?.played == 4800)
            } else {
                #expect(recordings.isEmpty)
            }
            #expect(motor.turnCount >= 1)
        }
    }

    @Test func `A detector that compares 0.099 s with 0.1 s is right at ring and at silent`() throws {
        let ring = try ProgramScene(.ring)
        #expect(try ring.start("SwitchDetector").rest() == Array(repeating: "not muted", count: 5))
        #expect(ring.service.board.speaker.recordings.map(\.played) == Array(repeating: 792, count: 5))
        let silent = try ProgramScene(.silent)
        #expect(try findsMuted(silent))
        #expect(silent.service.board.speaker.recordings.isEmpty)
    }

    /// On a busy machine all measurements of a detector may be late: then it is started again.
    private func findsMuted(_ scene: ProgramScene, _ environment: String = "RINGER_BOARD=service") throws -> Bool {
        try (0..<20).contains { _ in try scene.start("SwitchDetector", environment).rest().contains("muted") }
    }

    @Test func `Notifications are heard at ring; at silent the critical ones are`() throws {
        for (position, heard) in [(SwitchPosition.ring, 6), (.silent, 4)] {
            let scene = try ProgramScene(position)
            let lines = try scene.start("NotificationHelper").rest()
            #expect(lines.prefix(2) == ["allowed: true", "pending: 7"])
            #expect(
                lines.dropFirst(2).sorted() == [
                    "Reminder: critical named", "Reminder: critical named at 0.5", "Reminder: default",
                    "Reminder: default critical", "Reminder: default critical at 0.5", "Reminder: named",
                    "Reminder: none", "pending: 0",
                ])
            // On a busy machine one may replace the one before it before that begins.
            #expect((1...heard).contains(scene.service.board.speaker.recordings.count))
        }
    }

    // It was looked for at HOME alone, which may be another one: a service without a login has one of its own.
    @Test func `A notification's sound is looked for at HOME, and in the home that Foundation names`() throws {
        let scene = try ProgramScene(.ring)
        let home = scene.folder.appending(path: "user")
        try FileManager.default.createDirectory(
            at: home.appending(path: "Library/Sounds"), withIntermediateDirectories: true)
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 7000, count: 2400))
        try scene.write("user/Library/Sounds/note", sound)
        // Foundation takes the user database's without CFFIXED_USER_HOME.
        _ = try scene.start("NotificationHelper", "RINGER_BOARD=service CFFIXED_USER_HOME='\(home.path)'").rest()
        let lengths = Set(scene.service.board.speaker.recordings.map(\.frames))
        #expect(lengths.contains(2400) && !lengths.contains(4800))
    }

    /// Waits until `condition` holds, which another process brings about.
    private func eventually(_ condition: () -> Bool) {
        for _ in 0..<60_000 {
            guard !condition() else { break }
            usleep(1000)
        }
        #expect(condition())
    }

    @Test func `A session's client pauses for an interruption, resumes, and follows the headphones`() throws {
        let scene = try ProgramScene(.silent)
        let program = try scene.start("MusicSession")
        #expect(program.line() == "playing: true, AVAudioSessionCategoryPlayback, Speaker")
        let (sessions, speaker) = (scene.service.device.sessions, scene.service.board.speaker)
        eventually { speaker.playing.count == 1 }
        let call = sessions.interruptionBegan()
        #expect(program.line() == "interrupted: false")
        sessions.interruptionEnded(call)
        #expect(program.line() == "resumed: true")
        eventually { speaker.recordingCount == 2 && speaker.playing.count == 1 }
        scene.service.board.surroundings.set(.headphoneInserted(true))
        #expect(program.line() == "plugged in: Speaker to Headphones")
        scene.service.board.surroundings.set(.headphoneInserted(false))
        #expect(program.line() == "unplugged: false")
        #expect(program.rest().isEmpty)
        #expect(program.status == 0)
        // It went on where it was interrupted.
        let first = speaker.recordings.map(\.manner.first)
        #expect(first.count == 2 && first[0] == 0 && first[1] > 0)
    }

    @Test func `A ring that its completions repeat rings three times at ring, and goes through its rounds at silent`()
        throws
    {
        for (position, route) in [(SwitchPosition.ring, "Speaker"), (.silent, "")] {
            let scene = try ProgramScene(position)
            let program = try scene.start("RingLoop")
            #expect(
                program.rest() == [
                    "route: '\(route)'", "registered: 0", "round 1", "round 2", "round 3", "disposed: 0, -1500",
                    "vibrated: 4095", "vibrated: 4095",
                ])
            #expect(program.status == 0)
            #expect(
                scene.service.board.speaker.recordings.map(\.played)
                    == (position == .ring ? [9600, 9600, 9600] : []))
            #expect(scene.service.board.motor.turnCount == 2)
        }
    }

    @Test func `RINGER_BOARD=simulated is a board of the process's own in real time, RINGER_POSITION its switch`()
        throws
    {
        let scene = try ProgramScene(.ring)
        let ring = try scene.start("SwitchDetector", "RINGER_BOARD=simulated")
        #expect(ring.rest() == Array(repeating: "not muted", count: 5))
        #expect(try findsMuted(scene, "RINGER_BOARD=simulated RINGER_POSITION=silent"))
        // Whatever this machine has: the device opens, and the end is clean.
        let hardware = try scene.start("SwitchDetector", "RINGER_BOARD=hardware")
        #expect(hardware.rest().count == 5)
        #expect(hardware.status == 0)
        for wrong in ["RINGER_BOARD=teapot", "RINGER_BOARD=simulated RINGER_POSITION=up"] {
            let program = try scene.start("SwitchDetector", wrong)
            #expect(program.rest() == ["no clip"])
            #expect(program.status == 1)
        }
        #expect(scene.service.board.speaker.recordings.isEmpty)
    }
}
