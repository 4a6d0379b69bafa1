import ArgumentParser
import RingerLinux

/// The option to record what the device does.
struct TraceOptions: ParsableArguments {
    @Option(
        name: .customLong("trace"),
        help: ArgumentHelp(
            "Record switch, sound, motor and decisions over time: NAME.vcd for GTKWave and PulseView, NAME.svg for a picture.",
            valueName: "file"),
        completion: .file(extensions: ["vcd", "svg"]))
    var file: String?

    func validate() throws {
        if let file, TraceRecording.Format(file) == nil {
            throw ValidationError("--trace takes a name that ends in .vcd or .svg, not '\(file)'.")
        }
    }

    /// The recording that the options ask for, with its file open; nil without one.
    func makeRecording() throws(RingerError) -> TraceRecording? {
        guard let file, let format = TraceRecording.Format(file) else { return nil }
        return try TraceRecording(file, format)
    }
}
