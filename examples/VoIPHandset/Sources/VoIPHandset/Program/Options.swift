import Ringer

/// What the command line asks for.
struct Options: Sendable {
    enum Board: String, CaseIterable, Sendable {
        case auto, service, simulated
    }

    enum Transport: String, CaseIterable, Sendable {
        case udp, tcp, both, tls
    }

    /// The address to listen at, without brackets; empty until it was named.
    var address = ""
    var port: UInt16 = 5060
    var transport = Transport.both
    /// With TLS: the file of the certificate and its key, and that of the authorities of callers' certificates.
    private(set) var certificate: String?
    private(set) var callerAuthorities: String?
    var calls: UInt32 = 2
    var board = Board.auto
    var position: SwitchPosition?
    /// The ALSA PCM of the ring.
    var pcm: String?
    var preferences = UserPreferences()
    var ringTone: String?
    /// The files of the rings that callers may choose, by their names.
    var rings: [String: String] = [:]
    var callers = CallerScreen.Rules()
    var rules = HandsetMachine.Rules()
    var silenceLimit = Duration.seconds(60)
    var holdLimit = Duration.seconds(600)
    /// The ALSA PCMs of a call.
    var callPCM: String?
    var microphonePCM: String?
    /// The account to register; nil for none.
    private(set) var account: Account?
    /// The file of the account's password.
    private(set) var passwordFile: String?
    private var registrars: [String] = []
    private var registeredFor = Duration.seconds(600)
    var printsJSON = false

    /// They are kept in memory.
    private static let mostRings = 16

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if setFlag(argument) { continue }
            guard argument.hasPrefix("--") else { throw UsageError("unknown argument \(argument)") }
            guard let value = rest.popFirst() else { throw UsageError("\(argument) needs a value") }
            do throws(UsageError) {
                try set(argument, value)
            } catch {
                throw UsageError("\(argument) \(value): \(error.message)")
            }
        }
        if address.isEmpty { throw UsageError("--listen ADDRESS:PORT is needed") }
        try setRegistrars()
        if (transport == .tls) != (certificate != nil) {
            throw UsageError("--transport tls and --certificate need each other")
        }
        if callerAuthorities != nil, certificate == nil { throw UsageError("--caller-authorities needs --certificate") }
        // libre does not compare the registrar's name with its certificate's.
        if transport == .tls, account != nil { throw UsageError("--account needs another transport than tls") }
        if position != nil, board != .simulated { throw UsageError("--position needs --board simulated") }
        if pcm != nil, board == .service { throw UsageError("--board service has the PCM of the service: name none") }
    }

    /// Takes an option without a value; false if it is none.
    private mutating func setFlag(_ option: String) -> Bool {
        switch option {
        case "--json": printsJSON = true
        case "--no-vibrate-on-ring": preferences.vibrateOnRing = false
        case "--no-vibrate-on-silent": preferences.vibrateOnSilent = false
        case "--haptics-while-recording": preferences.hapticsWhileRecording = true
        case "--no-alerts-during-call": preferences.alertsDuringCall = .none
        default: return false
        }
        return true
    }

    private mutating func set(_ option: String, _ value: String) throws(UsageError) {
        switch option {
        case "--listen": try setListen(value)
        case "--transport": transport = try Self.choice(value)
        case "--certificate": certificate = value
        case "--caller-authorities": callerAuthorities = value
        case "--calls": calls = UInt32(try Self.number(value, 1...16))
        case "--board": board = try Self.choice(value)
        case "--position": position = try Self.choice(value)
        case "--pcm": pcm = value
        case "--ring-tone": ringTone = value
        case "--ring": try addRing(value)
        case "--allow": try allow(value)
        case "--strangers": callers.strangers = try Self.strangerLimit(value)
        case "--ring-for": rules.ringLimit = .seconds(try Self.number(value, 1...3600))
        case "--answer-after": rules.answersAfter = .seconds(try Self.number(value, 0...3600))
        case "--lost-after": silenceLimit = .seconds(Int(try Self.number(value, 1...86400)))
        case "--hold-for": holdLimit = .seconds(Int(try Self.number(value, 1...86400)))
        case "--call-pcm": callPCM = value
        case "--microphone-pcm": microphonePCM = value
        case "--account": account = try Account(value)
        case "--password-file": passwordFile = value
        case "--registrar": registrars.append(try Account.host(value))
        case "--register-for": registeredFor = .seconds(Int(try Self.number(value, 1...86400)))
        default: throw UsageError("there is no such option")
        }
    }

    private mutating func addRing(_ value: String) throws(UsageError) {
        guard let sign = value.lastIndex(of: "="), sign != value.startIndex, sign != value.indices.last else {
            throw UsageError("NAME=FILE is needed")
        }
        if rings.count == Self.mostRings { throw UsageError("there are at most \(Self.mostRings) rings") }
        rings[String(value[..<sign])] = String(value[value.index(after: sign)...])
    }

    private mutating func allow(_ value: String) throws(UsageError) {
        guard let caller = KnownCaller(value) else {
            throw UsageError("USER@HOST, *@HOST, ADDRESS or ADDRESS/LENGTH is needed")
        }
        callers.known.append(caller)
    }

    private static func strangerLimit(_ value: String) throws(UsageError) -> CallerScreen.StrangerLimit {
        let parts = value.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let calls = Int(parts[0]), (1...100).contains(calls), let seconds = Int(parts[1]),
            (1...86400).contains(seconds)
        else { throw UsageError("CALLS/SECONDS is needed, such as 3/60") }
        return CallerScreen.StrangerLimit(calls: calls, period: .seconds(seconds))
    }

    private mutating func setRegistrars() throws(UsageError) {
        guard let domain = account?.domain else {
            // Without an account, a password may lie there all the same: the unit names its file.
            if !registrars.isEmpty { throw UsageError("--registrar needs --account") }
            return
        }
        if registrars.count > 2 { throw UsageError("there are at most two registrars") }
        account?.registrars = registrars.isEmpty ? [domain] : registrars
        account?.lifetime = registeredFor
        account?.usesTCP = transport == .tcp
    }

    private mutating func setListen(_ value: String) throws(UsageError) {
        guard let colon = value.lastIndex(of: ":"), let port = UInt16(value[value.index(after: colon)...]) else {
            throw UsageError("ADDRESS:PORT is needed")
        }
        // An IPv6 address is in brackets.
        var address = value[..<colon]
        if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
        self.address = String(address)
        self.port = port
    }

    private static func number(_ text: String, _ range: ClosedRange<Double>) throws(UsageError) -> Double {
        guard let number = Double(text), range.contains(number) else {
            throw UsageError("a number from \(Int(range.lowerBound)) to \(Int(range.upperBound)) is needed")
        }
        return number
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            throw UsageError("the choices are \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}

/// The command line is wrong.
struct UsageError: Error {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
