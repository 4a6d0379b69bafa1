import Glibc
import Testing

/// Runs `body` on a thread with a table of descriptors of its own, which threads that it starts share: other tests open
/// and close theirs meanwhile.
func withOwnDescriptors(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        inThreadOfItsOwn {
            continuation.resume(
                with: Result {
                    try #require(unshareDescriptors() == 0)
                    try body()
                })
        }
    }
}

/// The descriptors that are open in this thread's table.
func openDescriptors() -> [CInt] {
    (0..<1024).filter { fcntl($0, F_GETFD) != -1 }
}

/// Runs `body` on this thread with an ordinary user's rights to files, if it is root's.
func withoutRootsRights<Result>(_ body: () -> Result) -> Result {
    let identity = geteuid()
    setFileSystemUser(65_534)
    defer { setFileSystemUser(identity) }
    return body()
}

// Swift's Glibc module leaves these two out.

private func unshareDescriptors() -> CInt {
    typealias Unshare = @convention(c) (CInt) -> CInt
    // CLONE_FILES of linux/sched.h.
    return function("unshare", as: Unshare.self).map { $0(0x400) } ?? -1
}

private func setFileSystemUser(_ id: uid_t) {
    typealias SetFSUID = @convention(c) (uid_t) -> CInt
    _ = function("setfsuid", as: SetFSUID.self).map { $0(id) }
}

private func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    // SAFETY: the callers give the functions the types that the C library declares.
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
}

private func inThreadOfItsOwn(_ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Body(body)).toOpaque()
    pthread_create(
        &thread, nil,
        { argument in
            // SAFETY: the reference that was retained for this thread, and only for it.
            if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, argument)
    pthread_detach(thread)
}
