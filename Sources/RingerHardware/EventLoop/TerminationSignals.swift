import CLinux
import Glibc
import RingerServices
import Synchronization
import SystemPackage

/// The signals that end a process, told on an event loop's thread, where everything may be done that a signal handler
/// may not: above all, turning the motor off.
package enum TerminationSignals {
    /// `SIGTERM`, `SIGINT` and `SIGHUP`.
    package static let all: [CInt] = [SIGTERM, SIGINT, SIGHUP]

    /// Whether such a signal has come. The process ends once everything is closed; its own way of ending, with a status of
    /// its own, must not get ahead of that.
    package static var isTerminating: Bool { hasCome.load(ordering: .acquiring) }

    private static let hasCome = Atomic(false)
    private static let pipe = Mutex<(read: CInt, write: CInt)?>(nil)

    /// Catches `signals` from now on and calls `body` on the loop's thread with each that comes; once it returns, the
    /// signal does what it does by default, which ends the process as the sender expects.
    ///
    /// A process has one such body: a later call takes the place of the one before.
    ///
    /// - Throws: ``RingerError`` where the system refuses.
    package static func handle(
        _ signals: [CInt] = all, on loop: EventLoop, _ body: @escaping @Sendable (CInt) -> Void
    ) throws(RingerError) {
        let ends = try pipeEnds()
        for signal in signals where ringer_catch_signal(signal, ends.write) != 0 {
            throw RingerError("catch it", "signal \(signal)", .current)
        }
        // Whoever started the process may have blocked them, and threads inherit that: one at least must take them.
        loop.execute {
            var taken = sigset_t()
            sigemptyset(&taken)
            for signal in signals { sigaddset(&taken, signal) }
            pthread_sigmask(SIG_UNBLOCK, &taken, nil)
        }
        _ = loop.watch(ends.read, for: Int16(POLLIN)) { _ in
            var signal: UInt8 = 0
            guard read(ends.read, &signal, 1) == 1 else { return }
            hasCome.store(true, ordering: .releasing)
            body(CInt(signal))
            ringer_raise_default(CInt(signal))
        }
    }

    /// The pipe that carries the signals. It lives as long as the process: a handler may write at any moment.
    private static func pipeEnds() throws(RingerError) -> (read: CInt, write: CInt) {
        let (ends, error): ((read: CInt, write: CInt)?, RingerError?) = pipe.withLock { pipe in
            if let pipe { return (pipe, nil) }
            var descriptors: [CInt] = [-1, -1]
            guard Glibc.pipe(&descriptors) == 0 else {
                return (nil, RingerError("make a pipe", "signals", .current))
            }
            for descriptor in descriptors {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            }
            pipe = (descriptors[0], descriptors[1])
            return (pipe, nil)
        }
        if let ends { return ends }
        throw error ?? RingerError(.system, "make a pipe", "signals")
    }
}
