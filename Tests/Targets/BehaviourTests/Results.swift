import Synchronization

/// What completions reported, in order.
final class Results<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    init() {
        RestartedRun.current?.add { [self] in all }
    }

    func append(_ value: Value) { values.withLock { $0.append(value) } }

    var all: [Value] { values.withLock { $0 } }
}
