import Synchronization

/// A part that is made when it is first asked for: what a firmware never uses costs it no memory and no time.
final class Lazily<Part: Sendable>: Sendable {
    private enum State {
        case unmade(@Sendable () -> Part)
        case made(Part)
    }

    private let state: Mutex<State>

    /// A part that `make` will make, once.
    init(_ make: @escaping @Sendable () -> Part) {
        state = Mutex(.unmade(make))
    }

    /// The part.
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

    /// Calls `change` with the part if it was made, and with one that is made later as soon as it is.
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

    /// Calls `use` with the part if it was made.
    func ifMade(_ use: (Part) -> Void) {
        let part: Part? = state.withLock { if case .made(let part) = $0 { part } else { nil } }
        if let part { use(part) }
    }
}
