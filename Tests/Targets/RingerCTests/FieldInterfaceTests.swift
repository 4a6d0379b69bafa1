import CRinger
import Foundation
import RingerLinux
import RingerBus
import RingerDaemon
import ServiceSupport
import Testing

@testable import RingerC

/// The sounds of `SoundFileTests/Field/make.py` in every interface, against what the reader makes of them, which
/// `FieldSoundTests` compares with ffmpeg's samples.
@Suite(
    "Sounds from the field in every interface",
    .enabled(
        if: getenv("RINGER_REQUIRE_ORACLES") != nil || (try? run("ffmpeg -version").status) == 0, "needs ffmpeg"))
struct FieldInterfaceTests {
    /// A file, and what the reader makes of it.
    private struct File {
        let name: String
        let path: String
        var samples: [Int16] = []
        var channels = 1
        /// What is wrong with it: that it is refused, if there are no samples, or that a part is missing.
        var reason: String?
        /// Whether it may be a part of an announcement.
        var isClip = true

        init(_ name: String, _ path: String) throws {
            (self.name, self.path) = (name, path)
            do {
                let sound = try SoundFiles.decode([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
                (samples, channels, reason) = (sound.samples, sound.channels, sound.shortfall?.reason)
                isClip = sound.shortfall?.isPartial != true
            } catch let error as SoundFileError {
                (reason, isClip) = ("\(error)", false)
                #expect(error.offset != nil, "\(name): \(error)")
            }
        }

        /// Whether it is PCM without a fault.
        var isLinear: Bool {
            name.contains("-plain.") && !["mp3", "ogg", "flac"].contains { name.hasPrefix($0) }
        }

        /// The fault in the file's name, or its container and codec where it has none.
        var kind: String {
            let words = name.split(separator: "-").map(String.init)
            let fault = words.last.map { $0.split(separator: ".").dropLast().joined(separator: ".") } ?? ""
            return fault == "plain" ? words[0] + words[1] : fault
        }
    }

    /// What came of a file in an interface.
    private struct Heard {
        var isFinished = false
        var samples: [Int16] = []
        /// The result, error or warning, as it is shown.
        var sentence = ""
    }

    private static func check(
        _ heard: Heard, _ interface: String, _ file: File, isPlayed: Bool? = nil, tolerance: Int32 = 0
    ) {
        let isPlayed = isPlayed ?? !file.samples.isEmpty
        let expected = isPlayed ? file.samples : []
        let isSame =
            heard.samples == expected
            || tolerance > 0 && heard.samples.count == expected.count
                && zip(heard.samples, expected).allSatisfy { abs(Int32($0) - Int32($1)) <= tolerance }
        #expect(
            heard.isFinished == isPlayed && isSame,
            "\(interface), \(file.name): \(heard.samples.count) of \(expected.count); \(heard.sentence)")
        // The result has what the reader reports, and nothing for a whole sound.
        let isReported = file.reason.map { heard.sentence.contains($0.prefix(200)) } ?? heard.sentence.isEmpty
        #expect(isReported, "\(interface), \(file.name): \"\(heard.sentence)\", not \"\(file.reason ?? "")\"")
    }

    @Test("files with faults are heard as the reader reads them, or refused with its sentence, by all that play files")
    func corpus() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ringer-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sounds = folder + "/Library/Sounds"
        try FileManager.default.createDirectory(atPath: sounds, withIntermediateDirectories: true)
        let script = RingerCTests.package + "/Tests/Targets/SoundFileTests/Field/make.py"
        let made = try run("python3 '\(script)' '\(sounds)' --undecoded")
        try #require(made.status == 0, "\(made.output)")
        let names = try FileManager.default.contentsOfDirectory(atPath: sounds).sorted()
        #expect(names.count > 600)
        let (device, service) = (try Player(folder), try await Service())
        let commands = try Commands(folder)
        var kinds: Set<String> = []
        for name in names {
            let file = try File(name, sounds + "/" + name)
            Self.check(try device.played(file), "ringer_device_play", file)
            Self.check(try device.announced(file), "ringer_device_announce", file, isPlayed: file.isClip)
            Self.check(try device.notified(file), "ringer_device_notify", file)
            Self.check(try await service.played(file), "Play", file)
            Self.check(try await service.announced(file), "Announce", file, isPlayed: file.isClip)
            Self.check(try await service.notified(file), "Notify", file)
            // A file of every fault, and of every container and codec: those below take longer.
            guard kinds.insert(file.kind).inserted else { continue }
            Self.check(try await service.triggered(file), "TriggerFeedback", file)
            // By way of floating point, which is rounded: the reader drops the low bits of integers. PCM is played alike.
            Self.check(try commands.converted(file), "ringer convert", file, tolerance: 1)
            if !file.isLinear { Self.check(try commands.played(file), "ringer play", file) }
        }
    }

    /// A device of ringer.h in virtual time.
    private final class Player {
        private let bench: TestDevice
        private let folder: String
        private let standard: [Int16]
        private var count = 0

        init(_ folder: String) throws {
            (bench, self.folder) = (try TestDevice(), folder)
            var notification = ringer_notification()
            #expect(ringer_device_notify(bench.device, &notification, notificationSize, nil) == 0)
            bench.advance(milliseconds: 10_000)
            let board = try #require(try DeviceHandle.at(bench.device).board)
            standard = Array(try #require(board.speaker.recordings.last).samples)
            count = board.speaker.recordingCount
            _ = bench.events()
        }

        /// By its path, or by a descriptor.
        func played(_ file: File) throws -> Heard {
            let descriptor = count % 2 == 0 ? open(file.path, O_RDONLY) : -1
            defer { if descriptor >= 0 { close(descriptor) } }
            return try file.path.withCString { path in
                var playback = ringer_playback()
                (playback.category, playback.fd) = (RINGER_CATEGORY_PLAYBACK, descriptor)
                if descriptor < 0 { playback.path = path }
                return try end(ringer_device_play(bench.device, &playback, playbackSize, nil))
            }
        }

        /// As a clip that an announcement has twice; the second half is compared here.
        func announced(_ file: File) throws -> Heard {
            var heard = try file.path.withCString { path in
                let clips: [UnsafePointer<CChar>?] = [path, path]
                return try end(ringer_device_announce(bench.device, clips, 2, RINGER_CATEGORY_PLAYBACK, 0, 0, 0, nil))
            }
            let half = heard.samples.prefix(heard.samples.count / 2)
            #expect(heard.samples.suffix(half.count) == half, "\(file.name)")
            heard.samples = Array(half)
            return heard
        }

        /// By a notification, where the default sound stands for it: that counts as a failure here.
        func notified(_ file: File) throws -> Heard {
            var heard = try folder.withCString { folder in
                try file.name.withCString { name in
                    var notification = ringer_notification()
                    (notification.directory, notification.sound) = (folder, name)
                    return try end(ringer_device_notify(bench.device, &notification, notificationSize, nil))
                }
            }
            if heard.samples == standard { (heard.isFinished, heard.samples) = (false, []) }
            return heard
        }

        /// What is heard until a call's end, and its result.
        private func end(_ result: CInt) throws -> Heard {
            guard result == 0 else { return Heard(sentence: lastError) }
            bench.advance(milliseconds: 5_000)
            let events = bench.events()
            let end = try #require(events.first { $0.type == RINGER_EVENT_SOUND_ENDED }).u.result
            let speaker = try #require(try DeviceHandle.at(bench.device).board).speaker
            let isHeard = speaker.recordingCount > count
            count = speaker.recordingCount
            let sentence = withUnsafeBytes(of: end.sentence) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            #expect(sentence.isEmpty == !events.contains { $0.type == RINGER_EVENT_DEGRADED } || !isHeard)
            return Heard(
                isFinished: end.outcome == RINGER_OUTCOME_FINISHED,
                samples: isHeard ? Array(speaker.recordings.last?.samples ?? []) : [], sentence: sentence)
        }
    }

    /// The service, whose callers send descriptors.
    private final class Service {
        private let bench: ServiceBench
        private let client: BusClient
        /// What stands in for a file in a notification, and in an event's feedback.
        private var (standard, event): ([Int16], [Int16]) = ([], [])
        private var count = 0

        init() async throws {
            bench = try ServiceBench(feedback: FeedbackService.Configuration())
            client = try bench.client()
            event = try await triggered([:]).samples
            standard = try await notified(.string("")).samples
        }

        func played(_ file: File) async throws -> Heard {
            let descriptor = open(file.path, O_RDONLY)
            defer { close(descriptor) }
            _ = try await client.play(.descriptor(descriptor), ["category": .string("playback")])
            return try await end("Ended")
        }

        /// By an event of feedbackd's interface, whose own sound stands for a file: that counts as a failure here.
        func triggered(_ file: File) async throws -> Heard {
            var heard = try await triggered(["sound-file": .string(file.path)])
            if heard.samples == event { (heard.isFinished, heard.samples) = (false, []) }
            return heard
        }

        /// As a clip of an announcement.
        func announced(_ file: File) async throws -> Heard {
            let descriptor = open(file.path, O_RDONLY)
            defer { close(descriptor) }
            let clips = BusValue.array(element: "v", [.variant(.descriptor(descriptor))])
            _ = try await client.request("Announce", [clips, .dictionary([:])])
            return try await end("Ended")
        }

        /// By a notification, where the default sound stands for it: that counts as a failure here.
        func notified(_ file: File) async throws -> Heard {
            let descriptor = open(file.path, O_RDONLY)
            defer { close(descriptor) }
            var heard = try await notified(.descriptor(descriptor))
            if heard.samples == standard { (heard.isFinished, heard.samples) = (false, []) }
            return heard
        }

        private func notified(_ sound: BusValue) async throws -> Heard {
            _ = try await client.request("Notify", [.variant(sound), .dictionary([:])])
            return try await end("Ended")
        }

        private func triggered(_ hints: [String: BusValue]) async throws -> Heard {
            let event = [
                BusValue.string("org.example"), .string("message-new-instant"), .dictionary(hints), .int32(-1),
            ]
            _ = try await client.call(
                "TriggerFeedback", event, interface: FeedbackNames.interface, path: FeedbackNames.path)
            return try await end("FeedbackEnded")
        }

        /// What is heard until the signal of the end, and what was reported.
        private func end(_ member: String) async throws -> Heard {
            try await client.advance(.seconds(5))
            var (heard, isReported) = (Heard(), false)
            for await signal in client.signals {
                if signal.member == "Degraded" {
                    isReported = true
                    if member != "Ended" { heard.sentence = signal.arguments[0].string ?? "" }
                }
                guard signal.member == member else { continue }
                guard member == "Ended" else {
                    heard.isFinished = signal.arguments[1].uint32 == 0
                    break
                }
                let details = signal.arguments[3].dictionary ?? [:]
                heard.isFinished = signal.arguments[1].string == "finished"
                heard.sentence = details["fallback"]?.string ?? details["message"]?.string ?? ""
                #expect(isReported == (details["fallback"] != nil))
                break
            }
            if bench.board.speaker.recordingCount > count {
                heard.samples = Array(bench.board.speaker.recordings.last?.samples ?? [])
            }
            count = bench.board.speaker.recordingCount
            return heard
        }
    }

    /// The command, as a process.
    private struct Commands {
        private let folder: String
        private let ringer: String

        init(_ folder: String) throws {
            (self.folder, ringer) = (folder, "'\(try programs())/ringer'")
            let configuration = """
                pcm.heard { type file format raw file "\(folder)/heard" slave.pcm nothing }
                pcm.nothing { type null }
                """
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/asound.conf"))
        }

        func converted(_ file: File) throws -> Heard {
            let output = folder + "/converted.wav"
            try? FileManager.default.removeItem(atPath: output)
            let result = try run("\(ringer) convert '\(file.path)' '\(output)'")
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: output))
            #expect((result.status == 0) == (bytes != nil), "\(file.name)")
            let samples = try bytes.map { try SoundFiles.decode([UInt8]($0)).samples }
            return Heard(isFinished: result.status == 0, samples: samples ?? [], sentence: result.output)
        }

        func played(_ file: File) throws -> Heard {
            let output = folder + "/heard"
            try? FileManager.default.removeItem(atPath: output)
            let result = try run(
                "ALSA_CONFIG_PATH='\(folder)/asound.conf' \(ringer) play '\(file.path)' --board simulated --pcm heard --json"
            )
            let bytes = [UInt8]((try? Data(contentsOf: URL(fileURLWithPath: output))) ?? Data())
            let samples = bytes.withUnsafeBytes { bytes in
                (0..<bytes.count / 2).map { bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self) }
            }
            let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("{") }
            let isFinished = result.output.contains(#""outcome":"finished""#)
            #expect(isFinished == (result.status == 0), "\(file.name): \(result.output)")
            return Heard(isFinished: isFinished, samples: samples, sentence: lines.joined(separator: "\n"))
        }
    }
}
