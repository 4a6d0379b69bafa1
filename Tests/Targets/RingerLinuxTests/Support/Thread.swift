import RingerLinux

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
