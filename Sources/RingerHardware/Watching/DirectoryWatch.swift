import Glibc
import RingerServices
import Synchronization
import SystemPackage

/// Calls on the event loop's thread when something comes to, goes from or changes its mode in a directory.
///
/// The loop keeps it until it is closed, which whoever made it does.
final class DirectoryWatch: Sendable {
    private struct State: ~Copyable {
        var notifier: DirectoryNotifier?
        var watch: EventLoop.WatchedDescriptor?
    }

    private let loop: EventLoop
    private let state: Mutex<State>

    /// Watches `directory` from now on.
    init(
        _ directory: FilePath, loop: EventLoop, _ handler: @escaping @Sendable () -> Void
    ) throws(RingerError) {
        let notifier = try DirectoryNotifier(directory)
        let descriptor = notifier.descriptor
        self.loop = loop
        state = Mutex(State(notifier: notifier))
        let watch = loop.watch(descriptor, for: Int16(POLLIN)) { [self] _ in
            let isOpen = state.withLock { state in
                state.notifier?.drain()
                return state.notifier != nil
            }
            if isOpen { handler() }
        }
        state.withLock { $0.watch = watch }
    }

    /// Ends watching; a call of the handler that is under way ends first, unless this is it.
    func close() {
        loop.sync { self.tearDown() }
    }

    /// Ends watching soon: for a deinitialiser, which must not wait.
    func closeSoon() {
        loop.execute { self.tearDown() }
    }

    private func tearDown() {
        state.withLock { state in
            state.watch?.cancel()
            state.watch = nil
            state.notifier = nil
        }
    }
}
