import ArgumentParser
import Ringer

/// `ringer watch`: the initial state of the switch and the device, then events.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the current state of switch, routes, volume, input, lock and sessions, then every change.",
        discussion: """
            First the current state, the switch first; what no part of the device reports is "unknown". Then events, as \
            they happen: the switch moves, is lost or is found again; routes, volume, input, jacks and lock change; this \
            process's sessions; faults. Nothing polls: the command sleeps until the kernel reports something. Times are \
            the kernel's stamps, in seconds of its monotonic clock.

            JSON, one object a line:
            {"ringSilent":"ring|vibrate|silent","source":...,"at":seconds,
             "event":"position|dropped|lost|found|route|state|session|degraded"}
            "detail" says it in words; "initial":true marks the current state at the start. Values have the names that \
            status uses: "route", "outputVolume", "inputAvailable", "headphone", "microphone", "locked"; also "routes", \
            "sessions" and "otherAudio". null means unknown.
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
        var newest = device.state.ringSilent
        // Subscribe before reading, so that no change falls between.
        let events = device.eventsFromPosition
        var initial = WatchLine.initial(of: device)
        func show(_ line: WatchLine) throws {
            try Terminal.show(output.json ? line.json(ringSilent: newest).description : line.text)
        }
        if let seconds {
            let end = device.clock.now + .seconds(seconds)
            _ = device.clock.schedule(at: end) { device.close() }
        }
        for await event in events {
            if case .switchMoved(let position, _, _) = event { newest = position }
            guard var line = WatchLine(event) else { continue }
            // The position comes first.
            line.isInitial = !initial.isEmpty
            try show(line)
            for line in initial { try show(line) }
            initial = []
        }
        try recording?.finish(at: device.clock.now)
    }
}
