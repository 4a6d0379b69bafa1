import CServiceSupport
import Glibc
import RingerCore
import RingerBus
import Synchronization
import SystemPackage

/// A program on the bus that writes its messages itself: no library would send these.
package final class RawCaller: Sendable {
    /// A method call of the service.
    package struct Call {
        package var member: String
        package var path = "/org/ringer/Ringer1"
        package var interface = "org.ringer.Ringer1"
        package var signature = ""
        package var body: [UInt8] = []
        package var descriptors: [CInt] = []
        package var expectsReply = false

        package init(_ member: String) {
            self.member = member
        }

        /// A generated call, without a reply.
        package init(_ call: HostileCalls.Call) {
            (member, path, interface) = (call.member, call.path, call.interface)
            signature = call.arguments.map(\.signature).joined()
            for argument in call.arguments { append(argument, &body) }
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
                clips += [1, UInt8(ascii: "h"), 0, 0] + little(UInt32(0))
            }
            call.body = little(UInt32(clips.count)) + clips + little(UInt32(0))
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
        hello.path = "/org/freedesktop/DBus"
        try send([hello], to: "org.freedesktop.DBus")
        // Descriptors that came before the bus has read BEGIN would be lost, and it ends the connection then.
        _ = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
            try descriptor.read(into: UnsafeMutableRawBufferPointer($0))
        }
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
    package func send(_ calls: [Call], to destination: String = "org.ringer.Ringer1") throws {
        var bytes: [UInt8] = []
        for call in calls {
            let message = message(call, destination)
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
        try send(bytes)
    }

    /// The bytes of calls without descriptors and replies, which may be sent again and again.
    package func messages(_ calls: [Call]) -> [UInt8] { calls.flatMap { message($0, "org.ringer.Ringer1") } }

    /// Sends messages; it waits while the bus takes no more.
    package func send(_ messages: [UInt8]) throws {
        try descriptor.writeAll(messages)
    }

    // MARK: - Messages

    /// D-Bus specification, "Message protocol".
    private func message(_ call: Call, _ destination: String) -> [UInt8] {
        var fields: [UInt8] = []
        func field(_ code: UInt8, _ type: Character, _ value: [UInt8]) {
            while fields.count % 8 != 0 { fields.append(0) }
            fields += [code, 1] + Array(String(type).utf8) + [0] + value
        }
        field(1, "o", text(call.path))
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
private func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

private func text(_ text: String) -> [UInt8] { little(UInt32(text.utf8.count)) + Array(text.utf8) + [0] }

private func align(_ bytes: inout [UInt8], to count: Int) {
    while bytes.count % count != 0 { bytes.append(0) }
}

/// Appends a value to a body. Descriptors are not carried.
private func append(_ value: BusValue, _ bytes: inout [UInt8]) {
    func number(_ number: some FixedWidthInteger) {
        align(&bytes, to: number.bitWidth / 8)
        bytes += little(number)
    }
    /// Appends an array, whose length leaves out the bytes before its first element.
    func array(_ element: Character?, _ contents: (inout [UInt8]) -> Void) {
        number(UInt32(0))
        let length = bytes.count
        align(&bytes, to: "xtd({".contains(element ?? "y") ? 8 : 1)
        let start = bytes.count
        contents(&bytes)
        bytes.replaceSubrange(length - 4..<length, with: little(UInt32(bytes.count - start)))
    }
    switch value {
    case .byte(let value): bytes.append(value)
    case .boolean(let value): number(UInt32(value ? 1 : 0))
    case .int16(let value): number(value)
    case .uint16(let value): number(value)
    case .int32(let value): number(value)
    case .uint32(let value): number(value)
    case .int64(let value): number(value)
    case .uint64(let value): number(value)
    case .double(let value): number(value.bitPattern)
    case .descriptor(let value): number(UInt32(bitPattern: value))
    case .string(let value), .objectPath(let value):
        align(&bytes, to: 4)
        bytes += text(value)
    case .signature(let value): bytes += [UInt8(value.utf8.count)] + Array(value.utf8) + [0]
    case .variant(let value):
        append(.signature(value.signature), &bytes)
        append(value, &bytes)
    case .array(let element, let values): array(element.first) { for value in values { append(value, &$0) } }
    case .structure(let values):
        align(&bytes, to: 8)
        for value in values { append(value, &bytes) }
    case .dictionary(let entries):
        array("{") { for (key, value) in entries { append(.structure([.string(key), .variant(value)]), &$0) } }
    case .entries(_, let entries): array("{") { for entry in entries { append(entry, &$0) } }
    }
}
