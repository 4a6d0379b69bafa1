import ArgumentParser
import Ringer

/// `ringer watch`: the switch, as it is and as it moves.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show switch, routes, volume, input, lock and sessions: what they are, then what happens.",
        discussion: """
            First what is so now, the switch first; what nothing tells is called unknown. Then, as it happens: the switch, \
            moved, lost and found; routes; volume, input, headphone, microphone and lock; this process's sessions; what \
            does not work as it should. Nothing polls: the command sleeps until the kernel has news. Times are the \
            kernel's stamps, in seconds of its monotonic clock.

            JSON, one object a line:
            {"ringSilent":"ring|vibrate|silent","source":...,"at":seconds,
             "event":"position|dropped|lost|found|route|state|session|degraded"}
            With "detail" in words, and with "initial":true where it tells what is so at the start. Values have the \
            names that status uses: "route", "outputVolume", "inputAvailable", "headphone", "microphone", "locked"; \
            besides "routes", "sessions" and "otherAudio". What is unknown is null.
            """)

    @Option(name: .customLong("for"), help: "End after this many seconds.")
    var seconds: Double?
    @OptionGroup var board: BoardOptions
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
        // Subscribed first, read then: nothing falls between.
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
            // The position is what comes first.
            line.isInitial = !initial.isEmpty
            try show(line)
            for line in initial { try show(line) }
            initial = []
        }
        try recording?.finish(at: device.clock.now)
    }
}
