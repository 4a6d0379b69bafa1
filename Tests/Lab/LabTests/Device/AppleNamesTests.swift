import Testing

extension VirtualTime {
    /// A C program under Apple's names, on the machine's own parts.
    @Suite struct AppleNamesTests {
        @Test(
            "a C program under Apple's names registers, completes, loops, detects and follows the route",
            arguments: [false, true])
        func phone(isSilent: Bool) async throws {
            try LabBoard.setSwitch(silent: isSilent)
            try await Task.sleep(for: .milliseconds(50))
            let folder = RingerCommandLine.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            let client = try ChildProcess([
                folder.joined(separator: "/") + "/audiotoolbox-client", Lab.temporaryFolder,
            ])
            for _ in 0..<1000 {
                guard try !client.output().contains("plug headphones in") else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            try LabBoard.chip.setPull(LabBoard.jackLine, .up)
            let outcome = try await client.wait()
            #expect(outcome.status == 0)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            for line in [
                "register: 0", "more than 30 s: -1502", "sound completed: 1", "vibration completed: 1",
                "ring over: 1, 3 rounds", "IsUISound 0", "detector: \(isSilent ? "muted" : "heard")", "block called: 1",
                "the old mute test: \(isSilent ? "muted" : "Speaker")", "category: 'medi'", "as playback: Speaker",
                "the listener: reason 1, from the speaker", "route changed: 1, to Headphone", "deactivate: 0",
            ] { #expect(lines.contains(line), "\(line): \(outcome.output)") }
        }
    }
}
