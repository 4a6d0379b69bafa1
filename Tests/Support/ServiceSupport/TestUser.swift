import CServiceSupport
import Glibc
import RingerCore
import SystemPackage

/// A user as whom a test's program connects to a bus or a socket: the kernel, and so the bus, vouches for it as for any
/// other program's. Only root can be another user.
package struct TestUser: Sendable {
    package var id: uid_t
    package var groups: [gid_t]

    package init(_ id: uid_t, groups: [gid_t] = []) {
        self.id = id
        self.groups = groups
    }

    /// The user who may do nothing.
    package static let nobody = TestUser(65534)

    /// Calls `body` on this thread as `user`; nil for the user who runs the test.
    package static func run<Value>(
        as user: TestUser?, _ body: () throws(RingerError) -> Value
    ) throws(RingerError) -> Value {
        guard let user else { return try body() }
        guard test_begin_user(user.id, user.id, user.groups, user.groups.count) == 0 else {
            throw RingerError("become", "user \(user.id): run the test as root", Errno(rawValue: errno))
        }
        defer { precondition(test_end_user() == 0, "the thread cannot become root's again") }
        return try body()
    }
}
