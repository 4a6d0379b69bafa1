import Glibc
import PaymentRules
import Ringer

/// What the command line asks for.
struct Options {
    enum Board: String, CaseIterable {
        case auto, service, simulated
    }

    /// What the Ring/Silent switch means for announcements.
    enum Policy: String, CaseIterable {
        /// They are heard whatever the switch says.
        case announce
        /// The switch silences them.
        case obey
        /// The switch silences them, and the motor turns instead.
        case vibrate
    }

    /// Whether the wall clock is set: by the kernel's account, or said by the user.
    enum Clock: String, CaseIterable {
        case auto, set, unset
    }

    /// What becomes of payments that waited for the clock in vain.
    enum WithoutClock: String, CaseIterable {
        case announce, drop
    }

    enum Sound: String, CaseIterable {
        case play, skip
    }

    var host = "localhost"
    var port: Int?
    var device = ""
    var board = Board.auto
    var position = SwitchPosition.ring
    var hardware = Device.Hardware()
    var policy = Policy.announce
    var language = "zh"
    var clips: String?
    var sound = Sound.play
    var ledger: String?
    var staleness = Staleness(limit: 300)
    var clock = Clock.auto
    var withoutClock = WithoutClock.announce
    var retention = Retention()
    var keys: String?
    var providers: [String] = []
    var quietHours: QuietHours?
    var username: String?
    var passwordFile: String?
    var authorities: String?
    var certificate: String?
    var key: String?
    var keepAlive = 60
    var printsJSON = false
    /// The topics below the speaker's own that are no provider's.
    private static let ownTopics = ["result", "command", "state", "health"]

    static let help = """
        PaymentSpeaker: announces the payments that an MQTT 5 broker reports.

        USAGE: PaymentSpeaker --device NAME [--broker HOST:PORT] [OPTION...]
               PaymentSpeaker voices check DIRECTORY | list DIRECTORY/LANGUAGE

          --device NAME         The speaker's name: it takes notices at the topic payments/NAME.
          --broker HOST:PORT    The broker (default: localhost, port 1883, with TLS 8883).
          --cafile FILE         Connect by TLS to a broker whose certificate these authorities sign.
          --cert FILE, --key FILE     The speaker's own certificate and its key.
          --username NAME, --password-file FILE     The speaker's user at the broker.
          --keep-alive SECONDS  How long nothing is said before the broker is asked (default: 60, 5 or more).
          --signing-keys FILE   Take only notices and commands that one of these keys signed (README.md, "Signed notices").
          --provider NAME       Take notices of another provider too, at the topic payments/NAME/PROVIDER; may be repeated.
          --policy announce|obey|vibrate      Announce whatever the switch says (the default), obey it, or obey and vibrate.
          --quiet-hours SPANS   When it is silent or softer by itself, such as 'daily 22:00-07:00 volume=0.3' (README.md,
                                "Quiet hours"); not with the service, which has its own.
          --language NAME       The language, a folder of that directory (default: zh).
          --clips DIRECTORY     The languages: rules and recordings that announcements are made of (README.md, "Languages");
                                without it, a chime is played.
          --ledger FILE         The record of payments (default: $STATE_DIRECTORY/payments.sqlite, or here).
          --stale-after SECONDS Notices of this age are recorded, not announced (default: 300; 0 for no limit).
          --clock auto|set|unset      Whether ages can be judged: when the kernel says that a time service keeps the
                                clock (auto, the default; payments wait 10 min for that), always, or never.
          --without-clock announce|drop       What becomes of payments that waited for the clock in vain: announced as of
                                unknown time (the default), or recorded, not announced.
          --ledger-size MB      The most of the ledger's file that is used (default: 64); the oldest payments make room.
          --board auto|service|simulated      The service where it runs, else this machine's hardware (auto, the
                                default); the service; a simulated board.
          --position ring|vibrate|silent      The simulated switch.
          --switch, --motor, --pcm     The parts of the hardware, named as for the ringer command.
          --sound play|skip     On a simulated board, skip the time that sounds take.
          --json                Print an object for each payment.
          --help                Print this text.

        Runs until SIGTERM, SIGINT or SIGHUP, which ends it once the device is closed. Exit status, with one line on
        standard error: 1 failed, 64 bad usage.

        """

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--json" {
                printsJSON = true
                continue
            }
            guard argument.hasPrefix("--") else { throw UsageError("unknown argument \(argument)") }
            guard let value = rest.popFirst() else { throw UsageError("\(argument) needs a value") }
            do throws(RingerError) {
                try set(argument, value)
            } catch {
                throw UsageError("\(argument) \(value): \(error.detail ?? "not valid")")
            }
        }
        guard !language.isEmpty, !language.contains("/"), language.first != "." else {
            throw UsageError("--language is the name of a folder")
        }
        guard !device.isEmpty, !device.utf8.contains(where: { "/+#".utf8.contains($0) || $0 < 0x20 }) else {
            throw UsageError("--device NAME is needed, without /, + and #")
        }
        for (index, provider) in providers.enumerated() {
            guard !provider.isEmpty, !provider.utf8.contains(where: { "/+#".utf8.contains($0) || $0 < 0x20 }),
                !Self.ownTopics.contains(provider), !providers[..<index].contains(provider)
            else {
                throw UsageError(
                    "--provider \(provider): a name is needed, once, without /, + and #, and none of "
                        + Self.ownTopics.joined(separator: ", "))
            }
        }
        if quietHours != nil && board == .service { throw UsageError("--quiet-hours: the service has its own") }
        if sound == .skip && board != .simulated { throw UsageError("--sound skip needs --board simulated") }
        if (certificate == nil) != (key == nil) { throw UsageError("--cert and --key need each other") }
        if certificate != nil && authorities == nil { throw UsageError("--cert needs --cafile") }
        if passwordFile != nil && username == nil { throw UsageError("--password-file needs --username") }
    }

    private mutating func set(_ option: String, _ value: String) throws(RingerError) {
        switch option {
        case "--device": device = value
        case "--broker": try setBroker(value)
        case "--cafile": authorities = value
        case "--cert": certificate = value
        case "--key": key = value
        case "--username": username = value
        case "--password-file": passwordFile = value
        case "--keep-alive": keepAlive = Int(try Self.number(value, 5...65_535))
        case "--signing-keys": keys = value
        case "--provider": providers.append(value)
        case "--quiet-hours":
            do {
                quietHours = try QuietHours(value)
            } catch {
                throw Self.invalid("\(error)")
            }
        case "--policy": policy = try Self.choice(value)
        case "--language": language = value
        case "--clips": clips = value
        case "--ledger": ledger = value
        case "--stale-after":
            let seconds = try Self.number(value, 0...1e9)
            staleness.limit = seconds > 0 ? seconds : nil
        case "--clock": clock = try Self.choice(value)
        case "--without-clock": withoutClock = try Self.choice(value)
        case "--ledger-size": retention.size = Int64(try Self.number(value, 1...100_000)) << 20
        case "--board": board = try Self.choice(value)
        case "--position": position = try Self.choice(value)
        case "--switch": hardware.ringSilent = try SwitchSpecification(value)
        case "--motor": hardware.motor = try MotorSpecification(value)
        case "--pcm": hardware.pcm = value
        case "--sound": sound = try Self.choice(value)
        default: throw Self.invalid("there is no such option")
        }
    }

    private mutating func setBroker(_ value: String) throws(RingerError) {
        // An IPv6 address is in brackets.
        let end = value.lastIndex(of: "]") ?? value.startIndex
        if let colon = value[end...].lastIndex(of: ":") {
            port = Int(try Self.number(String(value[value.index(after: colon)...]), 1...65_535))
            host = String(value[..<colon])
        } else {
            host = value
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.isEmpty { throw Self.invalid("HOST:PORT is needed") }
    }

    private static func number(_ text: String, _ range: ClosedRange<Double>) throws(RingerError) -> Double {
        guard let number = Double(text), range.contains(number) else {
            throw invalid("a number from \(Int(range.lowerBound)) to \(Int(range.upperBound)) is needed")
        }
        return number
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String
    ) throws(RingerError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            throw invalid("the choices are \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    private static func invalid(_ detail: String) -> RingerError {
        RingerError(.invalid, "read the option", "command line", detail: detail)
    }

    /// What is allowed and should not be, for people.
    var warnings: [String] {
        guard username != nil, authorities == nil else { return [] }
        let sent = passwordFile == nil ? "the user name is" : "the user name and the password are"
        return ["\(sent) sent without TLS: --cafile is missing"]
    }

    /// The ledger's path.
    var ledgerPath: String {
        if let ledger { return ledger }
        // SAFETY: getenv returns nil or a string that ends in a zero byte; it is copied at once.
        let directory = getenv("STATE_DIRECTORY").map { String(cString: $0) + "/" } ?? ""
        return directory + "payments.sqlite"
    }
}

struct UsageError: Error {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
