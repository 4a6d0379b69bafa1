import RingerCore

/// A name on the bus, well-known or unique, and who has it. Only that program's signals count as the name's: the bus passes
/// on what anybody addresses to this connection, and sd-bus compares the sender with a rule's well-known name only where it
/// knows all names of the sender, which it does not.
// SAFETY: used on the loop's thread of its connection alone.
package final class BusName: @unchecked Sendable {
    /// What is known of a name's owner.
    package enum Change {
        /// The bus has answered who has the name; nil for nobody.
        case found(String?)
        /// It was given to another, or given up. A unique name changes once, to nil: when its program leaves the bus.
        case changed(from: String?, to: String?)
        /// The bus does not report changes: the connection has too many rules.
        case unwatched(BusError)
    }

    private static let bus = "org.freedesktop.DBus"
    private static let busPath = "/org/freedesktop/DBus"

    /// The name.
    package let name: String
    /// The unique name of who has it; nil for nobody, and before the bus has answered.
    package private(set) var owner: String?
    private let connection: BusConnection
    private var watch: BusConnection.Registration?

    /// Follows who has a name until it is released.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - connection: The connection.
    ///   - handler: Called with the answer of the bus, and with each change after ``owner`` has changed.
    package init(_ name: String, on connection: BusConnection, _ handler: @escaping (Change) -> Void) {
        self.name = name
        self.connection = connection
        // Subscribe before asking: what changes in between is not missed.
        watch = connection.match(
            "type='signal',sender='\(Self.bus)',path='\(Self.busPath)',interface='\(Self.bus)',"
                + "member='NameOwnerChanged',arg0='\(name)'",
            installed: { error in
                if let error { handler(.unwatched(error)) }
            }
        ) { [weak self] message in
            guard let self, message.sender == Self.bus, let values = try? message.read(), values.count == 3 else {
                return
            }
            let old = owner
            owner = values[2].string.flatMap { $0.isEmpty ? nil : $0 }
            handler(.changed(from: old ?? values[1].string.flatMap { $0.isEmpty ? nil : $0 }, to: owner))
        }
        // The bus asks nobody for this, and starts nobody.
        connection.callBus("GetNameOwner", [.string(name)]) { [weak self] result in
            guard let self else { return }
            owner = (try? result.get().read().first)?.string
            handler(.found(owner))
        }
    }

    /// Handles the signals of the name's owner that `rule` selects; all where it is empty.
    package func signals(
        _ rule: String = "", _ handler: @escaping (BusMessage) -> Void
    ) -> BusConnection.Registration {
        connection.match("type='signal',sender='\(name)'" + (rule.isEmpty ? "" : "," + rule)) { [self] message in
            if message.sender == owner { handler(message) }
        }
    }
}
