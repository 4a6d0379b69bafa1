import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer watch`: the initial state of the switch and the device, then events.
struct WatchCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the current state of switch, routes, volume, input, lock and sessions, then every change.",
        discussion: """
            First the current state, the switch first, and how an alert is judged in it; what no part of the device reports \
            is "unknown". Then events, as they happen: the switch moves, is lost or is found again; routes, volume, \
            input, jacks, lock and the user's preferences change; this process's sessions; faults. Nothing polls: the command \
            sleeps until the kernel reports something. Times are the kernel's stamps, in seconds of its monotonic clock.

            JSON, one object a line:
            {"ringSilent":"ring|vibrate|silent","source":...,"at":seconds,
             "event":"position|dropped|lost|found|route|state|session|degraded"}
            "detail" says it in words; "initial":true marks the current state at the start. Values have the names that \
            status uses: "route", "outputVolume", "inputAvailable", "headphone", "microphone", "locked", "doNotDisturb", \
            "alert", "alertReason"; also "routes", "sessions" and "otherAudio". null means unknown.
            """)

    @Option(name: .customLong("for"), help: ArgumentHelp("End after so many seconds.", valueName: "seconds"))
    var seconds: Double?
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var trace: TraceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let seconds, !(seconds >= 0 && seconds <= 1e9) {
            throw ValidationError("--for takes seconds from 0 to 1000000000, not \(seconds).")
        }
    }

    func run() async throws {
        let recording = try trace.makeRecording()
        let device = try await board.makeDevice(
            requiring: .ringSilentSwitch, following: .all, recording: recording)
        defer { device.close() }
        try await device.showChanges(json: output.json, for: seconds.map { .seconds($0) })
        try recording?.finish(at: device.clock.now)
    }
}
