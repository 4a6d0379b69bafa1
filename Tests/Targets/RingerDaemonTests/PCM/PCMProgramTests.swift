import CPCMProtocol
import Glibc
import RingerCore
import RingerTestKit
import Testing

@testable import RingerDaemon

/// Programs of others on the PCM `ringer`, each with its own way to use alsa-lib.
@Suite struct PCMProgramTests {
    @Test(
        "aplay with mmap, without blocking and with a buffer of 0.5 s plays every sample",
        arguments: [["-M"], ["-N"], ["-B", "500000"], ["-F", "5000"]])
    func aplay(_ options: [String]) async throws {
        let bench = try PCMBench()
        let file = try bench.sound(seconds: 1)
        let aplay = try bench.run(["aplay", "-q", "-D", "PCM"] + options + [file])
        #expect(try await aplay.end() == 0)
        #expect(try aplay.heard() == [.init(gain: 1, frames: 0..<PCMBench.rate)])
    }

    @Test("other rates, formats and channel counts are converted, and silenced like any")
    func formats() async throws {
        let bench = try PCMBench()
        for arguments in ["-r 44100 -c 1 -b 8", "-r 8000 -c 1 -b 16", "-r 96000 -c 2 -b 24", "-r 48000 -c 6 -b 32"] {
            let file = bench.folder.path + "/tone.wav"
            #expect(system("sox -n \(arguments) '\(file)' synth 0.5 sine 440 vol 0.5") == 0)
            let aplay = try bench.play(file)
            #expect(try await aplay.end() == 0)
            #expect(abs(aplay.played - PCMBench.rate / 2) < 100)
            let isSilent = try aplay.heard().allSatisfy { $0.gain == 0 }
            #expect(!isSilent)
        }
        bench.board.ringSilent.position = .silent
        let aplay = try bench.play(bench.folder.path + "/tone.wav")
        #expect(try await aplay.end() == 0)
        #expect(try aplay.heard().map(\.gain) == [0])
    }

    @Test("sox, mpg123 and speaker-test play to their end")
    func players() async throws {
        let bench = try PCMBench()
        let folder = bench.folder.path
        #expect(system("sox -n -r 48000 -c 2 '\(folder)/tone.wav' synth 1 sine 440 vol 0.5") == 0)
        #expect(system("ffmpeg -v error -y -i '\(folder)/tone.wav' '\(folder)/tone.mp3' </dev/null") == 0)
        for words in [
            ["sox", "-q", "\(folder)/tone.wav", "-t", "alsa", "PCM"],
            ["mpg123", "-q", "-o", "alsa", "-a", "PCM", "\(folder)/tone.mp3"],
            ["speaker-test", "-D", "PCM", "-c", "1", "-l", "1", "-r", "48000"],
        ] {
            let program = try bench.run(words)
            #expect(try await program.end() == 0, "\(words[0]): \(program.messages)")
            #expect(program.played > PCMBench.rate * 9 / 10, "\(words[0])")
        }
    }

    @Test(
        "alsa-lib's example pcm.c plays by each of its methods",
        arguments: ["write", "write_and_poll", "direct_interleaved", "direct_noninterleaved", "direct_write"])
    func example(_ method: String) async throws {
        let bench = try PCMBench()
        let program = try bench.run([
            try bench.compile("/usr/share/doc/libasound2-dev/examples/pcm.c"), "-D", "PCM", "-m", method,
        ])
        try await program.hear(seconds: 1)
        #expect(program.ended == nil, "\(program.messages)")
        try await bench.flip(to: .silent)
        // More than what was in the buffer.
        try await program.hear(seconds: 0.5)
        program.send(SIGKILL)
        _ = try await program.end()
        #expect(try program.heard().last?.gain == 0)
    }

    @Test("a child that is forked in mid-play and closes the PCM changes nothing for its parent")
    func fork() async throws {
        let bench = try PCMBench()
        let enough = bench.folder.path + "/enough"
        let program = try bench.run([
            try bench.compile(PCMBench.package + "/Tests/Support/PCMPrograms/plays.c"), "fork", "PCM", enough,
        ])
        try await program.hear(seconds: 1.2)
        #expect(bench.device.sessions.all.map(\.phase) == [.active])
        try await bench.flip(to: .silent)
        // More than what was in the buffer.
        try await program.hear(seconds: 0.2)
        _ = try bench.folder.write("", to: "enough")
        #expect(try await program.end() == 0, "\(program.messages)")
        // The sink of the child has written what it had, too.
        #expect(try program.heard().last?.gain == 0)
    }

    // The slave had nothing to play yet, and starting it failed; so did resuming it, which had stopped when the skipping began.
    @Test(
        "a program that skips starts, or resumes, after the switch was flipped to ring", arguments: ["start", "resume"])
    func skipEndsAtStart(_ operation: String) async throws {
        let bench = try PCMBench()
        bench.board.ringSilent.position = .silent
        let flipped = bench.folder.path + "/flipped"
        let program = try bench.run(
            [try bench.compile(PCMBench.package + "/Tests/Support/PCMPrograms/plays.c"), operation, "PCM", flipped],
            pcm: "WHEN_SILENCED=skip")
        while !program.messages.contains("waits"), program.ended == nil { await Task.yield() }
        try await bench.flip(to: .ring)
        _ = try bench.folder.write("", to: "flipped")
        #expect(try await program.end() == 0, "\(program.messages)")
        // All but what was skipped: a period, or the first second.
        #expect(program.played == (operation == "start" ? 2 * PCMBench.rate - 480 : PCMBench.rate))
    }

    // It waited for room in a slave that was to be started with half a buffer, which such a program never writes.
    @Test(
        "a program that waits for more room than half its buffer goes on when skipping ends",
        arguments: ["the switch at ring", "no service"])
    func skipEndsAtRoom(_ reason: String) async throws {
        let bench = try PCMBench()
        bench.board.ringSilent.position = .silent
        let program = try bench.run(
            [
                try bench.compile(PCMBench.package + "/Tests/Support/PCMPrograms/plays.c"), "room", "PCM",
                bench.folder.path + "/flipped",
            ], pcm: "WHEN_SILENCED=skip")
        while !program.messages.contains("waits"), program.ended == nil { await Task.yield() }
        if reason == "no service" {
            bench.stop()
        } else {
            try await bench.flip(to: .ring)
        }
        _ = try bench.folder.write("", to: "flipped")
        #expect(try await program.end() == 0, "\(program.messages)")
        #expect(program.played == PCMBench.rate)
        #expect(try program.heard().contains { $0.gain != 0 } == (reason != "no service"))
    }

    // A program that resets the PCM counts from 0 again: all that it wrote was taken for a rewind, as far as the sound before.
    @Test(
        "frames that a program takes back are not heard; one that resets the PCM in mid-play loses nothing afterwards",
        arguments: ["rewind", "reset"])
    func rewind(what: String) async throws {
        let bench = try PCMBench()
        let program = try bench.run([
            try bench.compile(PCMBench.package + "/Tests/Support/PCMPrograms/plays.c"), what, "PCM",
        ])
        #expect(try await program.end() == 0, "\(program.messages)")
        #expect(try program.heard() == [.init(gain: 1, frames: 0..<2 * PCMBench.rate)])
    }

    // alsa-lib ignores what the plug-in's resume returns: the PCM stayed suspended, though recovering it succeeded each time.
    @Test(
        "a program that recovers from a suspend plays on: at the next frame where the card resumes, else as after an underrun",
        arguments: [true, false])
    func suspend(_ resumes: Bool) async throws {
        let bench = try PCMBench()
        let program = try bench.run(
            [try bench.compile(PCMBench.package + "/Tests/Support/PCMPrograms/plays.c"), "recover", "PCM"],
            fault: "FAULT=suspend,FRAME=48000,RESUME=\(resumes)")
        #expect(try await program.end() == 0, "\(program.messages)")
        let lost = resumes ? 0...0 : 1...PCMBench.rate * 8 / 100
        #expect(lost.contains(2 * PCMBench.rate - program.played))
        #expect(try program.heard().allSatisfy { $0.gain != 0 })
    }
}
