import Glibc
import Synchronization

/// Runs what blocks on a thread of its own, so that the cooperative pool goes on meanwhile. The thread has let go of
/// everything that `body` holds when this returns.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do {
            let work = OneCall(body)
            try startThread { continuation.resume(with: work.run()) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// A function that is called once and released by that.
private final class OneCall<Value: Sendable>: Sendable {
    private let body: Mutex<(@Sendable () throws -> Value)?>

    init(_ body: @escaping @Sendable () throws -> Value) {
        self.body = Mutex(body)
    }

    func run() -> Result<Value, any Error> {
        guard let body = body.withLock({ $0.take() }) else { return .failure(LabFailure("called twice")) }
        return Result(catching: body)
    }
}

/// Starts a detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) throws {
    pthread_detach(try makeThread(body))
}

/// Starts a thread, which has to be joined.
func makeThread(_ body: @escaping @Sendable () -> Void) throws -> pthread_t {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let error = pthread_create(
        &thread, nil,
        { context in
            guard let context else { return nil }
            // SAFETY: the pointer is the retained Body below, handed to this thread alone.
            Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }, context.toOpaque())
    guard error == 0 else {
        context.release()
        throw LabFailure("pthread_create: \(String(cString: strerror(error)))")
    }
    return thread
}
