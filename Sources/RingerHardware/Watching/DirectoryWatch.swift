import Glibc
import RingerServices
import Synchronization
import SystemPackage

/// A descriptor that is readable when something changed, with what it takes to read it.
protocol ChangeNotifier: ~Copyable, Sendable {
    /// Readable when something changed. It stays the notifier's.
    var descriptor: CInt { get }

    /// Reads what the descriptor has.
    ///
    /// - Returns: Whether something happened that the owner waits for.
    mutating func drain() -> Bool
}

/// Calls a handler on the event loop's thread when something comes to, goes from or changes its mode in a directory.
typealias DirectoryWatch = ChangeWatch<DirectoryNotifier>

extension DirectoryWatch {
    /// Watches `directory` from now on.
    ///
    /// - Throws: ``RingerError`` where the user has no inotify instances or watches left.
    convenience init(
        _ directory: FilePath, loop: EventLoop, _ handler: @escaping @Sendable () -> Void
    ) throws(RingerError) {
        self.init(try DirectoryNotifier(directory), loop: loop, handler)
    }
}

/// Calls a handler on the event loop's thread when its notifier has changes.
///
/// The loop keeps it until it is closed; the owner closes it.
final class ChangeWatch<Notifier: ChangeNotifier & ~Copyable>: Sendable {
    private struct State: ~Copyable {
        var notifier: Notifier?
        var watch: EventLoop.WatchedDescriptor?
    }

    private let loop: EventLoop
    private let state: Mutex<State>

    /// Watches `notifier` from now on.
    init(_ notifier: consuming Notifier, loop: EventLoop, _ handler: @escaping @Sendable () -> Void) {
        let descriptor = notifier.descriptor
        self.loop = loop
        state = Mutex(State(notifier: notifier))
        let watch = loop.watch(descriptor, for: Int16(POLLIN)) { [self] _ in
            let hasChanges = state.withLock { $0.notifier?.drain() ?? false }
            if hasChanges { handler() }
        }
        state.withLock { $0.watch = watch }
    }

    /// Ends watching; a call of the handler that is under way ends first, unless the handler itself calls this.
    func close() {
        loop.sync { self.tearDown() }
    }

    /// Ends watching without waiting for the loop: for a deinitialiser, and for a caller that holds a lock.
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
