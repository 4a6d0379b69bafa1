import ArgumentParser
import RingerLinux
import RingerClient
import RingerTerminal

/// `ringer quiet`: shows and changes the quiet hours that the service keeps.
struct QuietCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "quiet",
        abstract: "Show and change the quiet hours, in which the device is silent beside its switch.",
        discussion: """
            The service keeps them over a restart: spans of local time, such as "Mon..Fri 22:00-07:00", "Sat,Sun 23:30-09:00" \
            or "daily 13:00-14:30". One that ends before it begins goes on to the next day. With a volume, "daily 22:00-07:00 volume=0.3", \
            a span silences nothing: announcements and media are heard at that volume. Changing them needs the permission to \
            control the service.
            JSON: {"quietHours":[SPAN...],"quietHoursPosition":"vibrate|silent","now":"vibrate|silent" or null,
            "until":SECONDS SINCE 1970 or null,"volume":0 TO 1 or null,"volumeUntil":SECONDS SINCE 1970 or null}
            """)

    /// What is done.
    enum Word: String, ExpressibleByArgument, CaseIterable {
        case list, add, remove, clear

        var takesSpan: Bool { self == .add || self == .remove }
    }

    @Argument(
        help: ArgumentHelp(
            "list, add or remove a span, or clear all. (default: list)", valueName: "list|add|remove|clear"))
    var word = Word.list
    @Argument(help: ArgumentHelp("A span; several with semicolons between them.", valueName: "span"))
    var words: [String] = []
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let spans = try spans()
        if word.takesSpan && spans.isEmpty {
            throw ValidationError("\(word.rawValue) needs a span, such as 'Mon..Fri 22:00-07:00'.")
        }
        if !word.takesSpan && !words.isEmpty { throw ValidationError("\(word.rawValue) takes no span.") }
    }

    private func spans() throws -> [QuietHours.Span] {
        do throws(QuietHoursError) {
            return try QuietHours(words.joined(separator: " ")).spans
        } catch {
            throw ValidationError("Quiet hours: \(error).")
        }
    }

    func run() async throws {
        let device = try await board.connectedDevice(to: "keep the quiet hours", because: "only the service keeps them")
        defer { device.close() }
        if word != .list { try await change(device) }
        let (preferences, state) = (device.preferences, device.state)
        let spans = preferences.quietHours.spans.map { "\($0)" }
        if output.json {
            let members: [(String, JSONValue)] = [
                ("quietHours", .array(spans.map(JSONValue.string))),
                ("quietHoursPosition", .string(preferences.quietHoursPosition.rawValue)),
                ("now", .optional(state.quietHours?.rawValue)),
                ("until", state.quietHoursUntil.map { .integer(Int64($0)) } ?? .null),
                ("volume", .volume(state.quietHoursVolume)),
                ("volumeUntil", state.quietHoursVolumeUntil.map { .integer(Int64($0)) } ?? .null),
            ]
            return try Terminal.show(JSONValue.object(members).description)
        }
        for span in spans.isEmpty ? ["none"] : spans { try Terminal.show(span) }
        guard word == .list else { return }
        func show(_ what: String, _ until: Int64?) throws {
            try Terminal.show("\(what) now" + (until.map { ", until \(localTime($0))" } ?? ""))
        }
        if let now = state.quietHours { try show(now.rawValue, state.quietHoursUntil) }
        if let volume = state.quietHoursVolume {
            try show("volume \(JSONValue.volume(volume))", state.quietHoursVolumeUntil)
        }
    }

    private func change(_ device: Device) async throws {
        var preferences = device.preferences
        var spans = preferences.quietHours.spans
        for span in try self.spans() {
            let index = spans.firstIndex(of: span)
            if word == .add {
                if index == nil { spans.append(span) }
            } else if let index {
                spans.remove(at: index)
            } else {
                throw RingerError(
                    .notFound, "remove", "\(span)",
                    detail: spans.isEmpty ? "there are no quiet hours" : "there are \(preferences.quietHours)")
            }
        }
        do throws(QuietHoursError) {
            preferences.quietHours = word == .clear ? QuietHours() : try QuietHours(spans)
        } catch {
            throw RingerError(.invalid, "add", "quiet hours", detail: "\(error)")
        }
        let changed = preferences
        let error = await withCheckedContinuation { continuation in
            device.setPreferences(changed) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }
}
