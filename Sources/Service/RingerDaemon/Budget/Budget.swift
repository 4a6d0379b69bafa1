/// What programs have taken of the service, and how much each one may take: so much of each resource for a user, half of that
/// for one connection of it, and four times as much for all together, of which a quarter is kept for controllers.
package struct Budget: Sendable {
    /// What is counted.
    package enum Resource: String, Sendable, CaseIterable {
        /// Programs on the bus for which something was begun. Each one costs the service a match rule, of which a bus grants
        /// 512 to a connection.
        case clients
        /// Requests that have not ended, those among them that outlive their callers, and the events of feedbackd's interface.
        case requests
        case sessions
        /// Connections of the ALSA plug-in, and of `ringer-pipewire`.
        case pcms
        /// Descriptors that callers sent and the service keeps.
        case descriptors
        /// Samples that were decoded for a request, in bytes.
        case decoded
    }

    /// How much there is.
    package struct Limits: Sendable {
        /// What each user may have.
        private var ofUser: [Resource: Int] = [
            .clients: 32, .requests: 64, .sessions: 64, .pcms: 64, .descriptors: 128, .decoded: 64 << 20,
        ]
        /// The descriptors that the process can spare, whatever users may have.
        package var descriptors = Int.max

        /// The standard limits, but for those of `changed`.
        package init(_ changed: [Resource: Int] = [:]) {
            ofUser.merge(changed) { $1 }
        }

        /// What one user may have of a resource.
        package subscript(resource: Resource) -> Int {
            get { ofUser[resource] ?? 0 }
            set { ofUser[resource] = newValue }
        }

        /// What one connection of a user may have: so one program does not starve the others where all are one user's.
        package func ofConnection(_ resource: Resource) -> Int { max(1, self[resource] / 2) }

        /// What all have together.
        package func ofService(_ resource: Resource) -> Int {
            min(4 * self[resource], resource == .descriptors ? descriptors : .max)
        }

        /// What all have together that are no controllers.
        package func ofOthers(_ resource: Resource) -> Int { ofService(resource) - ofService(resource) / 4 }
    }

    /// Who takes something.
    package struct Payer: Sendable, Hashable {
        package var user: UInt32
        /// The name on the bus, or the process.
        package var connection: String
        /// The most that it may do: a program that may control the device takes of what is kept for controllers.
        package var permission: Authorization.Permission
        /// Which accounts it takes from: those of a connection, or all others, or all.
        package enum Part: Sendable { case connection, others, all }

        /// Takes first from one part where it is not known yet which program a connection is for.
        package var part = Part.all

        package init(user: UInt32, connection: String, permission: Authorization.Permission) {
            (self.user, self.connection, self.permission) = (user, connection, permission)
        }
    }

    /// Whose part is used up.
    package struct Refusal: Error, Equatable, CustomStringConvertible {
        package var account: Account
        package var limit: Int

        package var description: String {
            let (who, resource) =
                switch account {
                case .connection(let resource, let user, let name):
                    ("\(name) of user \(user), half of what a user may have", resource)
                case .user(let resource, let user): ("user \(user)", resource)
                case .others(let resource): ("all who do not control the device", resource)
                case .service(let resource): ("all programs together", resource)
                }
            return "\(resource.key) is used up: \(limit) \(resource.unit) are the most for \(who)"
        }
    }

    /// One count of a resource.
    package enum Account: Sendable, Hashable {
        case connection(Resource, UInt32, String)
        case user(Resource, UInt32)
        case others(Resource)
        case service(Resource)
    }

    package let limits: Limits
    private var taken: [Account: Int] = [:]

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether nobody has anything.
    package var isUntouched: Bool { taken.isEmpty }

    /// Throws where `payer` may not have so much more.
    package func check(_ amount: Int, of resource: Resource, for payer: Payer) throws(Refusal) {
        for (account, limit) in accounts(resource, payer) where amount > limit - taken[account, default: 0] {
            throw Refusal(account: account, limit: limit)
        }
    }

    /// Takes an amount, which is at least 0, or nothing of it.
    package mutating func take(_ amount: Int, of resource: Resource, for payer: Payer) throws(Refusal) {
        try check(amount, of: resource, for: payer)
        for (account, _) in accounts(resource, payer) { taken[account, default: 0] += amount }
    }

    /// Gives back what `payer` has taken.
    package mutating func giveBack(_ amount: Int, of resource: Resource, for payer: Payer) {
        for (account, _) in accounts(resource, payer) {
            let left = taken[account, default: 0] - amount
            taken[account] = left == 0 ? nil : left
        }
    }

    private func accounts(_ resource: Resource, _ payer: Payer) -> [(Account, limit: Int)] {
        let own: (Account, Int) = (
            .connection(resource, payer.user, payer.connection), limits.ofConnection(resource)
        )
        if payer.part == .connection { return [own] }
        return (payer.part == .all ? [own] : []) + [(.user(resource, payer.user), limits[resource])]
            + (payer.permission == .control ? [] : [(.others(resource), limits.ofOthers(resource))])
            + [(.service(resource), limits.ofService(resource))]
    }
}

extension Budget.Resource {
    /// The key of the configuration that says what a user may have.
    package var key: String {
        switch self {
        case .decoded: "decoded-mib-per-user"
        default: "\(rawValue)-per-user"
        }
    }

    /// What the configuration may say; the clients of all users need a match rule each. All have four times as much together.
    package var configurable: ClosedRange<Int> { 1...(self == .clients ? 120 : min(4096, .max / 4 / scale)) }

    /// How much one of the configuration's numbers is.
    package var scale: Int { self == .decoded ? 1 << 20 : 1 }

    fileprivate var unit: String { self == .decoded ? "bytes" : rawValue }
}
