import CLinux
import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// Runs the program's callbacks one after another: on the device's callback thread, never on the device's own; or, once the
/// program has asked for the descriptor, where it dispatches them.
package final class Callbacks: Sendable {
    private struct State {
        /// An eventfd, which is readable while callbacks wait; nil until the program asked for it. It is never closed: the
        /// program may be polling it.
        var descriptor: CInt?
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Runs `body` after the callbacks before it.
    func run(on clock: any DeviceClock, _ body: @escaping @Sendable () -> Void) {
        if !wait(body) {
            // The program may ask for the descriptor before the thread comes to it.
            clock.callBack { [self] in if !wait(body) { body() } }
        }
    }

    /// Lets `body` wait for the program; false if it dispatches nothing.
    private func wait(_ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return false }
            state.waiting.append(body)
            var one: UInt64 = 1
            write(descriptor, &one, 8)
            return true
        }
    }

    /// The descriptor that is readable while callbacks wait. From the first call on they run in ``dispatch()`` alone; one
    /// that runs already on the thread runs to its end.
    ///
    /// - Throws: ``RingerError`` with the system's reason.
    package func descriptor() throws(RingerError) -> CInt {
        // The parent of a child of fork would miss what the child reads.
        try ProcessDevice.process.check("open", "the callbacks' descriptor")
        let (descriptor, reason) = state.withLock { state in
            if let known = state.descriptor { return (known, CInt(0)) }
            let descriptor = ringer_eventfd()
            if descriptor < 0 { return (descriptor, errno) }
            state.descriptor = descriptor
            return (descriptor, 0)
        }
        if descriptor < 0 { throw RingerError("open", "the callbacks' descriptor", Errno(rawValue: reason)) }
        return descriptor
    }

    /// Runs the callbacks that wait, on the calling thread, in order. Those that come meanwhile wait for the next call; one of
    /// these callbacks may itself dispatch those after it.
    ///
    /// - Returns: How many ran.
    @discardableResult
    package func dispatch() -> Int {
        if !ProcessDevice.process.isCurrent { return 0 }
        let due = state.withLock { $0.waiting.count }
        for ran in 0..<due {
            guard let body = next() else { return ran }
            Self.perform(body)
        }
        return due
    }

    /// Takes the first callback that waits. The descriptor stays readable while others do.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let body = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            if let descriptor = state.descriptor, state.waiting.isEmpty {
                var count: UInt64 = 0
                read(descriptor, &count, 8)
            }
            return body
        }
    }

    /// Runs `body`, a callback that was handed to another thread: sounds that it plays count as played from a callback.
    package static func perform(_ body: () -> Void) {
        UserCode.run(body)
    }
}

extension ProcessDevice {
    /// Hands a callback over to another thread.
    package typealias CallbackPlace = @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void
}
