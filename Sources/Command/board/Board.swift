import Glibc
import RingerLinux
import RingerTerminal

/// The machine's own ring/silent switch and its changes; without one that can be read, a simulated board: interactive on a
/// terminal, else a scripted tour.
///
/// `make run` builds this alone, which takes less time than the `ringer` command with its options and its connection to the
/// service.
@main
struct Board {
    static func main() {
        do {
            try Terminal.run(show)
        } catch {
            Terminal.complain("Error: \(error)")
            exit(EXIT_FAILURE)
        }
    }

    private static func show() async throws {
        // A device that does not open has no switch to show; `ringer doctor` gives the reason.
        if let device = try? await Device.discover(.init(following: .all)) {
            defer { device.close() }
            if device.state.ringSilent != nil {
                try device.close(on: Terminal.signals)
                return try await device.showChanges()
            }
        }
        try Terminal.show("No ring/silent switch here (`ringer doctor` says what is missing): a simulated board.")
        if Terminal.isInteractive { return try await InteractiveSimulation.run() }
        _ = try ScriptRun.run(.tour)
    }
}
