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
            case .decibels: "\(preference.name) (d, 0 to 50, in dB)"
            case .milliseconds: "\(preference.name) (u, 0 to 2000, in ms)"
            case .alertsDuringCall:
                "\(preference.name) (s: \(AlertsDuringCall.allCases.map(\.rawValue).joined(separator: ", ")))"
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
                case .decibels(let path): .double(Double(self[keyPath: path]))
                case .milliseconds(let path): .uint32(UInt32(clamping: self[keyPath: path].milliseconds))
                case .alertsDuringCall(let path): .string(self[keyPath: path].rawValue)
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
            case .decibels(let path):
                if let value = try options.number(name, in: UserPreferences.duckingDepths) {
                    self[keyPath: path] = Float(value)
                }
            case .milliseconds(let path):
                let most = UInt32(clamping: UserPreferences.longestDucking.milliseconds)
                if let value = try options.uint32(name, in: 0...most) { self[keyPath: path] = .milliseconds(value) }
            case .alertsDuringCall(let path):
                if let value = try options.name(name, of: AlertsDuringCall.self) { self[keyPath: path] = value }
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
