import ArgumentParser
import RingerCore

/// The options of every command that plays a sound.
struct PlayingOptions: ParsableArguments {
    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup(title: "Predefined sounds") var sounds: SoundOptions
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var trace: TraceOptions
    @OptionGroup var output: OutputOptions

    /// The device that the options name, and the recording of its trace, where one is asked for.
    func makeDevice() async throws -> (Device, TraceRecording?) {
        let recording = try trace.makeRecording()
        let configuration = sounds.configuration(user)
        return (try await board.makeDevice(configuration: configuration, recording: recording), recording)
    }
}
