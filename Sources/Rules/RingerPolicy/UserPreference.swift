/// A preference in the table of all of them: its name and its value's type. The bus, the file of ringerd, scripts and
/// options read and write preferences by this table.
package struct UserPreference: Sendable, Hashable {
    /// Where the value is, by its type.
    package enum Value: Sendable, Hashable {
        case flag(WritableKeyPath<UserPreferences, Bool> & Sendable)
        /// A number, 0 to 1.
        case fraction(WritableKeyPath<UserPreferences, Float> & Sendable)
        case routes(WritableKeyPath<UserPreferences, AudioRouteSet> & Sendable)
        case position(WritableKeyPath<UserPreferences, SwitchPosition> & Sendable)
    }

    /// The name in D-Bus and JSON, such as `vibrateOnRing`.
    package let name: String
    package let value: Value

    private init(_ name: String, _ value: Value) {
        (self.name, self.value) = (name, value)
    }

    /// All preferences.
    package static let all = [
        UserPreference("vibrateOnRing", .flag(\.vibrateOnRing)),
        UserPreference("vibrateOnSilent", .flag(\.vibrateOnSilent)),
        UserPreference("soundEffects", .flag(\.soundEffects)),
        UserPreference("alertVolume", .fraction(\.alertVolume)),
        UserPreference("hapticsWhileRecording", .flag(\.hapticsWhileRecording)),
        UserPreference("doNotDisturb", .flag(\.doNotDisturb)),
        UserPreference("routesSilencedBySwitch", .routes(\.routesSilencedBySwitch)),
        UserPreference("whenSwitchUnreadable", .position(\.whenSwitchUnreadable)),
    ]

    /// The name in files, scripts and options, such as `vibrate-on-ring`.
    package var hyphenated: String {
        String(
            decoding: name.utf8.flatMap { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? [UInt8(ascii: "-"), byte | 0x20] : [byte]
            }, as: UTF8.self)
    }
}

extension AudioRouteSet {
    /// The set of the routes of these names; nil where one is not known.
    package init?(names: some Sequence<String>) {
        self = []
        for name in names {
            guard let route = AudioRoute(rawValue: name) else { return nil }
            formUnion(AudioRouteSet(route))
        }
    }

    /// The names of its routes.
    package var names: [String] { AudioRoute.allCases.filter(contains).map(\.rawValue) }
}
