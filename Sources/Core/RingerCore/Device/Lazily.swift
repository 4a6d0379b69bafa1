import Synchronization

/// A part that is created at its first use, so that firmware that does not use it needs no memory or time for it.
/// Any thread. A part whose creation makes transitions is created inside one.
final class Lazily<Part: Sendable>: Sendable {
    private enum State {
        case unmade(@Sendable () -> Part)
        case made(Part)
    }

    private let state: Mutex<State>

    init(_ make: @escaping @Sendable () -> Part) {
        state = Mutex(.unmade(make))
    }

    /// The part, created if necessary.
    var part: Part {
        state.withLock { state in
            switch state {
            case .made(let part): return part
            case .unmade(let make):
                let part = make()
                state = .made(part)
                return part
            }
        }
    }

    /// Calls `change` with the part if it exists, else as soon as it is created.
    func change(_ change: @escaping @Sendable (Part) -> Void) {
        let part: Part? = state.withLock { state in
            switch state {
            case .made(let part): return part
            case .unmade(let make):
                state = .unmade {
                    let part = make()
                    change(part)
                    return part
                }
                return nil
            }
        }
        if let part { change(part) }
    }

    /// Calls `use` with the part if it exists.
    func ifMade(_ use: (Part) -> Void) {
        let part: Part? = state.withLock { if case .made(let part) = $0 { part } else { nil } }
        if let part { use(part) }
    }
}
