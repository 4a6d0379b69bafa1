import CSIP
import Glibc
import Ringer
import Synchronization
import SystemPackage

/// The SIP endpoint by libre, on a thread of its own.
final class SIPEndpoint: Telephony, RegistrationClient {
    /// What it listens at, and where calls are heard.
    struct Options: Sendable {
        var address: String
        var port: UInt16
        var udp = true
        var tcp = true
        /// TLS in their place: the certificate with its key, and the authorities of callers' certificates.
        var certificate: String?
        var callerAuthorities: String?
        var calls: UInt32 = 2
        /// Descriptors of this process above this number are not used: connections of strangers are refused then.
        var descriptors: UInt32 = 256
        /// Ends a call whose caller is silent for so long; zero never.
        var silenceLimit = Duration.seconds(60)
        /// Ends a call on hold whose caller is silent for so long; zero never.
        var holdLimit = Duration.seconds(600)
        var playback: String
        var capture: String
        var account: Account?
    }

    fileprivate final class Context: Sendable {
        let screen: @Sendable (Caller) -> CallerScreen.Verdict
        let handler: @Sendable (TelephonyEvent) -> Void
        init(
            _ screen: @escaping @Sendable (Caller) -> CallerScreen.Verdict,
            _ handler: @escaping @Sendable (TelephonyEvent) -> Void
        ) {
            self.screen = screen
            self.handler = handler
        }
    }

    // SAFETY: used under the lock alone, and no longer once `stop` has taken it.
    private struct Endpoint: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let endpoint: Mutex<Endpoint?>
    private let context: Context
    /// The port that it listens at.
    let port: UInt16

    /// Listens, and asks `screen` of each caller and calls `handler` with each event on the endpoint's thread, where they must
    /// not block. Calls wait for ``start()``.
    init(
        _ options: Options, screen: @escaping @Sendable (Caller) -> CallerScreen.Verdict = { _ in .admitted },
        handler: @escaping @Sendable (TelephonyEvent) -> Void
    ) throws(RingerError) {
        let context = Context(screen, handler)
        var error: CInt = 0
        let strings = CStrings()
        let account = options.account
        let registrars = account?.registrars ?? []
        func uri(_ registrar: Int) -> UnsafePointer<CChar>? {
            registrar < registrars.count ? strings.copy(account?.uri(of: registrars[registrar])) : nil
        }
        var settings = handset_sip_options(
            address: strings.copy(options.address), port: options.port, udp: options.udp, tcp: options.tcp,
            certificate: strings.copy(options.certificate), authorities: strings.copy(options.callerAuthorities),
            calls: options.calls, descriptors: options.descriptors,
            silence_limit: UInt32(clamping: options.silenceLimit.components.seconds * 1000),
            hold_limit: UInt32(clamping: options.holdLimit.components.seconds * 1000),
            playback: strings.copy(options.playback), capture: strings.copy(options.capture),
            address_of_record: strings.copy(account?.addressOfRecord), user: strings.copy(account?.user),
            password: strings.copy(account?.password), registrars: (uri(0), uri(1)),
            lifetime: UInt32(clamping: account?.lifetime.components.seconds ?? 0),
            screen: { context, caller in
                guard let context else { return UInt32(HANDSET_SIP_FORBIDDEN) }
                // SAFETY: the endpoint is stopped before its context is released.
                return Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().judge(caller.pointee)
            },
            handler: { context, event in
                guard let context else { return }
                // SAFETY: the endpoint is stopped before its context is released.
                Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().take(event.pointee)
            }, context: Unmanaged.passUnretained(context).toOpaque())
        let endpoint = withExtendedLifetime(strings) { handset_sip_start(&settings, &error) }
        guard let endpoint else {
            let subject = "\(options.address) port \(options.port)"
            if error == EADDRNOTAVAIL {
                throw RingerError(
                    .invalid, "listen at", subject, detail: "name an address of this device that callers reach")
            }
            if let certificate = options.certificate, error == EINVAL || error == ENOENT {
                let files = [certificate, options.callerAuthorities].compactMap { $0 }.joined(separator: ", ")
                throw RingerError(
                    .invalid, "listen by TLS with", files,
                    detail: "a certificate and its key in PEM are needed, and authorities")
            }
            throw RingerError("listen at", subject, Errno(rawValue: error))
        }
        port = handset_sip_port(endpoint)
        self.endpoint = Mutex(Endpoint(pointer: endpoint))
        self.context = context
    }

    func start() {
        endpoint.withLock { if let endpoint = $0 { handset_sip_serve(endpoint.pointer) } }
    }

    /// Ends all calls, and waits for the answers for at most 0.5 s. Not from the handler. What is called afterwards does
    /// nothing.
    func stop() {
        let last = endpoint.withLock { endpoint in
            defer { endpoint = nil }
            return endpoint
        }
        // Not under the lock: the endpoint's thread may be about to answer an event with a command.
        if let last { handset_sip_stop(last.pointer) }
    }

    func answer(_ call: CallNumber) { send(HANDSET_SIP_ANSWER, call) }
    func openAudio(_ call: CallNumber) { send(HANDSET_SIP_OPEN_AUDIO, call) }
    func mute(_ call: CallNumber, _ isMuted: Bool) { send(isMuted ? HANDSET_SIP_MUTE : HANDSET_SIP_UNMUTE, call) }
    func refuse(_ call: CallNumber) { send(HANDSET_SIP_REFUSE, call) }
    func giveUp(_ call: CallNumber) { send(HANDSET_SIP_GIVE_UP, call) }
    func hangUp(_ call: CallNumber) { send(HANDSET_SIP_HANG_UP, call) }
    func register(_ registrar: Int) { send(HANDSET_SIP_REGISTER, UInt32(registrar)) }
    func unregister(_ registrar: Int) { send(HANDSET_SIP_UNREGISTER, UInt32(registrar)) }

    /// Asks whether the endpoint's thread works; ``TelephonyEvent/answered`` is the answer.
    func ask() { send(HANDSET_SIP_ASK, 0) }

    private func send(_ command: handset_sip_command, _ call: CallNumber) {
        endpoint.withLock { if let endpoint = $0 { handset_sip_send(endpoint.pointer, command, call) } }
    }
}

extension SIPEndpoint.Context {
    fileprivate func take(_ event: handset_sip_event) {
        switch event.kind {
        case HANDSET_SIP_INCOMING:
            handler(
                .incoming(event.call, name: text(event.call_id), peer: text(event.peer), alertInfo: text(event.alert)))
        case HANDSET_SIP_REPLACED:
            handler(.replaced(event.call, name: text(event.call_id), peer: text(event.peer)))
        case HANDSET_SIP_DIGIT:
            handler(.dialled(event.call, digit: text(event.digit), way: text(event.reason)))
        case HANDSET_SIP_REFUSED:
            let reason = "\(event.status) \(text(event.reason))"
            handler(.refused(name: text(event.call_id), peer: text(event.peer), reason: reason))
        case HANDSET_SIP_CLOSED:
            handler(.closed(event.call, heard: .milliseconds(Int64(event.heard))))
        case HANDSET_SIP_AUDIO_FAILED:
            handler(.audioFailed(event.call, pcm: text(event.peer), reason: text(event.reason)))
        case HANDSET_SIP_REGISTERED:
            handler(.registered(Int(event.call), for: .seconds(Int64(event.seconds))))
        case HANDSET_SIP_UNREGISTERED:
            // What a registrar answers to a wrong password, or to an account that it does not know.
            let isRefused = [401, 403, 404, 407].contains(event.status)
            let reason = text(event.reason)
            handler(.registrationFailed(Int(event.call), isRefused ? .refused(reason) : .other(reason)))
        case HANDSET_SIP_ANSWERS: handler(.answered)
        default: break
        }
    }

    /// As `handset_sip_screen` has it.
    fileprivate func judge(_ caller: handset_sip_caller) -> UInt32 {
        switch screen(Caller(user: text(caller.user), host: text(caller.host), source: text(caller.source))) {
        case .admitted: UInt32(HANDSET_SIP_ADMITTED)
        case .forbidden: UInt32(HANDSET_SIP_FORBIDDEN)
        case .tooMany(let retryAfter): UInt32(clamping: max(retryAfter.components.seconds, 0) + 1)
        }
    }

    /// A copy of the text; bytes that are not UTF-8 are replaced.
    private func text(_ bytes: UnsafePointer<CChar>?) -> String {
        // SAFETY: nil, or a string that ends in a zero byte and lives as long as the event.
        bytes.map { String(cString: $0) } ?? ""
    }
}
