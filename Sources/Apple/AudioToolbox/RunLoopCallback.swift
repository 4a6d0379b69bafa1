import Dispatch
internal import ProcessDevice
import Synchronization

/// A function of the program with its client data, and the run loop in which it wants to be called.
struct RunLoopCallback<Function>: Sendable {
    // SAFETY: the function and the pointer go back to the program in one callback after the other, as it asked for.
    struct Target: @unchecked Sendable {
        let function: Function
        let clientData: UnsafeMutableRawPointer?
    }

    /// Nil for the main queue.
    private let source: RunLoopSource?
    /// What a callback captures: one that waits for a run loop that never runs again keeps no source of it.
    let target: Target

    /// - Parameters:
    ///   - runLoop: The run loop; nil for the main one.
    ///   - mode: The mode in which it is called; nil for the default one.
    init(
        _ runLoop: CFRunLoop?, _ mode: CFString?, _ function: Function, _ clientData: UnsafeMutableRawPointer?
    ) {
        let mode = mode.map { RunLoop.Mode($0 as String) } ?? .default
        let isMain = (runLoop ?? .main) === RunLoop.main && (mode == .default || mode == .common)
        source = isMain ? nil : RunLoopSource(runLoop ?? .main, mode)
        target = Target(function: function, clientData: clientData)
    }

    /// Runs `body` where the program wants its callbacks: for the main run loop on the main queue, which serves
    /// `RunLoop.main.run()`, `dispatchMain()` and an async main alike; else in the run loop, while that runs in the mode.
    func run(_ body: @escaping @Sendable () -> Void) {
        if let source { source.run(body) } else { DispatchQueue.main.async { Callbacks.perform(body) } }
    }
}

/// Callbacks that wait for a run loop, in order. The run loop does not end for want of sources while this is there.
// SAFETY: the timer and the run loop are CoreFoundation's, which any thread may add, set and invalidate.
private final class RunLoopSource: @unchecked Sendable {
    private struct Callback {
        var body: @Sendable () -> Void
    }

    /// Foundation wakes another thread's run loop for the date of a timer alone.
    private let timer: Timer
    private let waiting = Waiting()

    private final class Waiting: Sendable {
        let callbacks = Mutex<[Callback]>([])

        func runAll() {
            while let next = callbacks.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                Callbacks.perform(next.body)
            }
        }
    }

    init(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        // It repeats once in 30 years: one that does not would be gone after the first time.
        timer = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [waiting] _ in waiting.runAll() }
        runLoop.add(timer, forMode: mode)
    }

    deinit {
        timer.invalidate()
    }

    func run(_ body: @escaping @Sendable () -> Void) {
        waiting.callbacks.withLock { $0.append(Callback(body: body)) }
        timer.fireDate = Date()
    }
}
