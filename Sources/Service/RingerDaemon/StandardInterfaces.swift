import RingerBus

extension BusMessage {
    /// The method that it calls, of one of `interfaces` or of a standard interface, which is returned as nil.
    ///
    /// - Throws: where there is none, or it takes other types.
    func method(
        of interfaces: [BusInterface]
    ) throws -> (interface: BusInterface?, method: BusInterface.Method) {
        let (interface, member) = (interface, member)
        // A call need not name the interface.
        let native = interfaces.first { ($0.name == interface || interface.isEmpty) && $0.method(member) != nil }
        let standard = [BusInterface.introspectable, BusInterface.properties].first { name in
            (name == interface || interface.isEmpty) && BusInterface.standardMethod(name, member) != nil
        }
        guard let method = native?.method(member) ?? standard.flatMap({ BusInterface.standardMethod($0, member) })
        else {
            throw BusError.unknownMethod("\(interface) has no method \(member) on \(path)")
        }
        guard signature == method.signature else {
            throw BusError.invalidArguments("\(member) takes (\(method.signature)), not (\(signature))")
        }
        return (native, method)
    }
}

extension BusInterface.Method {
    /// Whether it replies with the number of a request.
    var beginsRequest: Bool { output.first?.name == "request" }
}

/// A call of the standard interface of properties: there is such a property, which has a value of that type.
enum PropertyCall {
    case getAll(BusInterface)
    case get(BusInterface, String)
    case set(String, BusValue)

    /// Reads a call to an object with these interfaces.
    init(_ message: BusMessage, _ interfaces: [BusInterface]) throws {
        let arguments = try message.read()
        guard let native = interfaces.first(where: { ["", $0.name].contains(arguments[0].string) }) else {
            throw BusError.unknownProperty("\(message.path) has no interface \(arguments[0].string ?? "")")
        }
        if message.member == "GetAll" {
            self = .getAll(native)
            return
        }
        let name = arguments[1].string ?? ""
        guard let property = native.property(name) else {
            throw BusError.unknownProperty("\(native.name) has no property \(name)")
        }
        if message.member == "Get" {
            self = .get(native, name)
            return
        }
        guard property.isWritable else { throw BusError.readOnlyProperty("\(native.name).\(name) is read-only") }
        let value = arguments[2].contents
        guard value.signature == property.type else {
            throw BusError.invalidArguments("\(name) has the type \(property.type), not \(value.signature)")
        }
        self = .set(name, value)
    }
}

extension BusInterface {
    /// The properties with their values.
    func values(_ value: (_ property: String) -> BusValue) -> [String: BusValue] {
        Dictionary(uniqueKeysWithValues: properties.map { ($0.name, value($0.name)) })
    }
}

extension BusConnection {
    /// Replies to a call with the error that `body` throws.
    func answer(_ call: BusMessage, _ body: () throws -> Void) {
        do { try body() } catch { reply(to: call, BusError(error)) }
    }

    /// Signals that properties have new values: to `destination` alone, or to everybody who subscribed.
    func signalChanges(
        of properties: [String: BusValue], _ path: String, _ interface: String, to destination: String? = nil
    ) {
        signal(
            path, BusInterface.properties, "PropertiesChanged",
            [.string(interface), .dictionary(properties), .strings([])], to: destination)
    }
}
