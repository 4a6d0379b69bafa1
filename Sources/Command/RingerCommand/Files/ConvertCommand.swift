import ArgumentParser
import RingerCore
import SystemPackage
import RingerTerminal

/// `ringer convert`: converts sound files with the options of `afconvert`.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a sound file to another container, codec, rate or number of channels.",
        discussion: """
            Formats are spelt as afconvert spells them:
              ringer convert Submarine.aiff sub.caf -d ima4 -f caff -v

            The output appears whole or not at all; a file of that name is replaced, as afconvert replaces it. Of a file that \
            was cut off, what is there is converted, with a warning.
            Rates are converted by libsoxr, at its very high quality. One channel goes to the first two of several; \
            several are averaged to one; otherwise channels are dropped from the end, or silent ones added.
            """)

    @Argument(help: "The sound file to read. Its contents determine its format, not its name.")
    var input: String

    @Argument(help: "The sound file to write.")
    var output: String

    @Option(
        name: [.customShort("d"), .customLong("data")],
        help: ArgumentHelp(
            "ima4, ulaw, alaw, or PCM as LEI16, BEI16, BEI24, LEF32, UI8 and so on; 0 keeps the input's. A rate may follow: LEI16@44100. (default: 16-bit PCM)",
            valueName: "format"))
    var data: String?

    @Option(
        name: [.customShort("f"), .customLong("file")],
        help: ArgumentHelp(
            "caff, AIFF, AIFC, WAVE or RF64. (default: by the extension of the output's name)", valueName: "container"))
    var file: String?

    @Option(name: [.customShort("r"), .customLong("rate")], help: "The sample rate in hertz. (default: the input's)")
    var rate: Double?

    @Option(
        name: [.customShort("c"), .customLong("channels")], help: "The number of channels. (default: the input's)")
    var channels: Int?

    @Flag(name: [.customShort("v"), .customLong("verbose")], help: "Show the formats of input and output.")
    var verbose = false

    mutating func validate() throws {
        if try container() == nil {
            throw ValidationError(
                "The output's name has no known extension; name a container with -f: caff, AIFF, AIFC, WAVE or RF64.")
        }
        _ = try format()
        if let rate, !SoundLimits.sampleRates.contains(rate) { throw ValidationError("-r \(rate): not a sample rate") }
        if let channels, !SoundLimits.channels.contains(channels) {
            throw ValidationError("-c \(channels): 1 to 256 channels are possible")
        }
    }

    mutating func run() throws {
        do {
            try convert()
        } catch {
            Terminal.complain("ringer: \(error)")
            throw ExitCode.failure
        }
    }

    private func container() throws -> SoundContainer? {
        guard let file else { return SoundFormatNames.container(FilePath(output).extension ?? "") }
        guard let container = SoundFormatNames.container(file) else {
            throw ValidationError("-f \(file): caff, AIFF, AIFC, WAVE and RF64 are known")
        }
        return container
    }

    /// The requested codec, `nil` for the input's, and the rate after an @.
    private func format() throws -> (codec: SoundCodec?, rate: Double?) {
        guard let data else { return (try container().map(SoundFormatNames.usualCodec), nil) }
        let parts = data.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let rate = parts.count > 1 ? Double(parts[1]) : nil
        if parts.count > 1, rate.map(SoundLimits.sampleRates.contains) != true {
            throw ValidationError("-d \(data): not a sample rate after the @")
        }
        if parts[0] == "0" { return (nil, rate) }
        guard let codec = SoundFormatNames.codec(parts[0]) else {
            throw ValidationError("-d \(data): ima4, ulaw, alaw, LEI16, BEI16, LEF32 and their like are known")
        }
        return (codec, rate)
    }

    private func convert() throws {
        guard let container = try container() else { return }
        let format = try format()
        let source = try FileByteSource(input)
        var converter: SoundConverter
        do {
            converter = try SoundConverter(source)
        } catch {
            throw Failure(file: input, cause: error)
        }
        var codec = format.codec ?? converter.info.codec
        if format.codec == nil, [.mpegLayer3, .vorbis, .opus, .flac].contains(codec) {
            throw RingerError(
                .unsupported, "keep its codec", input,
                detail: "\(codec) is read, not written: name another one with -d, such as LEI16")
        }
        // WAV's ADPCM of the same name is another format with the same arithmetic.
        if codec == .ima4, container == .wave || container == .rf64 { codec = .imaADPCM }
        if codec == .imaADPCM, container == .caf || container == .aifc { codec = .ima4 }
        let target = SoundConverter.Target(
            container: container, codec: codec, sampleRate: rate ?? format.rate ?? converter.info.sampleRate,
            channels: channels ?? converter.info.channels)
        if verbose {
            try Terminal.show("\(input): \(converter.info.frames.counted("frame")), \(Self.describe(converter.info))")
            try Terminal.show(
                "\(output): \(container.rawValue), \(target.channels) ch, \(SoundFormatNames.rate(target.sampleRate)) Hz, \(codec)"
            )
        }
        let frames: Int64
        do {
            var file = try ReplacementFile(FilePath(output))
            var progress = ConversionProgress(total: converter.info.frames, longerThan: converter.info.duration)
            var position: Int64 = 0
            frames = try converter.convert(to: target, descriptor: file.descriptor) {
                position = $0
                progress.show($0)
            }
            progress.finish()
            if position < converter.info.frames {
                Terminal.complain(
                    "ringer: \(input): only \(position) of \(converter.info.frames) frames could be decoded")
            } else if let shortfall = converter.info.shortfall {
                Terminal.complain("ringer: \(input): \(shortfall)")
            }
            try file.finish()
        } catch {
            throw Failure(file: output, cause: error)
        }
        if verbose { try Terminal.show("\(output): \(frames.counted("frame")) written") }
    }

    private static func describe(_ info: SoundFileInfo) -> String {
        "\(info.container.rawValue), \(info.channels) ch, \(SoundFormatNames.rate(info.sampleRate)) Hz, \(info.codec)"
    }

    /// An error and the file that it occurred with.
    private struct Failure: Error, CustomStringConvertible {
        let file: String
        let cause: any Error

        var description: String { "\(file): \(cause)" }
    }
}
