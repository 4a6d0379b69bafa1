import CSDBus
import Glibc
import RingerCore

/// Its names, its objects, and the signals that it follows.
extension BusConnection {
    /// What handles a match's or an object's messages; sd-bus forgets it when this goes.
    // SAFETY: made and released on the loop's thread alone.
    package final class Registration: @unchecked Sendable {
        fileprivate var slot: OpaquePointer?
        let handler: Handler
        /// Called once the bus has added the match, with nil, or has refused it.
        fileprivate var installed: ((BusError?) -> Void)?
        /// Where its calls wait for their turn; nil where they are handled at once.
        fileprivate weak var connection: BusConnection?

        fileprivate init(_ handler: @escaping Handler, installed: ((BusError?) -> Void)? = nil) {
            self.handler = handler
            self.installed = installed
        }

        deinit {
            if let slot { sd_bus_slot_unref(slot) }
        }
    }

    /// Owns a well-known name. It is the one call that waits for the bus: a service makes it for each of its names, when it
    /// starts.
    package func own(_ name: String) throws(RingerError) {
        let result = sd_bus_request_name(bus, name, 0)
        pumpSoon()
        guard result >= 0 else { throw RingerError("own the name \(name)", self.name, busResult: result) }
    }

    /// Handles the method calls to the object `path` and to all below it, one of each program in turn, once the bus has said who
    /// the caller is.
    package func serve(_ path: String, _ handler: @escaping Handler) throws(RingerError) -> Registration {
        // The bus takes 2 KiB at a time: long replies to one program, in a long queue, would hold up those to others.
        var size: CInt = 8 * 1024
        _ = setsockopt(sd_bus_get_fd(bus), SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        if parents == nil { parents = try fallback("/") { [unowned self] in introspectParent($0) } }
        let registration = try fallback(path, handler)
        served.insert(path)
        return registration
    }

    /// Answers `Introspect` above the served objects, for programs that search from the root on, as `busctl tree` does.
    private func introspectParent(_ message: BusMessage) -> Bool {
        guard message.isMethodCall, message.member == "Introspect", message.signature.isEmpty else { return false }
        let prefix = message.path == "/" ? "/" : message.path + "/"
        let children = served.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count).prefix { $0 != "/" } }
        guard !children.isEmpty else { return false }
        reply(to: message, [.string(Introspection([]).text(children: Set(children).sorted().map(String.init)))])
        return true
    }

    private func fallback(_ path: String, _ handler: @escaping Handler) throws(RingerError) -> Registration {
        let registration = Registration(handler)
        registration.connection = self
        let result = sd_bus_add_fallback(
            bus, &registration.slot, path,
            { message, data, _ in
                guard let message, let data else { return 0 }
                let registration = Unmanaged<Registration>.fromOpaque(data).takeUnretainedValue()
                let call = BusMessage(message)
                guard let connection = registration.connection, call.isMethodCall else {
                    return registration.handler(call) ? 1 : 0
                }
                connection.received.add(call, for: registration)
                return 1
            }, Unmanaged.passUnretained(registration).toOpaque())
        guard result >= 0 else { throw RingerError("serve \(path)", name, busResult: result) }
        return registration
    }

    /// Handles the signals that a match rule selects, from any sender: ``BusName`` checks the sender. `installed` is called once
    /// the bus has the rule.
    func match(
        _ rule: String, installed: ((BusError?) -> Void)? = nil, _ handler: @escaping (BusMessage) -> Void
    ) -> Registration {
        let registration = Registration(
            { message in
                handler(message)
                // Others may match it too.
                return false
            }, installed: installed)
        // Only the bus itself answers: a process or a machine that stood still meanwhile gets its answer all the same.
        sd_bus_set_method_call_timeout(bus, .max)
        // sd-bus's default.
        defer { sd_bus_set_method_call_timeout(bus, 0) }
        let result = sd_bus_add_match_async(
            bus, &registration.slot, rule,
            { message, data, _ in
                guard let message, let data else { return 0 }
                _ = Unmanaged<Registration>.fromOpaque(data).takeUnretainedValue().handler(BusMessage(message))
                return 0
            },
            { message, data, _ in
                guard let message, let data else { return 0 }
                let registration = Unmanaged<Registration>.fromOpaque(data).takeUnretainedValue()
                registration.installed?(BusMessage(message).error)
                registration.installed = nil
                return 1
            }, Unmanaged.passUnretained(registration).toOpaque())
        pumpSoon()
        if result < 0 { installed?(BusError("org.freedesktop.DBus.Error.Failed", "add a match: error \(-result)")) }
        return registration
    }
}
