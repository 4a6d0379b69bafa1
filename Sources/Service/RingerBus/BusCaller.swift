/// Who calls, as the bus vouches for it.
package struct BusCaller: Sendable, Hashable {
    package var user: UInt32
    package var groups: Set<UInt32>

    package init(user: UInt32, groups: Set<UInt32> = []) {
        self.user = user
        self.groups = groups
    }
}
