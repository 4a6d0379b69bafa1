import ArgumentParser
import RingerLinux
import SystemPackage
import RingerTerminal

/// `ringer sounds`: the predefined sounds.
struct SoundsCommand: ParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "sounds",
        abstract: "List the predefined sounds, or render them to files.",
        discussion: """
            The last column, "resolved", is the file that replaces the sound, or synthesized, vibration or silent.
            JSON, one object a line: {"id":1000,"name":"new-mail","file":"new-mail.caf","resolved":"synthesized",
            "category":"MailReceived","vibrates":false,"since":null,"categorySince":null,"formerCategory":null}
            since is the system version that brought the sound, categorySince the one that gave it its category.
            """)

    @Option(
        help: ArgumentHelp("Write every sound into this directory, as CAF files of 16-bit samples.", valueName: "dir"),
        completion: .directory)
    var render: String?
    @OptionGroup var sounds: SoundOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let predefined = sounds.predefined
        if let render { return try renderAll(predefined, into: render) }
        for sound in PredefinedSound.all {
            let file = sound.file(on: predefined.variant)
            let resolved = predefined.source(of: sound).word
            if output.json {
                let members: [(String, JSONValue)] = [
                    ("id", .integer(Int64(sound.id))), ("name", .string(sound.name)), ("file", .optional(file)),
                    ("resolved", .string(resolved)), ("category", .optional(sound.category)),
                    ("vibrates", .bool(!sound.vibration.isEmpty)), ("since", .optional(sound.availableSince)),
                    ("categorySince", .optional(sound.categorySince)),
                    ("formerCategory", .optional(sound.formerCategory)),
                ]
                try Terminal.show(JSONValue.object(members).description)
            } else {
                try Terminal.show(
                    "\(sound.id)  \(sound.name.padded(to: 42)) \((sound.category ?? "-").padded(to: 24)) \(resolved)")
            }
        }
    }

    /// Renders the file of each row as this device plays it; rows that share a file share it here.
    private func renderAll(_ predefined: PredefinedSounds, into directory: String) throws {
        try Directory.make(directory)
        var done: Set<String> = []
        for sound in PredefinedSound.all {
            guard let file = sound.file(on: predefined.variant), done.insert(file).inserted else { continue }
            guard let samples = predefined.samples(of: sound) else { continue }
            let path = directory + "/" + file
            do {
                let bytes = try SoundFiles.encode(
                    samples, container: .caf,
                    codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)))
                var replacement = try ReplacementFile(FilePath(path))
                try replacement.descriptor.writeAll(bytes)
                try replacement.finish()
            } catch let error as SoundFileError {
                throw RingerError(.invalid, "write", path, detail: "\(error)")
            } catch {
                throw RingerError("write", path, (error as? Errno) ?? .ioError)
            }
            if output.json {
                let members: [(String, JSONValue)] = [
                    ("id", .integer(Int64(sound.id))), ("name", .string(sound.name)), ("file", .string(file)),
                    ("resolved", .string(path)), ("seconds", .number(samples.duration.inSeconds)),
                ]
                try Terminal.show(JSONValue.object(members).description)
            }
        }
        if !output.json { try Terminal.show("\(done.count) sounds in \(directory)") }
    }
}

extension PredefinedSounds.Source {
    /// The file's path, or what is played without a file.
    fileprivate var word: String {
        switch self {
        case .file(let path): path
        case .synthesized: "synthesized"
        case .vibration: "vibration"
        case .silent: "silent"
        }
    }
}
