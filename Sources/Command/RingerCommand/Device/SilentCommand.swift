import ArgumentParser
import Glibc
import RingerLinux
import RingerClient
import RingerTerminal

/// `ringer silent`: sets the position that the service keeps beside the switch's.
struct SilentCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "silent",
        abstract: "Set the device to silent, to vibrate or back to ring, beside its switch.",
        discussion: """
            The service keeps the position over a restart. It can only add silence to a switch; on a device without one it is the \
            switch's. Without a word the kept position is shown. It needs the permission to control the service.
            With --for or --until it ends by itself, also after a restart: the position before is in force again then. Another one \
            that is set ends it earlier, as does a press of the device's button.
            JSON: {"keptPosition":"ring|vibrate|silent" or null,"keptPositionUntil":SECONDS SINCE 1970 or null,
            "ringSilent":"ring|vibrate|silent" or null}
            """)

    /// What may be set.
    enum Word: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
        case vibrate
        case toggle

        /// The position; nil for one that depends on the position now.
        var position: SwitchPosition? {
            switch self {
            case .on: .silent
            case .off: .ring
            case .vibrate: .vibrate
            case .toggle: nil
            }
        }
    }

    @Argument(help: ArgumentHelp("on, off, vibrate, or toggle between on and off.", valueName: "on|off|vibrate|toggle"))
    var word: Word?
    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("How long: 90s, 30m, 2h or 1d; a number alone is in seconds.", valueName: "time"),
        transform: Self.length)
    var length: Duration?
    @Option(
        help: ArgumentHelp(
            "The time of day at which it ends, in local time, within 24 hours: 07:00.", valueName: "time"),
        transform: Self.timeOfDay)
    var until: TimeOfDay?
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var output: OutputOptions

    struct TimeOfDay {
        var hour, minute: Int32
    }

    private static func length(_ text: String) throws -> Duration {
        let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let units = ["": 1.0, "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400]
        guard let number = Double(digits), let unit = units[String(text.dropFirst(digits.count))],
            (1...365 * 86_400).contains(number * unit)
        else { throw ValidationError("it takes a time from 1s to 365d, such as 90s, 30m or 2h.") }
        return .seconds(number * unit)
    }

    private static func timeOfDay(_ text: String) throws -> TimeOfDay {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hour = Int32(parts[0]), let minute = Int32(parts[1]), hour < 24, minute < 60
        else { throw ValidationError("it takes a time of day, such as 07:00 or 22:30.") }
        return TimeOfDay(hour: hour, minute: minute)
    }

    func validate() throws {
        if length != nil && until != nil { throw ValidationError("--for and --until exclude each other.") }
        if (length != nil || until != nil) && word?.position == nil {
            throw ValidationError("--for and --until need on, off or vibrate.")
        }
    }

    /// When the position ends, in seconds since 1970; nil if it stays.
    private var end: Int64? {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if let length {
            // Not sooner than after that time.
            return (.seconds(Int64(now.tv_sec) + 1) + .nanoseconds(now.tv_nsec - 1) + length).components.seconds
        }
        guard let until else { return nil }
        var (time, parts) = (now.tv_sec, tm())
        localtime_r(&time, &parts)
        let today = parts.tm_mday
        func local(_ day: Int32) -> Int64 {
            (parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (
                day, until.hour, until.minute, 0, -1
            )
            var given = parts
            return Int64(mktime(&given))
        }
        let end = local(today)
        return end > time ? end : local(today + 1)
    }

    func run() async throws {
        let device = try await board.connectedDevice(to: "keep the position", because: "only the service keeps one")
        defer { device.close() }
        switch word {
        case nil: break
        case .toggle: try await device.togglePosition()
        case .some(let word):
            if let position = word.position {
                if let end {
                    try await device.setPosition(position, until: end)
                } else {
                    try await device.setPosition(position)
                }
            }
        }
        let state = device.state
        let (kept, position, until) = (state.keptPosition, state.ringSilent, state.keptPositionUntil)
        if output.json {
            let members: [(String, JSONValue)] = [
                ("keptPosition", .optional(kept?.rawValue)),
                ("keptPositionUntil", until.map { .integer(Int64($0)) } ?? .null),
                ("ringSilent", .optional(position?.rawValue)),
            ]
            return try Terminal.show(JSONValue.object(members).description)
        }
        try Terminal.show((kept?.rawValue ?? "none") + (until.map { ", until \(localTime($0))" } ?? ""))
    }
}
