import ArgumentParser
import RingerCore
import SystemPackage
import RingerTerminal

/// `ringer info`: shows the format of sound files, as `afinfo` does.
struct InfoCommand: ParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show the format, length and codec of sound files.",
        discussion: """
            Reads CAF, AIFF, AIFF-C, WAV, RF64, RIFX, MP3, Ogg and FLAC; the format is found from the contents, not from the name. A file \
            that cannot be read gets a line on standard error, the others are still shown, and the exit status is 1.
            """)

    @Argument(help: "The sound files.")
    var files: [String]

    @OptionGroup var output: OutputOptions

    mutating func run() throws {
        var hasFailed = false
        for (index, file) in files.enumerated() {
            do {
                let info = try SoundLoader.info(file)
                if output.json {
                    try Terminal.show(Self.json(file, info).description)
                } else {
                    if index > 0 { try Terminal.show("") }
                    for line in Self.lines(file, info) { try Terminal.show(line) }
                }
            } catch {
                hasFailed = true
                try show(error, [("file", .string(file))])
                Terminal.complain("ringer: \(error)")
            }
        }
        if hasFailed { throw ExitCode.failure }
    }

    private static func lines(_ file: String, _ info: SoundFileInfo) -> [String] {
        var lines = [
            "File:           \(file)",
            "File type:      \(info.container.rawValue)",
            "Data format:    \(info.channels) ch, \(SoundFormatNames.rate(info.sampleRate)) Hz, "
                + "\(SoundFormatNames.name(info.codec)), \(info.codec)",
            "Duration:       \(seconds(info)) s, \(info.frames.counted("frame"))",
            "Audio bytes:    \(info.dataSize) from byte \(info.dataOffset)",
            "Packets:        \(info.bytesPerPacket.counted("byte")), \(info.framesPerPacket.counted("frame")) each",
            "Bit rate:       \(bitRate(info)) bit/s",
        ]
        if info.primingFrames > 0 || info.remainderFrames > 0 {
            lines.append("Trimmed:        \(info.primingFrames) priming, \(info.remainderFrames) remainder frames")
        }
        if let layout = info.channelLayout {
            let tag = layout.tag.map { "tag 0x\(String($0, radix: 16)), " } ?? ""
            lines.append("Channel layout: \(tag)bitmap 0x\(String(layout.bitmap, radix: 16))")
        }
        if info.editCount > 0 { lines.append("Edits:          \(info.editCount)") }
        if info.isTruncated, let shortfall = info.shortfall { lines.append("Truncated:      \(shortfall)") }
        if info.skippedBytes > 0 { lines.append("Skipped:        \(info.skippedBytes) damaged bytes between frames") }
        lines += info.tags.map { "\($0.key): \($0.value)" }
        return lines
    }

    private static func json(_ file: String, _ info: SoundFileInfo) -> JSONValue {
        let layout: JSONValue =
            info.channelLayout.map { layout in
                .object([
                    ("tag", layout.tag.map { .integer(Int64($0)) } ?? .null),
                    ("bitmap", .integer(Int64(layout.bitmap))),
                ])
            } ?? .null
        let chunks = info.chunks.map { chunk in
            JSONValue.object([
                ("id", .string(chunk.id.description)), ("offset", .integer(Int64(chunk.offset))),
                ("size", chunk.size.map { .integer(Int64($0)) } ?? .null),
            ])
        }
        let tags = info.tags.map { JSONValue.object([("key", .string($0.key)), ("value", .string($0.value))]) }
        return .object([
            ("file", .string(file)),
            ("container", .string(info.container.rawValue)),
            ("codec", .string(SoundFormatNames.name(info.codec))),
            ("description", .string(info.codec.description)),
            ("sampleRate", .number(info.sampleRate)),
            ("channels", .integer(Int64(info.channels))),
            ("bits", .integer(Int64(info.bits))),
            ("frames", .integer(Int64(info.frames))),
            ("duration", .number(Double(info.frames) / info.sampleRate)),
            ("bitRate", .integer(bitRate(info))),
            ("dataOffset", .integer(Int64(info.dataOffset))),
            ("dataSize", .integer(Int64(info.dataSize))),
            ("bytesPerPacket", .integer(Int64(info.bytesPerPacket))),
            ("framesPerPacket", .integer(Int64(info.framesPerPacket))),
            ("primingFrames", .integer(Int64(info.primingFrames))),
            ("remainderFrames", .integer(Int64(info.remainderFrames))),
            ("truncated", .bool(info.isTruncated)), ("skipped", .integer(Int64(info.skippedBytes))),
            ("editCount", .integer(Int64(info.editCount))),
            ("channelLayout", layout),
            ("chunks", .array(chunks)),
            ("tags", .array(tags)),
        ])
    }

    private static func bitRate(_ info: SoundFileInfo) -> Int64 {
        Int64((Double(info.bytesPerPacket) * 8 * info.sampleRate / Double(info.framesPerPacket)).rounded())
    }

    /// The duration in microseconds.
    private static func seconds(_ info: SoundFileInfo) -> String {
        (Double(info.frames) / info.sampleRate).fixed(6)
    }
}
