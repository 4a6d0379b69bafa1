import Glibc
import RingerBus
import RingerLinux
import RingerCore
import ServiceSupport
import Testing

extension VirtualTime {
    /// `aplay` on the ALSA PCM `ringer`, through dmix to the loopback card, while `ringerd` reads the board's switch: programs
    /// of several users.
    @Suite struct PCMTests {
        /// A bus, `ringerd` on it, and the ALSA configuration that names the plug-in.
        private final class Bench {
            private let folder = "\(Lab.temporaryFolder)/pcm-\(UInt32.random(in: 0 ... .max))"
            private let bus: ChildProcess
            private(set) var ringerd: ChildProcess
            var address: String { "unix:path=\(folder)/bus" }

            init() async throws {
                mkdir(folder, 0o755)
                let configuration = """
                    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
                     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
                    <busconfig>
                      <listen>unix:path=\(folder)/bus</listen>
                      <auth>EXTERNAL</auth>
                      <policy context="default">
                        <allow user="*"/><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/>
                      </policy>
                    </busconfig>
                    """
                try write(Array(configuration.utf8), to: folder + "/bus.conf")
                let package = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()
                let built = try await ChildProcess(package + "/Sources/Service/ALSAPlugin/build").wait()
                guard built.status == 0 else { throw LabFailure("Sources/Service/ALSAPlugin/build: \(built.output)") }
                let pcms = """
                    <\(package)/lab/ringer_lab/machine/asound.conf>
                    pcm_type.ringer { lib "\(built.output)" }
                    pcm.ringer {
                        @args [ CATEGORY ]
                        @args.CATEGORY { type string default soloAmbient }
                        type plug
                        slave.pcm { type ringer category $CATEGORY slave shared channels 1 socket "\(folder)/pcm" }
                    }
                    pcm.skipping {
                        type plug
                        slave.pcm {
                            type ringer category soloAmbient when_silenced skip slave shared channels 1 socket "\(folder)/pcm"
                        }
                    }
                    pcm.direct {
                        @args [ CATEGORY ]
                        @args.CATEGORY { type string default playAndRecord }
                        type plug
                        slave.pcm { type ringer category $CATEGORY slave card channels 1 socket "\(folder)/pcm" }
                    }
                    pcm.any {
                        @args [ CATEGORY ]
                        @args.CATEGORY { type string default playback }
                        type plug
                        slave.pcm { type ringer category $CATEGORY slave mixed_any channels 1 socket "\(folder)/pcm" }
                    }
                    # In the one format that the card has, whatever that is.
                    pcm.mixed_any {
                        type dmix
                        ipc_key 5398
                        ipc_gid audio
                        ipc_perm 0660
                        slave {
                            pcm { type hw card Loopback device 0 subdevice 0 }
                            rate 48000
                            channels 1
                            period_size 1024
                            buffer_size 16384
                        }
                    }
                    pcm.card {
                        type asym
                        playback.pcm { type hw card Loopback device 0 subdevice 0 }
                        capture.pcm { type hw card Loopback device 1 subdevice 0 }
                    }
                    pcm.shared {
                        type dmix
                        ipc_key 5396
                        ipc_gid audio
                        ipc_perm 0660
                        slave {
                            pcm { type hw card Loopback device 0 subdevice 0 }
                            format S16_LE
                            rate 48000
                            channels 1
                            # The card's position moves in steps of 10 ms: most are inside of a period.
                            period_size 1024
                            buffer_size 3072
                        }
                    }
                    """
                try write(Array(pcms.utf8), to: folder + "/asound.conf")
                chmod(folder + "/asound.conf", 0o644)
                bus = try await ChildProcess.bus(folder + "/bus.conf")
                // As udev does.
                _ = try await ChildProcess("sh", "-c", "chgrp audio /dev/snd/*; chmod 660 /dev/snd/*").wait()
                ringerd = try Self.start(folder)
                try await isServed()
            }

            private static func start(_ folder: String) throws -> ChildProcess {
                try ChildProcess(
                    RingerCommandLine.path + "d", "--address", "unix:path=\(folder)/bus", "--pcm-socket",
                    folder + "/pcm")
            }

            func restart() async throws {
                ringerd = try Self.start(folder)
                try await isServed()
            }

            private func isServed() async throws {
                for _ in 0..<1000 {
                    let socket = try? await ChildProcess("stat", folder + "/pcm").wait().status
                    let client = try BusClient(address)
                    if socket == 0, await client.error("Decide", [.string("alert"), .dictionary([:])]) == nil {
                        return
                    }
                    try await Task.sleep(for: .milliseconds(10))
                }
                throw LabFailure("ringerd does not answer: \(try ringerd.output())")
            }

            /// Runs a program as a user of the group audio and of no other.
            func run(_ command: String..., user: Int = 65_534) throws -> ChildProcess {
                try ChildProcess(
                    [
                        "setpriv", "--reuid=\(user)", "--regid=29", "--clear-groups", "env",
                        "ALSA_CONFIG_PATH=\(folder)/asound.conf",
                    ] + command)
            }

            func aplay(_ file: String, category: String = "soloAmbient", user: Int = 65_534) throws -> ChildProcess {
                try run("aplay", "-q", "-D", "ringer:\(category)", file, user: user)
            }

            /// Compiles a program of Tests/Support/PCMPrograms, and returns its path.
            func compile(_ name: String) async throws -> String {
                let package = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()
                let built = try await ChildProcess(
                    "gcc", "-Wall", "-Werror", "-o", "\(folder)/\(name)",
                    "\(package)/Tests/Support/PCMPrograms/\(name).c",
                    "-lasound"
                ).wait()
                guard built.status == 0 else { throw LabFailure(built.output) }
                return "\(folder)/\(name)"
            }

            /// Writes a sound of one channel at 48 kHz, none of whose samples is 0, and returns its path.
            func sound(_ samples: [Int16]) throws -> String {
                var bytes = [UInt8]()
                for sample in samples {
                    bytes += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
                }
                let path = folder + "/sound-\(samples.count).raw"
                try write(bytes, to: path)
                let wave = path + ".wav"
                guard
                    system("sox -t raw -r 48000 -c 1 -e signed -b 16 '\(path)' '\(wave)' && chmod 644 '\(wave)'") == 0
                else { throw LabFailure("sox") }
                return wave
            }
        }

        private static let rate = 48_000

        private func samples(seconds: Int) -> [Int16] {
            (0..<seconds * Self.rate).map { frame in
                let sign: Int16 = frame % 2 == 0 ? 1 : -1
                return Int16(5_000 + frame % 19_200) * sign
            }
        }

        /// Waits until a program is heard.
        private func heard(_ program: ChildProcess, by recorder: LoopbackRecorder) async throws {
            for _ in 0..<500 {
                guard !recorder.hasHeard else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            if !recorder.hasHeard { throw LabFailure("nothing is heard of aplay: \(try program.output())") }
        }

        /// Records a run of the program `plays`: the recorder, and what the program printed.
        private func recorded(
            _ bench: Bench, _ operation: String, _ pcm: String
        ) async throws -> (LoopbackRecorder, output: String) {
            let program = try await bench.compile("plays")
            let recorder = try LoopbackRecorder()
            let playing = try bench.run(program, operation, pcm)
            try await heard(playing, by: recorder)
            let ended = try await playing.wait()
            #expect(ended.status == 0, "\(ended.output)")
            return (recorder, ended.output)
        }

        /// The recording from the first frame that is not silent, and that frame's number.
        private func heard(_ recording: [Int16], _ count: Int) throws -> (first: Int, frames: [Int16]) {
            let first = try #require(recording.firstIndex { $0 != 0 })
            return (first, Array(recording[first...].prefix(count)))
        }

        @Test(
            "aplay is silent within 100 ms of a flip of the line, and heard again after the flip back, sample for sample"
        )
        func flip() async throws {
            let bench = try await Bench()
            let samples = samples(seconds: 3)
            let recorder = try LoopbackRecorder()
            let aplay = try bench.aplay(try bench.sound(samples))
            try await heard(aplay, by: recorder)
            try await Task.sleep(for: .milliseconds(513))
            let flip = recorder.count
            try LabBoard.setSwitch(silent: true)
            try await Task.sleep(for: .milliseconds(707))
            let back = recorder.count
            try LabBoard.setSwitch(silent: false)
            let ended = try await aplay.wait()
            #expect(ended.status == 0 && ended.output == "", "\(ended.output)")
            let (first, frames) = try heard(try await recorder.stop(), samples.count)
            #expect(frames.count == samples.count)
            let silence = try #require(frames.indices.first { frames[$0] == 0 })
            let resumes = try #require(frames[silence...].firstIndex { $0 != 0 })
            #expect(frames[..<silence] == samples[..<silence])
            #expect(frames[resumes...] == samples[resumes...])
            // What the recorder has read by the flip is up to one of its chunks, 10 ms, behind what was heard.
            let (late, early) = (first + silence - flip, first + resumes - back)
            print("silent \(late / 48) ms after the flip, heard \(early / 48) ms after the flip back")
            #expect(late >= 0 && late <= Self.rate / 10)
            #expect(early >= 0 && early <= Self.rate / 5)
        }

        // dmix went on with what it had mixed already, for up to 80 ms.
        @Test("a program that skips what is silenced is silent within 70 ms of a flip, also through dmix")
        func skip() async throws {
            let bench = try await Bench()
            // Without another program, closing the PCM would stop the card.
            let silent = [Int16](repeating: 0, count: 2 * Self.rate)
            let other = try bench.run("aplay", "-q", "-D", "shared", try bench.sound(silent))
            let samples = samples(seconds: 3)
            let recorder = try LoopbackRecorder()
            let aplay = try bench.run("aplay", "-q", "-D", "skipping", try bench.sound(samples))
            try await heard(aplay, by: recorder)
            try await Task.sleep(for: .milliseconds(513))
            let flip = recorder.count
            try LabBoard.setSwitch(silent: true)
            let ended = try await aplay.wait()
            _ = try await other.wait()
            try LabBoard.setSwitch(silent: false)
            #expect(ended.status == 0 && ended.output == "", "\(ended.output)")
            let (first, frames) = try heard(try await recorder.stop(), samples.count)
            let silence = try #require(frames.indices.first { frames[$0] == 0 })
            #expect(frames[..<silence] == samples[..<silence])
            #expect(frames[silence...].allSatisfy { $0 == 0 })
            let late = first + silence - flip
            print("silent \(late / 48) ms after the flip")
            #expect(late >= 0 && late <= Self.rate * 7 / 100)
        }

        // All of a full buffer was heard where a part of it had not been mixed.
        @Test("a program that stops is silent within 20 ms, also through dmix")
        func stop() async throws {
            let bench = try await Bench()
            let (recorder, output) = try await recorded(bench, "stop", "ringer:playback")
            let stopped = try #require(Int(output.split(separator: "\n").last ?? ""))
            let (_, frames) = try heard(try await recorder.stop(), 2 * Self.rate)
            let sound = samples(seconds: 2)
            let silence = try #require(frames.indices.first { frames[$0] == 0 })
            #expect(frames[..<silence] == sound[..<silence])
            #expect(frames[silence...].allSatisfy { $0 == 0 })
            print("silent \((silence - stopped) / 48) ms after the stop")
            #expect(silence - stopped <= Self.rate * 2 / 100)
        }

        // dmix took away what woke the drain up when the other thread noticed the end first. Stopped at the end, it wrote beyond
        // its memory, as there was nothing left to take back.
        @Test(
            """
            a drain returns while another thread stops the PCM, or asks for its delay or room, and a stop at the end of the \
            sound harms nothing, also through dmix
            """, arguments: [("stop", 300), ("delay", 300), ("room", 300), ("nonblock", 6_000), ("endless", 6_000)])
        func drain(_ operation: String, rounds: Int) async throws {
            let bench = try await Bench()
            let program = try await bench.compile("drains")
            let ended = try await bench.run(program, operation, "ringer:playback", "\(rounds)").wait()
            #expect(ended.status == 0 && ended.output == "", "\(ended.output)")
        }

        @Test("aplay is silent while the service is dead, and heard again at the right place when it is back")
        func killed() async throws {
            let bench = try await Bench()
            let samples = samples(seconds: 4)
            let recorder = try LoopbackRecorder()
            let aplay = try bench.aplay(try bench.sound(samples), category: "playback")
            try await heard(aplay, by: recorder)
            try await Task.sleep(for: .milliseconds(500))
            try bench.ringerd.send(SIGKILL)
            _ = try await bench.ringerd.wait()
            try await Task.sleep(for: .milliseconds(500))
            try await bench.restart()
            #expect(try await aplay.wait().status == 0)
            let (_, frames) = try heard(try await recorder.stop(), samples.count)
            let silence = try #require(frames.indices.first { frames[$0] == 0 })
            let resumes = try #require(frames[silence...].firstIndex { $0 != 0 })
            #expect(frames[..<silence] == samples[..<silence])
            #expect(frames[resumes...] == samples[resumes...])
        }

        @Test(
            "while ringerd is stopped, a program that obeys the switch is silent and says so once; another one plays on",
            arguments: ["ambient", "playback"])
        func stopped(_ category: String) async throws {
            let bench = try await Bench()
            let samples = samples(seconds: 8)
            let recorder = try LoopbackRecorder()
            let aplay = try bench.aplay(try bench.sound(samples), category: category)
            try await heard(aplay, by: recorder)
            try await Task.sleep(for: .milliseconds(500))
            try bench.ringerd.send(SIGSTOP)
            try await Task.sleep(for: .seconds(4))
            try bench.ringerd.send(SIGCONT)
            let ended = try await aplay.wait()
            #expect(ended.status == 0)
            #expect(ended.output.split(separator: "\n").filter { $0.contains("does not answer") }.count == 1)
            let (_, frames) = try heard(try await recorder.stop(), samples.count)
            guard category == "ambient" else {
                #expect(frames == samples)
                return
            }
            let silence = try #require(frames.indices.first { frames[$0] == 0 })
            let resumes = try #require(frames[silence...].firstIndex { $0 != 0 })
            #expect(frames[..<silence] == samples[..<silence])
            #expect(frames[resumes...] == samples[resumes...])
            #expect((Self.rate / 2..<3 * Self.rate).contains(resumes - silence))
        }

        @Test("a session of another process ducks or interrupts it, as the table says, until it ends")
        func sessions() async throws {
            let bench = try await Bench()
            let samples = samples(seconds: 4)
            let file = try bench.sound(samples)
            for (options, factor) in [(["duckOthers"], 0.199_526), ([], 0)] {
                let recorder = try LoopbackRecorder()
                let aplay = try bench.aplay(file, category: "playback")
                try await heard(aplay, by: recorder)
                try await Task.sleep(for: .milliseconds(500))
                let other = try BusClient(bench.address)
                let path = try await other.call(
                    "CreateSession",
                    [.dictionary(["category": .string("playback"), "options": .strings(options)])])[0].string
                let session = try #require(path)
                func call(_ member: String, _ arguments: [BusValue] = []) async throws {
                    _ = try await other.call(
                        member, arguments, interface: RingerNames.sessionInterface, path: session)
                }
                try await call("Activate")
                try await Task.sleep(for: .milliseconds(500))
                try await call("Deactivate", [.boolean(true)])
                #expect(try await aplay.wait().status == 0)
                let (_, frames) = try heard(try await recorder.stop(), samples.count)
                let begins = try #require(frames.indices.first { frames[$0] != samples[$0] })
                let ends = try #require(frames.indices.last { frames[$0] != samples[$0] })
                // Without the ramps, 20 ms each.
                let (low, high) = (begins + 960, ends - 960)
                #expect(high - low > Self.rate / 4)
                let others = (low..<high).filter {
                    abs(Double(frames[$0]) - Double(samples[$0]) * factor) > 1
                }
                #expect(
                    others.isEmpty,
                    "\(options): \(others.count) frames in \(others.first ?? 0)...\(others.last ?? 0) of \(low)..<\(high)"
                )
            }
        }

        // "none of the formats S16, S32 and FLOAT", while dmix behind plug played.
        @Test(
            "a card that offers one format alone is heard sample for sample, and ducked",
            arguments: [
                ("any", "S24_3LE", [3, 2, 1]), ("any", "S24_LE", [4, 2, 1]), ("any", "S16_BE", [2, 0, 1]),
                ("direct", "S24_3LE", [3, 2, 1]), ("direct", "S32_BE", [4, 0, 1]),
            ])
        func oneFormat(pcm: String, format: String, size: [Int]) async throws {
            let bench = try await Bench()
            let samples = samples(seconds: 6)
            // The loopback's other end has the format: the card offers no other one.
            let path = "\(Lab.temporaryFolder)/one-\(UInt32.random(in: 0 ... .max)).raw"
            let recording = try ChildProcess(
                "arecord", "-q", "-D", "hw:Loopback,1,0", "-f", format, "-c", "1", "-r", "48000", "-t", "raw", "-d",
                "20",
                path)
            func recorded() -> Int {
                var status = stat()
                return stat(path, &status) == 0 ? Int(status.st_size) : 0
            }
            for _ in 0..<6_000 {
                guard recorded() == 0 else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            let aplay = try bench.run("aplay", "-q", "-D", pcm + ":playback", try bench.sound(samples))
            let begin = recorded()
            for _ in 0..<6_000 {
                guard recorded() < begin + size[0] * Self.rate * 7 / 10 else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            let other = try BusClient(bench.address)
            let reply = try await other.call(
                "CreateSession",
                [.dictionary(["category": .string("playback"), "options": .strings(["duckOthers"])])])
            let session = try #require(reply[0].string)
            func call(_ member: String, _ arguments: [BusValue] = []) async throws {
                _ = try await other.call(member, arguments, interface: RingerNames.sessionInterface, path: session)
            }
            try await call("Activate")
            try await Task.sleep(for: .milliseconds(500))
            try await call("Deactivate", [.boolean(true)])
            let ended = try await aplay.wait()
            #expect(ended.status == 0 && ended.output == "", "\(ended.output)")
            try await Task.sleep(for: .milliseconds(500))
            try recording.send(SIGTERM)
            _ = try await recording.wait()
            let bytes = try read(path)
            // The upper 16 bits of each.
            let values = stride(from: 0, to: bytes.count - size[0] + 1, by: size[0]).map { start in
                Int16(truncatingIfNeeded: Int(bytes[start + size[1]]) << 8 | Int(bytes[start + size[2]]))
            }
            let (_, frames) = try heard(values, samples.count)
            try #require(frames.count == samples.count)
            let begins = try #require(frames.indices.first { frames[$0] != samples[$0] })
            let ends = try #require(frames.indices.last { frames[$0] != samples[$0] })
            let isDucked = (begins + 1_000..<ends - 1_000).allSatisfy {
                abs(Double(frames[$0]) - Double(samples[$0]) * 0.199_526) <= 2
            }
            #expect(isDucked && ends - begins > Self.rate / 4 && ends < frames.count - 1)
        }

        // alsa-lib aborted: the plug-in asked it for a format that is none.
        @Test("a card of which no format can be scaled is refused by a sentence")
        func noFormat() async throws {
            let bench = try await Bench()
            let path = "\(Lab.temporaryFolder)/none-\(UInt32.random(in: 0 ... .max)).raw"
            let recording = try ChildProcess(
                "arecord", "-q", "-D", "hw:Loopback,1,0", "-f", "FLOAT_BE", "-c", "1", "-r", "48000", "-t", "raw", "-d",
                "20", path)
            for _ in 0..<6_000 {
                guard (try? read(path).isEmpty) != false else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            let ended = try await bench.run(
                "aplay", "-q", "-D", "direct:playback", try bench.sound(samples(seconds: 1))
            ).wait()
            try recording.send(SIGTERM)
            _ = try await recording.wait()
            #expect(ended.status == 1 && ended.output.contains("none of the formats S16, S24, S32"), "\(ended)")
        }

        // Some programs take no other buffer.
        @Test("a program that insists on a buffer of 3,072 frames plays, and one of more than 80 ms is refused")
        func exactBuffer() async throws {
            let bench = try await Bench()
            let program = try await bench.compile("buffer")
            let refusal = "set the buffer: Invalid argument"
            for pcm in ["any:playback", "direct:playback"] {
                for (frames, error) in [(3_072, ""), (4_096, refusal), (16_384, refusal)] {
                    let ended = try await bench.run(program, pcm, "\(frames)").wait()
                    #expect(
                        ended.output == error && (ended.status == 0) == error.isEmpty,
                        "\(pcm) \(frames): \(ended.output)")
                }
            }
        }

        @Test("an alert of another process leaves it as it is: alerts belong to no session")
        func alert() async throws {
            let bench = try await Bench()
            let samples = samples(seconds: 2)
            let recorder = try LoopbackRecorder()
            let aplay = try bench.aplay(try bench.sound(samples))
            try await heard(aplay, by: recorder)
            let other = try BusClient(bench.address)
            let alert = try await other.request(
                "Alert", [.variant(.uint32(1005)), .dictionary(["limit": .double(0.5)])])
            let ended = await other.ended()
            #expect(ended?.request == alert && ended?.outcome == "timedOut")
            #expect(try await aplay.wait().status == 0)
            #expect(try heard(try await recorder.stop(), samples.count).frames == samples)
        }

        @Test("a program that pauses goes on at the next frame, and its session stays active meanwhile")
        func pause() async throws {
            let bench = try await Bench()
            let (recorder, output) = try await recorded(bench, "pause", "direct:playback")
            #expect(output == "")
            let (_, frames) = try heard(try await recorder.stop(), 5 * Self.rate)
            let gap = try #require(frames.indices.first { frames[$0] == 0 })
            let resumes = try #require(frames[gap...].firstIndex { $0 != 0 })
            let sound = samples(seconds: 2)
            #expect(frames[..<gap] == sound[..<gap])
            #expect(frames[resumes...].prefix(sound.count - gap).elementsEqual(sound[gap...]))
            #expect((Self.rate / 4..<Self.rate).contains(resumes - gap))
        }

        @Test(
            "a program that resets the PCM is heard at once with what it writes then, instead of what was not played yet",
            arguments: ["direct:playback", "ringer:playback"])
        func reset(_ pcm: String) async throws {
            let bench = try await Bench()
            let (recorder, output) = try await recorded(bench, "reset", pcm)
            #expect(output == "")
            let (_, frames) = try heard(try await recorder.stop(), 5 * Self.rate)
            let sound = samples(seconds: 2)
            // The program writes up to 80 ms ahead.
            let cut = try #require(frames.indices.first { frames[$0] != sound[$0] })
            #expect((Self.rate - Self.rate * 8 / 100..<Self.rate).contains(cut))
            #expect(frames[cut...].prefix(Self.rate).elementsEqual(sound[Self.rate...]))
        }

        @Test("a program that records has what the card has, sample for sample, and counts as recording")
        func capture() async throws {
            let bench = try await Bench()
            let client = try BusClient(bench.address)
            // While something records, alerts are not felt.
            func isRecording() async throws -> Bool {
                let decision = try await client.call("Decide", [.string("alert"), .dictionary([:])])
                return decision[2].dictionary?["vibrates"] == .boolean(false)
            }
            #expect(try await !isRecording())
            let file = "\(Lab.temporaryFolder)/recorded-\(UInt32.random(in: 0 ... .max)).raw"
            let recording = try bench.run(
                "sh", "-c", "umask 0; exec arecord -q -D direct -t raw -f S16_LE -c 1 -r 48000 -d 3 '\(file)'")
            for _ in 0..<500 {
                guard try await !isRecording() else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await isRecording())
            let samples = samples(seconds: 1)
            let aplay = try bench.run("aplay", "-q", "-D", "loopback", try bench.sound(samples))
            #expect(try await aplay.wait().status == 0)
            let ended = try await recording.wait()
            #expect(ended.status == 0 && ended.output == "", "\(ended.output)")
            for _ in 0..<500 {
                guard try await isRecording() else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await !isRecording())
            let bytes = try read(file)
            let recorded = stride(from: 0, to: bytes.count - 1, by: 2).map {
                Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
            }
            #expect(try heard(recorded, samples.count).frames == samples)
        }

        @Test("eight programs of eight users play at once without an underrun")
        func eight() async throws {
            let bench = try await Bench()
            let file = try bench.sound((0..<2 * Self.rate).map { Int16(1 + $0 % 2_000) })
            let recorder = try LoopbackRecorder()
            let programs = try (0..<8).map { try bench.aplay(file, category: "ambient", user: 60_001 + $0) }
            for program in programs {
                let ended = try await program.wait()
                #expect(ended.status == 0 && ended.output == "", "\(ended.output)")
            }
            #expect(try await recorder.stop().contains { $0 > 7_000 })
        }
    }
}
