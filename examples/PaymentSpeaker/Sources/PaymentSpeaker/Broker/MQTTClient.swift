import CPaymentSpeaker
import Glibc
import Ringer

/// A client of MQTT 5, by libmosquitto, that its owner drives: it has no thread, and calls back only inside ``read()``.
final class MQTTClient {
    let settings: Settings
    let handle: OpaquePointer
    /// The seconds without traffic after which the broker is to be asked, or its own choice once it has accepted the
    /// connection (Server Keep Alive: MQTT 5, 3.2.2.3.14); 0 for never.
    private(set) var keepAliveTime: Int
    /// The error of a callback, which the call that made it throws.
    private var failure: RingerError?
    /// The newest errors that libmosquitto has logged since it began to connect, beside the results of the calls that met
    /// them.
    private(set) var logged: [String] = []
    /// What was wrong with the broker's certificate. A connection that failed is gone when the call returns.
    private(set) var certificateFault: String?
    /// Whether libmosquitto is calling back: it may not be called to write then.
    private var isReading = false

    /// Called with each message. It is acknowledged after the call has returned true. If the call returns false, nothing is
    /// acknowledged any more, and ``read()`` breaks the connection off: the broker delivers the message again.
    var onMessage: (Message) -> Bool = { _ in true }
    /// Called when the broker has accepted the connection, before it delivers a message.
    var onAccepted: (Session) -> Void = { _ in }
    /// Called when the broker has accepted the connection and the subscriptions: from now on no message is missed.
    var onConnected: () -> Void = {}
    /// Called when the broker has acknowledged a message, with what ``publish(_:_:isRetained:)`` returned for it.
    var onAcknowledgement: (CInt) -> Void = { _ in }
    /// Called when the broker refuses a message: with what ``publish(_:_:isRetained:)`` returned for it, before
    /// ``onAcknowledgement``, and whether it may take the message later.
    var onRefusal: (_ message: CInt, _ isTemporary: Bool, RingerError) -> Void = { _, _, _ in }

    /// A client that is not connected.
    ///
    /// - Throws: ``RingerError`` if a file of TLS cannot be used.
    init(_ settings: Settings) throws(RingerError) {
        mosquitto_lib_init()
        self.settings = settings
        keepAliveTime = settings.keepAlive
        guard let made = mosquitto_new(settings.identifier, false, nil) else {
            throw RingerError(.system, "make an MQTT client", settings.identifier)
        }
        handle = made
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        // libmosquitto 2.0 makes the acknowledgement of a message before it hands over the message, and by itself writes at
        // once. For a program of several threads it leaves writing to the program: after the message is recorded.
        mosquitto_threaded_set(handle, true)
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
        // A notice is small, and waits for nothing.
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        if let username = settings.username {
            try check(mosquitto_username_pw_set(handle, username, settings.password), "set the user name")
        }
        if let authorities = settings.authorities {
            try check(
                mosquitto_tls_set(handle, authorities, nil, settings.certificate, settings.key, nil),
                "use the certificates")
        }
        let will = Array(settings.will.payload.utf8)
        try check(
            mosquitto_will_set_v5(handle, settings.will.topic, CInt(will.count), will, 1, true, nil), "set the will")
        setCallbacks()
    }

    deinit {
        mosquitto_destroy(handle)
    }

    /// The broker, for people.
    var broker: String { "broker \(settings.host):\(settings.port)" }
    /// The socket; negative while there is none.
    var descriptor: CInt { mosquitto_socket(handle) }
    /// Whether something waits until the socket takes it.
    var wantsWrite: Bool { mosquitto_want_write(handle) }

    /// The blocking part of connecting, for another thread: it resolves the name, connects and does TLS's handshake.
    ///
    /// Until it has returned, the client must not be used.
    var connecting: Connecting { Connecting(client: self) }

    /// See ``MQTTClient/connecting``.
    // SAFETY: the client is used by one thread at a time, as `connecting` says.
    struct Connecting: @unchecked Sendable {
        fileprivate let client: MQTTClient

        /// Connects.
        func run() throws(RingerError) {
            let (handle, settings) = (client.handle, client.settings)
            (client.logged, client.certificateFault) = ([], nil)
            var properties: OpaquePointer?
            defer { mosquitto_property_free_all(&properties) }
            mosquitto_property_add_int32(
                &properties, CInt(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), settings.sessionExpiry)
            mosquitto_property_add_int32(
                &properties, CInt(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), settings.largestPacket)
            let result = mosquitto_connect_bind_v5(
                handle, settings.host, CInt(settings.port), CInt(settings.keepAlive), nil, properties)
            try client.check(result, "connect to")
        }
    }

    /// Reads and handles what the socket has, and acknowledges it.
    func read() throws(RingerError) {
        repeat {
            isReading = true
            let result = mosquitto_loop_read(handle, 1)
            isReading = false
            if let failure {
                self.failure = nil
                // Nothing may write from now on: the acknowledgement of a message that is not kept is waiting.
                breakOff()
                throw failure
            }
            try check(result, "read from")
            // What was published leaves before a message is read that cannot be kept.
            try write()
        } while payment_mqtt_has_more(handle)
    }

    /// Writes what waits, as far as the socket takes it.
    func write() throws(RingerError) {
        if wantsWrite { try check(mosquitto_loop_write(handle, 1), "write to") }
    }

    /// Asks whether the broker is there, if nothing was heard from it for long.
    func keepAlive() throws(RingerError) {
        try check(mosquitto_loop_misc(handle), "reach")
        try write()
    }

    /// Breaks the connection off, if there is one: the broker publishes the will.
    func breakOff() {
        if descriptor >= 0 { shutdown(descriptor, CInt(SHUT_RDWR)) }
    }

    /// Publishes with quality of service 1. While there is no connection, the message waits for the next one.
    ///
    /// - Returns: The message, for ``onAcknowledgement``.
    @discardableResult
    func publish(_ topic: String, _ payload: String, isRetained: Bool = false) throws(RingerError) -> CInt {
        let bytes = Array(payload.utf8)
        var message: CInt = 0
        let result = mosquitto_publish_v5(handle, &message, topic, CInt(bytes.count), bytes, 1, isRetained, nil)
        if result == MOSQ_ERR_NO_CONN.rawValue || result == MOSQ_ERR_CONN_LOST.rawValue { return message }
        try check(result, "publish to")
        if !isReading { try write() }
        return message
    }

    private func check(_ result: CInt, _ operation: String) throws(RingerError) {
        guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw RingerError(.disconnected, operation, broker, detail: reason(of: result))
    }

    // MARK: - Callbacks

    // libmosquitto calls back inside `read()` alone, on its caller's thread; the log is written by other calls as well.
    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, context, reason, flags, properties in
            MQTTClient.from(context)?.connected(reason, flags, properties)
            // mosquitto_loop_read reads on while messages are under way, unless a packet leaves this behind: what is
            // published now has to leave before a message comes that cannot be kept.
            errno = EAGAIN
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            if let message { MQTTClient.from(context)?.received(message.pointee, properties) }
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, _, count, granted, _ in
            let granted = UnsafeBufferPointer(start: granted, count: Int(count))
            MQTTClient.from(context)?.subscribed(Array(granted))
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, message, reason, _ in
            if reason >= 0x80 { MQTTClient.from(context)?.refused(message, reason) }
            MQTTClient.from(context)?.onAcknowledgement(message)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
            if reason >= 0x80 { MQTTClient.from(context)?.thrownOut(reason) }
        }
        mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            MQTTClient.from(context)?.keep(log: String(cString: text))
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MQTTClient? {
        // SAFETY: the context is the client, which destroys the handle, and with it the callbacks, at its end.
        context.map { Unmanaged<MQTTClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ reason: CInt, _ flags: CInt, _ properties: OpaquePointer?) {
        guard reason == 0 else {
            failure = RingerError(
                .permissionDenied, "connect to", broker, detail: String(cString: mosquitto_reason_string(reason)))
            return
        }
        var seconds: UInt16 = 0
        let isSet = mosquitto_property_read_int16(
            properties, CInt(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &seconds, false)
        keepAliveTime = isSet == nil ? settings.keepAlive : Int(seconds)
        // The broker's own choice, where it has one (MQTT 5, 3.2.2.3.2).
        var expiry = settings.sessionExpiry
        mosquitto_property_read_int32(properties, CInt(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), &expiry, false)
        onAccepted(Session(isPresent: flags & 1 != 0, expiry: expiry))
        var topics = settings.topics.map { strdup($0) }
        defer { for topic in topics { free(topic) } }
        let result = mosquitto_subscribe_multiple(handle, nil, CInt(topics.count), &topics, 1, 0, nil)
        do throws(RingerError) {
            try check(result, "subscribe at")
        } catch {
            failure = error
        }
    }

    private func keep(log line: String) {
        logged.append(line)
        if logged.count > 8 { logged.removeFirst() }
        if let fault = payment_mqtt_certificate_fault(handle) { certificateFault = String(cString: fault) }
    }

    /// The broker ends the connection, and says why.
    private func thrownOut(_ reason: CInt) {
        failure = RingerError(.disconnected, "stay at", broker, detail: sentence(of: reason))
    }

    private func subscribed(_ granted: [CInt]) {
        guard let reason = granted.first(where: { $0 != 1 }) else { return onConnected() }
        failure = RingerError(
            .permissionDenied, "subscribe at", broker,
            detail: reason == 0 ? "it grants quality of service 0" : String(cString: mosquitto_reason_string(reason)))
    }

    private func refused(_ message: CInt, _ reason: CInt) {
        // RabbitMQ refuses with "implementation specific error" what a queue on a lost node should have.
        let temporary = [MQTT_RC_UNSPECIFIED, MQTT_RC_IMPLEMENTATION_SPECIFIC, MQTT_RC_QUOTA_EXCEEDED]
        onRefusal(
            message, temporary.contains { CInt($0.rawValue) == reason },
            RingerError(
                .permissionDenied, "publish to", broker, detail: String(cString: mosquitto_reason_string(reason))))
    }

    private func received(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        // After a message that could not be kept, none is acknowledged: they would be out of order.
        guard failure == nil else { return }
        var expiry: UInt32 = 0
        let expires = mosquitto_property_read_int32(
            properties, CInt(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &expiry, false)
        let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        let isTaken = onMessage(
            Message(
                topic: String(cString: message.topic), payload: Array(payload), isRetained: message.retain,
                expiry: expires == nil ? nil : expiry))
        guard !isTaken else { return }
        failure = RingerError(.system, "keep a message of", broker, detail: "it will be delivered again")
    }
}
