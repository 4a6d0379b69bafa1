import RingerPolicy

extension UserPreferences {
    /// The names with their types, for the interface's description.
    static var busNames: String {
        let flags = UserPreference.all.filter { if case .flag = $0.value { true } else { false } }
        let others = UserPreference.all.compactMap { preference -> String? in
            switch preference.value {
            case .flag: nil
            case .fraction: "\(preference.name) (d, 0 to 1)"
            case .routes: "\(preference.name) (as)"
            case .position, .quietHours: "\(preference.name) (s)"
            }
        }
        return ([flags.map(\.name).joined(separator: ", ") + " (b)"] + others).joined(separator: "; ")
    }

    /// The preferences as the property of that name has them.
    package var busValues: [String: BusValue] {
        UserPreference.all.reduce(into: [:]) { values, preference in
            values[preference.name] =
                switch preference.value {
                case .flag(let path): .boolean(self[keyPath: path])
                case .fraction(let path): .double(Double(self[keyPath: path]))
                case .routes(let path): .strings(self[keyPath: path].names)
                case .position(let path): .string(self[keyPath: path].rawValue)
                case .quietHours(let path): .string("\(self[keyPath: path])")
                }
        }
    }

    /// Sets the preferences that `value` names; the others stay as they are.
    package mutating func set(_ value: BusValue) throws(BusError) {
        var options = BusOptions(value, of: "Preferences")
        for preference in UserPreference.all {
            let name = preference.name
            switch preference.value {
            case .flag(let path): if let value = try options.boolean(name) { self[keyPath: path] = value }
            case .fraction(let path):
                if let value = try options.number(name, in: 0...1) { self[keyPath: path] = Float(value) }
            case .routes(let path): if let value = try options.routes(name) { self[keyPath: path] = value }
            case .position(let path):
                if let value = try options.name(name, of: SwitchPosition.self) { self[keyPath: path] = value }
            case .quietHours(let path):
                guard let text = try options.string(name) else { break }
                do throws(QuietHoursError) {
                    self[keyPath: path] = try QuietHours(text)
                } catch {
                    throw BusError.invalidArguments("Preferences: \(name): \(error)")
                }
            }
        }
        try options.finish()
    }
}
