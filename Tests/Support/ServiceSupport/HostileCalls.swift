import RingerBus

/// Calls that no program should make, generated from the introspection data. The same seed gives the same calls.
package struct HostileCalls {
    package struct Call: Sendable {
        package var path: String
        package var interface: String
        package var member: String
        package var arguments: [BusValue]

        package init(path: String, interface: String, member: String, arguments: [BusValue]) {
            (self.path, self.interface, self.member, self.arguments) = (path, interface, member, arguments)
        }
    }

    /// A generator whose numbers are the same in every run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }

        mutating func pick<Value>(_ values: [Value], or none: Value) -> Value {
            values.randomElement(using: &self) ?? none
        }
    }

    private static let strings = [
        "", "ring", "playback", "session", "systemSound", "alert", "400,200,400", "-1", "99999999999999999999", "0,0",
        "../../etc/passwd", "%s%n", "\u{1F514}", String(repeating: "x", count: 5_000), "org.ringer.Ringer1",
        "Preferences", "Volume", "/", "1e308", "speaker", "unplugged",
        "phone-incoming-call", "phone-missed-call", "full", "on",
    ]
    private static let keys = [
        "category", "options", "alert", "limit", "way", "pattern", "pause", "volume", "critical", "priority", "expiry",
        "strength", "times", "name", "doNotDisturb", "unknown", "profile", "important", "sound-file",
    ]

    private var targets: [(interface: BusInterface, path: String)]
    private let leftOut: Set<String>
    private let descriptors: [CInt]
    private let types: [String]
    private var numbers: Numbers
    private var round = 0

    /// - Parameters:
    ///   - seed: The seed.
    ///   - targets: Interfaces, and objects that have them.
    ///   - descriptors: What calls bring along.
    ///   - leftOut: Methods that are never called.
    package init(
        seed: UInt64, _ targets: [(interface: BusInterface, path: String)], descriptors: [CInt] = [],
        leaveOut leftOut: Set<String> = []
    ) {
        // Those of whose methods none is left are left out as well.
        self.targets = targets.filter { target in target.interface.methods.contains { !leftOut.contains($0.name) } }
        (self.descriptors, self.leftOut, numbers) = (descriptors, leftOut, Numbers(state: seed))
        types =
            ["s", "u", "b", "i", "d", "v", "as", "a{sv}", "t", "av", "o", "g", "y", "n", "q", "x", "(su)", "a(u(sv))"]
            + (descriptors.isEmpty ? [] : ["h"])
    }

    /// Calls `new` instead of the session at `path`, which was released.
    package mutating func replace(_ path: String, by new: String) {
        for index in targets.indices where targets[index].path == path { targets[index].path = new }
    }

    /// The next call of a method; every third one has other types than the method's, and every seventh one sets a property.
    package mutating func next() -> Call {
        defer { round += 1 }
        let (interface, path) = targets[Int.random(in: targets.indices, using: &numbers)]
        if round % 7 == 0, let property = interface.properties.randomElement(using: &numbers) {
            return Call(
                path: path, interface: BusInterface.properties, member: "Set",
                arguments: [.string(interface.name), .string(property.name), value(of: "v")])
        }
        let methods = interface.methods.filter { !leftOut.contains($0.name) }
        let method = methods[Int.random(in: methods.indices, using: &numbers)]
        let input =
            round % 3 == 0
            ? (0..<Int.random(in: 0...3, using: &numbers)).map { _ in numbers.pick(types, or: "s") }
            : method.input.map(\.type)
        return Call(
            path: path, interface: interface.name, member: method.name, arguments: input.map { value(of: $0) })
    }

    /// The next signal: one of the interfaces' own, of the standard ones' and of the bus's.
    package mutating func nextSignal() -> Call {
        let (interface, path) = targets[Int.random(in: targets.indices, using: &numbers)]
        let bus = "org.freedesktop.DBus"
        let others = [
            Call(
                path: path, interface: BusInterface.properties, member: "PropertiesChanged",
                arguments: [.string(interface.name), value(of: "a{sv}"), value(of: "as")]),
            Call(
                path: "/org/freedesktop/DBus", interface: bus, member: "NameOwnerChanged",
                arguments: [":1.\(Int.random(in: 0...20, using: &numbers))", interface.name, ""].map { .string($0) }),
            Call(path: "/org/freedesktop/DBus", interface: bus, member: "NameLost", arguments: [value(of: "s")]),
        ]
        let own = interface.signals.map { signal in
            Call(
                path: path, interface: interface.name, member: signal.name,
                arguments: signal.arguments.map { value(of: $0.type) })
        }
        return (own + others)[Int.random(in: 0..<own.count + others.count, using: &numbers)]
    }

    /// The types of a structure's members, which are single characters or structures.
    private static func members(of type: String) -> [String] {
        var (members, depth): ([String], Int) = ([], 0)
        for character in type.dropFirst().dropLast() {
            if depth > 0 { members[members.count - 1].append(character) } else { members.append("\(character)") }
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
        }
        return members
    }

    private mutating func value(of type: String, depth: Int = 0) -> BusValue {
        switch type.first {
        case "s": return .string(numbers.pick(Self.strings, or: ""))
        case "b": return .boolean(Bool.random(using: &numbers))
        case "u":
            return .uint32(numbers.pick([0, 1, 1007, 4095, .max, UInt32(truncatingIfNeeded: numbers.next())], or: 0))
        case "i": return .int32(numbers.pick([0, -1, .min, .max], or: 0))
        // A clock that is moved by hours has much to do on the way: 5 s at most.
        case "t": return .uint64(numbers.pick([0, 1, 5_000_000, .max], or: 0))
        case "n": return .int16(numbers.pick([0, -1, .min, .max], or: 0))
        case "q": return .uint16(numbers.pick([0, 1, .max], or: 0))
        case "x": return .int64(numbers.pick([0, -1, .min, .max], or: 0))
        case "o": return .objectPath(numbers.pick(["/", "/org/ringer/Ringer1", "/no/such/object"], or: "/"))
        case "g": return .signature(numbers.pick(["", "s", "a{sv}", "(((s)))"], or: ""))
        case "d": return .double(numbers.pick([0, -1, 0.5, .nan, .infinity, -.infinity, 1e300], or: 0))
        case "h": return .descriptor(numbers.pick(descriptors, or: 0))
        case "v":
            return .variant(
                value(
                    of: depth > 3 ? "u" : numbers.pick(types.filter { !["av", "a(u(sv))"].contains($0) }, or: "u"),
                    depth: depth + 1))
        case "a":
            let count = Int.random(in: 0...4, using: &numbers)
            if type.hasPrefix("a{") {
                var entries: [String: BusValue] = [:]
                for _ in 0..<count {
                    let key = numbers.pick(Self.keys, or: "")
                    entries[key] = value(of: "v", depth: depth + 1).contents
                }
                return .dictionary(entries)
            }
            let element = String(type.dropFirst())
            return .array(element: element, (0..<count).map { _ in value(of: element, depth: depth + 1) })
        case "(": return .structure(Self.members(of: type).map { value(of: $0, depth: depth + 1) })
        default: return .byte(numbers.pick([0, 1, .max], or: 0))
        }
    }
}

extension BusError {
    /// Whether the introspection data has it.
    package var isClear: Bool { BusInterface.ringer.failures.contains { $0.name == name } }
}
