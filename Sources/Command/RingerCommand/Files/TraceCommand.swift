import ArgumentParser
import RingerLinux
import RingerTerminal
import SystemPackage

/// `ringer trace`: draws a value-change dump.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Draw a value-change dump as a picture.",
        discussion: """
            Reads what --trace, ringer-lab, logic analysers and simulators write, up to 64 MB; "-" is standard input. Each \
            variable gets a lane. The picture appears whole or not at all.
            """)

    @Argument(help: "The dump to read.", completion: .file(extensions: ["vcd"]))
    var dump: String

    @Argument(help: "The picture to write, a name that ends in .svg.", completion: .file(extensions: ["svg"]))
    var picture: String

    func validate() throws {
        if FilePath(picture).extension?.lowercased() != "svg" {
            throw ValidationError("'\(picture)': a name that ends in .svg is meant.")
        }
    }

    func run() throws {
        let text = try InputFile.read(dump, largest: 64 << 20)
        let changes: ValueChanges
        do throws(ValueChanges.Mistake) {
            changes = try ValueChanges(text)
        } catch {
            Terminal.complain("ringer: \(dump): \(error)")
            throw ExitCode.failure
        }
        let svg = WaveformPicture(of: changes, title: FilePath(picture).stem ?? picture).svg
        do {
            var file = try ReplacementFile(FilePath(picture))
            try file.descriptor.writeAll(svg.utf8)
            try file.finish()
        } catch {
            throw RingerError("write", picture, (error as? Errno) ?? .ioError)
        }
    }
}
