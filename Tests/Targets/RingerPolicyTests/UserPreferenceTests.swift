import RingerPolicy
import Testing

/// The table of the preferences, by which the bus, files, scripts and options read and write them.
@Suite struct UserPreferenceTests {
    @Test("the table has every preference once, by the name that Swift has for it")
    func complete() {
        let labels = Mirror(reflecting: UserPreferences()).children.compactMap(\.label)
        #expect(UserPreference.all.map(\.name) == labels)
        let hyphenated = UserPreference.all.map(\.hyphenated)
        #expect(hyphenated.contains("do-not-disturb") && Set(hyphenated).count == labels.count)
    }

    @Test("a row changes the preference of its name alone", arguments: UserPreference.all)
    func rows(_ preference: UserPreference) throws {
        var changed = UserPreferences()
        switch preference.value {
        case .flag(let path): changed[keyPath: path].toggle()
        case .fraction(let path): changed[keyPath: path] = 0.25
        case .routes(let path): changed[keyPath: path] = .line
        case .position(let path): changed[keyPath: path] = .vibrate
        case .decibels(let path): changed[keyPath: path] = 30
        case .milliseconds(let path): changed[keyPath: path] = .milliseconds(300)
        case .alertsDuringCall(let path): changed[keyPath: path] = .quiet
        case .quietHours(let path): changed[keyPath: path] = try QuietHours("daily 22:00-07:00")
        }
        let pairs = zip(
            Mirror(reflecting: UserPreferences()).children, Mirror(reflecting: changed).children)
        #expect(pairs.filter { "\($0.value)" != "\($1.value)" }.map { $0.0.label } == [preference.name])
    }
}
