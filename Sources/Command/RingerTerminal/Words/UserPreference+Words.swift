import RingerCore

extension UserPreference {
    /// The values of the preference, in words.
    package var valueDescription: String {
        switch value {
        case .flag: "\"on\" or \"off\""
        case .fraction: "a number from 0 to 1"
        case .routes: AudioRouteSet.valueDescription
        case .quietHours: "quiet hours, such as \"Mon..Fri 22:00-07:00; Sat,Sun 23:30-09:00\", or none"
        case .decibels: "a number of decibels from 0 to 50"
        case .milliseconds: "a whole number of milliseconds from 0 to 2000"
        case .alertsDuringCall: AlertsDuringCall.allCases.map(\.rawValue).joined(separator: ", ")
        case .position: SwitchPosition.allCases.map(\.rawValue).joined(separator: ", ")
        }
    }

    /// Sets the preference to the value in `text`; false if it is not a value of the preference.
    func set(_ text: String, in preferences: inout UserPreferences) -> Bool {
        switch value {
        case .flag(let path):
            guard text == "on" || text == "off" else { return false }
            preferences[keyPath: path] = text == "on"
        case .fraction(let path):
            guard let number = Float(text), number >= 0, number <= 1 else { return false }
            preferences[keyPath: path] = number
        case .routes(let path):
            guard let routes = AudioRouteSet(argument: text) else { return false }
            preferences[keyPath: path] = routes
        case .position(let path):
            guard let position = SwitchPosition(argument: text) else { return false }
            preferences[keyPath: path] = position
        case .decibels(let path):
            guard let number = Float(text), UserPreferences.duckingDepths.contains(Double(number)) else { return false }
            preferences[keyPath: path] = number
        case .milliseconds(let path):
            guard let number = Int(text), (0...UserPreferences.longestDucking.milliseconds).contains(Int64(number))
            else {
                return false
            }
            preferences[keyPath: path] = .milliseconds(number)
        case .alertsDuringCall(let path):
            guard let choice = AlertsDuringCall(argument: text) else { return false }
            preferences[keyPath: path] = choice
        case .quietHours(let path):
            guard let quietHours = QuietHours(argument: text) else { return false }
            preferences[keyPath: path] = quietHours
        }
        return true
    }
}

extension QuietHours {
    /// The quiet hours of `text`; none for "none"; nil if it is not their text.
    package init?(argument text: String) {
        if text == "none" {
            self.init()
        } else {
            try? self.init(text)
        }
    }
}

extension AudioRouteSet {
    /// What ``init(argument:)`` takes, in words.
    package static let valueDescription =
        "routes with commas between them (\(AudioRoute.allCases.map(\.rawValue).joined(separator: ", "))), or none"

    /// The set of routes in `text`, with commas between them; empty for "none"; nil if a name is unknown.
    package init?(argument text: String) {
        self = []
        if text == "none" { return }
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let route = AudioRoute(argument: String(name)) else { return nil }
            formUnion(AudioRouteSet(route))
        }
    }
}
