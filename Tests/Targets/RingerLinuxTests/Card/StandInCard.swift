import RingerCore
import Synchronization
import SystemPackage

@testable import RingerLinux

/// A sound card with use cases, and the part of alsa-lib that switches it: a manager runs the sequence of a device only if it
/// takes the device to be in the other state, and takes one that could not be turned off to be off.
final class StandInCard: Sendable {
    private struct State {
        /// The outputs that are on.
        var on: Set<String> = []
        var failing: Set<String> = []
        /// The calls that return when their latch opens.
        var blocked: [String: Latch] = [:]
        var calls: [String] = []
        /// The manager that was opened last.
        var manager = 0
        var active: Set<String> = []
    }

    private let state = Mutex(State())
    /// Stands for the card's control file.
    private let file = TemporaryFile()

    let useCases: UseCases

    /// A card with these outputs.
    init(_ outputs: [(AudioRoute, String, pcm: String)]) {
        useCases = UseCases(
            card: 0, FilePath(file.path), file: "HiFi.conf", verb: "HiFi",
            outputs: outputs.map { UseCases.Output(route: $0.0, device: $0.1, pcm: $0.pcm) })
        plugIn()
    }

    /// A speaker and headphones behind one PCM.
    convenience init(sharing pcm: String = "default") {
        self.init([(.speaker, "Speaker", pcm: pcm), (.headphone, "Headphones", pcm: pcm)])
    }

    func selector(pcm: String = "default") -> UseCaseSelector {
        UseCaseSelector(useCases, pcm: pcm) { [self] () -> UseCaseSelector.Change in open() }
    }

    /// Another card takes its place: everything is off.
    func plugIn() {
        file.replace()
        state.withLock { $0.on = [] }
    }

    /// The outputs that are on.
    var on: Set<String> { state.withLock { $0.on } }
    /// What was asked for since the last look: "_enadev Speaker".
    var calls: [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }
    /// How many managers were opened.
    var managers: Int { state.withLock { $0.manager } }

    /// Has calls fail from now on: "_disdev Speaker".
    func fail(_ calls: Set<String>) { state.withLock { $0.failing = calls } }

    /// Has a call not return before `latch` opens: "_enadev Headphones".
    func block(_ call: String, until latch: Latch) { state.withLock { $0.blocked[call] = latch } }

    private func open() -> UseCaseSelector.Change {
        let number = state.withLock { state in
            state.manager += 1
            state.active = []
            return state.manager
        }
        return { [self] identifier, value throws(RingerError) in
            let call = "\(identifier) \(value)"
            state.withLock { $0.blocked[call] }?.wait()
            let hasFailed = state.withLock { state in
                precondition(number == state.manager, "an earlier manager is used")
                state.calls.append(call)
                let isOn = identifier == "_enadev"
                if identifier == "_verb" || state.active.contains(value) == isOn {
                    return state.failing.contains("_verb")
                }
                let fails = state.failing.contains(call)
                if !isOn { state.active.remove(value) }
                if fails { return true }
                if isOn { state.active.insert(value) }
                if isOn { state.on.insert(value) } else { state.on.remove(value) }
                return false
            }
            if hasFailed { throw RingerError("set \(identifier) to \(value)", "stand-in", .ioError) }
        }
    }
}
