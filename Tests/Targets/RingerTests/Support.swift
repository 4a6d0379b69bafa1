import Ringer
import Synchronization

/// What happened, in order.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }
}

/// A thread that a test waits for.
final class Thread: Sendable {
    private let isDone = Latch()

    init(_ body: @escaping @Sendable () -> Void) {
        let isDone = isDone
        do {
            try DetachedThread.start(stackSize: 512 * 1024) {
                body()
                isDone.open()
            }
        } catch {
            preconditionFailure("no thread: \(error)")
        }
    }

    func join() { isDone.wait() }
}
