import RingerPolicy

extension UserPreferences {
    /// The preferences as the property of that name has them.
    package var busValues: [String: BusValue] {
        [
            "vibrateOnRing": .boolean(vibrateOnRing), "vibrateOnSilent": .boolean(vibrateOnSilent),
            "soundEffects": .boolean(soundEffects), "alertVolume": .double(Double(alertVolume)),
            "hapticsWhileRecording": .boolean(hapticsWhileRecording), "doNotDisturb": .boolean(doNotDisturb),
            "routesSilencedBySwitch": .strings(
                AudioRoute.allCases.filter { routesSilencedBySwitch.contains($0) }.map(\.rawValue)),
            "whenSwitchUnreadable": .string(whenSwitchUnreadable.rawValue),
        ]
    }

    /// Sets the preferences that `value` names; the others stay as they are.
    package mutating func set(_ value: BusValue) throws(BusError) {
        var options = BusOptions(value, of: "Preferences")
        if let value = try options.boolean("vibrateOnRing") { vibrateOnRing = value }
        if let value = try options.boolean("vibrateOnSilent") { vibrateOnSilent = value }
        if let value = try options.boolean("soundEffects") { soundEffects = value }
        if let value = try options.number("alertVolume", in: 0...1) { alertVolume = Float(value) }
        if let value = try options.boolean("hapticsWhileRecording") { hapticsWhileRecording = value }
        if let value = try options.boolean("doNotDisturb") { doNotDisturb = value }
        if let value = try options.routes("routesSilencedBySwitch") { routesSilencedBySwitch = value }
        if let value = try options.name("whenSwitchUnreadable", of: SwitchPosition.self) {
            whenSwitchUnreadable = value
        }
        try options.finish()
    }
}
