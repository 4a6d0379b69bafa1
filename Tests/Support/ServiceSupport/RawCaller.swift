import CServiceSupport
import Glibc
import Ringer
import Synchronization
import SystemPackage

/// A program on the bus that writes its messages itself: no library would send these.
package final class RawCaller: Sendable {
    /// A method call of the service.
    package struct Call {
        package var member: String
        package var interface = "org.ringer.Ringer1"
        package var signature = ""
        package var body: [UInt8] = []
        package var descriptors: [CInt] = []
        package var expectsReply = false

        package init(_ member: String) {
            self.member = member
        }

        /// A call that means nothing to anybody, without a reply.
        package static var introspect: Call {
            var call = Call("Introspect")
            call.interface = "org.freedesktop.DBus.Introspectable"
            return call
        }

        /// An announcement of `count` clips that are all the same descriptor.
        package static func announce(_ descriptor: CInt, count: Int) -> Call {
            var call = Call("Announce")
            call.signature = "ava{sv}"
            call.descriptors = [descriptor]
            call.expectsReply = true
            var clips: [UInt8] = []
            for _ in 0..<count {
                while clips.count % 4 != 0 { clips.append(0) }
                // The signature h, and the index 0.
                clips += [1, UInt8(ascii: "h"), 0, 0] + little(0)
            }
            call.body = little(UInt32(clips.count)) + clips + little(0)
            while call.body.count % 8 != 0 { call.body.append(0) }
            return call
        }
    }

    private let descriptor: FileDescriptor
    private let lastSerial = Atomic<UInt32>(0)

    /// - Parameters:
    ///   - address: The bus's, `unix:path=...`.
    ///   - user: Whose program it is; nil for the user who runs the test.
    package init(_ address: String, as user: TestUser? = nil) throws {
        let path = address.drop { $0 != "=" }.dropFirst().prefix { $0 != "," }
        let made = try TestUser.run(as: user) { () throws(RingerError) in test_connect(String(path)) }
        guard made >= 0 else { throw RingerError("connect to", address, Errno(rawValue: errno)) }
        descriptor = FileDescriptor(rawValue: made)
        // The identity is a number in hexadecimal digits of its decimal ones.
        let id = "\(user?.id ?? getuid())".utf8.map { String($0, radix: 16) }.joined()
        try descriptor.writeAll([0])
        try command("AUTH EXTERNAL \(id)", "OK")
        try command("NEGOTIATE_UNIX_FD", "AGREE_UNIX_FD")
        try descriptor.writeAll("BEGIN\r\n".utf8)
        var hello = Call("Hello")
        hello.interface = "org.freedesktop.DBus"
        try send([hello], to: "org.freedesktop.DBus", "/org/freedesktop/DBus")
    }

    deinit {
        try? descriptor.close()
    }

    private func command(_ line: String, _ expected: String) throws {
        try descriptor.writeAll("\(line)\r\n".utf8)
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "\n") {
            let byte = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
                try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer)) == 1 ? buffer[0] : nil
            }
            guard let byte else { throw RingerError(.disconnected, line, "the bus") }
            answer.append(byte)
        }
        guard String(decoding: answer, as: UTF8.self).hasPrefix(expected) else {
            throw RingerError(.permissionDenied, line, String(decoding: answer, as: UTF8.self))
        }
    }

    /// Sends calls, those without descriptors in one piece; it waits while the bus takes no more.
    package func send(
        _ calls: [Call], to destination: String = "org.ringer.Ringer1", _ path: String = "/org/ringer/Ringer1"
    ) throws {
        var bytes: [UInt8] = []
        for call in calls {
            let message = message(call, destination, path)
            if call.descriptors.isEmpty {
                bytes += message
                continue
            }
            try descriptor.writeAll(bytes)
            bytes = []
            let sent = call.descriptors.withUnsafeBufferPointer { descriptors in
                message.withUnsafeBytes {
                    test_send(descriptor.rawValue, $0.baseAddress, $0.count, descriptors.baseAddress, descriptors.count)
                }
            }
            guard sent == message.count else { throw RingerError("send", "descriptors", Errno(rawValue: errno)) }
        }
        try descriptor.writeAll(bytes)
    }

    // MARK: - Messages

    /// D-Bus specification, "Message protocol".
    private func message(_ call: Call, _ destination: String, _ path: String) -> [UInt8] {
        var fields: [UInt8] = []
        func field(_ code: UInt8, _ type: Character, _ value: [UInt8]) {
            while fields.count % 8 != 0 { fields.append(0) }
            fields += [code, 1] + Array(String(type).utf8) + [0] + value
        }
        func text(_ text: String) -> [UInt8] { little(UInt32(text.utf8.count)) + Array(text.utf8) + [0] }
        field(1, "o", text(path))
        field(2, "s", text(call.interface))
        field(3, "s", text(call.member))
        field(6, "s", text(destination))
        if !call.signature.isEmpty {
            field(8, "g", [UInt8(call.signature.utf8.count)] + Array(call.signature.utf8) + [0])
        }
        if !call.descriptors.isEmpty { field(9, "u", little(UInt32(call.descriptors.count))) }
        var bytes: [UInt8] = [UInt8(ascii: "l"), 1, call.expectsReply ? 0 : 1, 1]
        bytes += little(UInt32(call.body.count))
        bytes += little(lastSerial.wrappingAdd(1, ordering: .relaxed).newValue)
        bytes += little(UInt32(fields.count)) + fields
        while bytes.count % 8 != 0 { bytes.append(0) }
        return bytes + call.body
    }
}

/// The bytes of a number, the lowest first.
private func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
