import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// A descriptor that becomes readable when something changed.
protocol ChangeNotifier: ~Copyable, Sendable {
    /// Readable when something changed. The notifier closes it.
    var descriptor: CInt { get }

    /// Reads the descriptor until it is empty.
    ///
    /// - Returns: Whether something relevant to the owner changed.
    mutating func drain() -> Bool
}

/// Calls a handler on the event loop's thread when files of a directory are created, removed, renamed or change their
/// mode.
typealias DirectoryWatch = ChangeWatch<InotifyDescriptor>

extension DirectoryWatch {
    /// Starts watching `directory`.
    ///
    /// - Parameter contents: Whether it reports also that a file was written.
    /// - Throws: ``RingerError`` if the user has no inotify instances or watches left.
    convenience init(
        _ directory: FilePath, contents: Bool = false, loop: EventLoop, _ handler: @escaping @Sendable () -> Void
    ) throws(RingerError) {
        self.init(try InotifyDescriptor(directory, contents: contents), loop: loop, handler)
    }
}

/// Calls a handler on the event loop's thread when its notifier reports changes.
///
/// The loop retains it until it is closed; the owner closes it, on any thread.
final class ChangeWatch<Notifier: ChangeNotifier & ~Copyable>: Sendable {
    private struct State: ~Copyable {
        var notifier: Notifier?
        var watch: EventLoop.WatchedDescriptor?
    }

    private let loop: EventLoop
    private let state: Mutex<State>

    /// Starts watching.
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

    /// Ends watching. Waits for a running call of the handler, unless the handler itself calls this.
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
