// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
internal import CoreFoundation
import Foundation
import Synchronization

// Runs and stops of run loops. Foundation can stop none: the toolchain's CoreFoundation, which Foundation runs on, does.

/// Why a run of a run loop has ended.
public enum CFRunLoopRunResult: Int32, Sendable {
    /// There is nothing that could call it.
    case finished = 1
    /// `CFRunLoopStop` was called.
    case stopped = 2
    /// The time was over.
    case timedOut = 3
    /// A callback was called.
    case handledSource = 4
}

/// A run loop of CoreFoundation's.
// SAFETY: CoreFoundation stops a run loop from any thread.
private struct StoppableLoop: @unchecked Sendable {
    let loop: CoreFoundation.CFRunLoop?
}

/// The run loops that run here, and how many of their runs are nested: Foundation's object does not lead to CoreFoundation's.
private let running = Mutex<[ObjectIdentifier: (loop: StoppableLoop, runs: Int)]>([:])

private func run<Result>(_ body: () -> Result) -> Result {
    let key = ObjectIdentifier(RunLoop.current)
    let loop = StoppableLoop(loop: CoreFoundation.CFRunLoopGetCurrent())
    running.withLock { $0[key, default: (loop, 0)].runs += 1 }
    defer {
        running.withLock { running in
            running[key]?.runs -= 1
            if running[key]?.runs == 0 { running[key] = nil }
        }
    }
    return body()
}

/// Runs the current run loop until it is stopped.
public func CFRunLoopRun() { run { CoreFoundation.CFRunLoopRun() } }

/// Runs the current run loop for so many seconds, until it is stopped, or until it has called something if the last argument
/// says so.
@discardableResult
public func CFRunLoopRunInMode(
    _ mode: CFRunLoopMode!, _ seconds: CFTimeInterval, _ returnAfterSourceHandled: Bool
) -> CFRunLoopRunResult {
    let utf8: CoreFoundation.CFStringEncoding = 0x0800_0100
    let name = (mode ?? .defaultMode).rawValue as String
    let result = run {
        CoreFoundation.CFRunLoopRunInMode(
            CoreFoundation.CFStringCreateWithCString(nil, name, utf8),
            seconds, returnAfterSourceHandled)
    }
    return CFRunLoopRunResult(rawValue: Int32(result.rawValue)) ?? .finished
}

/// Stops the newest run of a run loop: of the main one, or of one that the functions above run.
public func CFRunLoopStop(_ rl: CFRunLoop!) {
    guard let rl else { return }
    let found = running.withLock { $0[ObjectIdentifier(rl)]?.loop.loop }
    if let loop = found ?? (rl === RunLoop.main ? CoreFoundation.CFRunLoopGetMain() : nil) {
        CoreFoundation.CFRunLoopStop(loop)
    }
}
