import RingerCore

/// Each source of silence against each kind of sound, where vibration at silent is off: `b` is heard and felt, `h` heard, `f` felt,
/// `-` neither. What Swift, the service, ringer.h and the plug-in do has to be the same.
package enum SilenceTable {
    package enum Source: String, CaseIterable, Sendable {
        case none, switchVibrate, switchSilent, keptVibrate, keptSilent, keptBesideSilentSwitch, button, quietVibrate,
            quietSilent
        case quietBesideKeptVibrate, clockUnset, lostAtSilent, doNotDisturb
    }

    /// The columns.
    package enum Kind: String, CaseIterable, Sendable {
        case click, system, alert, notification, critical, alarm, ambient, soloAmbient, playback, honouring, call,
            announcement

        package var request: SoundRequest {
            switch self {
            case .click: .systemSound()
            case .system: .systemSound(isUISound: false)
            case .alert: .alert
            case .notification: .notification()
            case .critical: .notification(isCritical: true)
            case .alarm: .alarm
            case .ambient, .soloAmbient, .playback, .honouring, .call, .announcement:
                .session(category ?? .playback, options: options)
            }
        }

        /// That of a sound's session.
        package var category: AudioCategory? {
            switch self {
            case .ambient: .ambient
            case .soloAmbient: .soloAmbient
            case .playback, .honouring, .announcement: .playback
            case .call: .playAndRecord
            default: nil
            }
        }

        package var options: CategoryOptions { self == .honouring ? .honoursRingSilentSwitch : [] }
    }

    private static let rows: [(Source, String)] = [
        // click, system, alert, notification, critical, alarm | ambient, soloAmbient, playback, honouring, call, announcement
        (.none, "hhbbbbhhhhhh"),
        (.switchVibrate, "--ffbb--h-hh"),
        (.switchSilent, "----hb--h-hh"),
        (.keptVibrate, "--ffbb--h-hh"),
        (.keptSilent, "----hb--h-hh"),
        (.keptBesideSilentSwitch, "----hb--h-hh"),
        (.button, "----hb--h-hh"),
        (.quietVibrate, "--ffbb--h-hh"),
        (.quietSilent, "----hb--h-hh"),
        (.quietBesideKeptVibrate, "----hb--h-hh"),
        (.clockUnset, "----hb--h-hh"),
        (.lostAtSilent, "----hb--h-hh"),
        (.doNotDisturb, "hh--bbhhhhhh"),
    ]

    /// What becomes of a sound of `kind`.
    package static func expected(_ source: Source, _ kind: Kind) -> Character? {
        guard let row = rows.first(where: { $0.0 == source })?.1, let column = Kind.allCases.firstIndex(of: kind) else {
            return nil
        }
        return row.dropFirst(column).first
    }

    /// The table's letter of what was seen.
    package static func letter(heard: Bool, felt: Bool) -> Character {
        heard ? (felt ? "b" : "h") : (felt ? "f" : "-")
    }

    /// The preferences of a source, over those of the table.
    package static func preferences(_ source: Source) throws(QuietHoursError) -> UserPreferences {
        var preferences = UserPreferences(vibrateOnSilent: false)
        switch source {
        case .quietVibrate, .quietSilent, .quietBesideKeptVibrate, .clockUnset:
            preferences.quietHours = try QuietHours("daily 22:00-07:00")
            if source == .quietVibrate { preferences.quietHoursPosition = .vibrate }
        case .doNotDisturb: preferences.doNotDisturb = true
        default: break
        }
        return preferences
    }

    /// The wall clock, in seconds of UTC, while quiet hours are tried: 23:00 of 2026-01-01, or never set.
    package static func wallTime(_ source: Source) -> Int64 {
        source == .clockUnset ? 1_000 : 1_767_225_600 + 23 * 3_600
    }

    /// Where the switch is.
    package static func position(_ source: Source) -> SwitchPosition {
        switch source {
        case .switchVibrate: .vibrate
        case .switchSilent, .keptBesideSilentSwitch, .lostAtSilent: .silent
        default: .ring
        }
    }

    /// What software sets.
    package static func keptPosition(_ source: Source) -> SwitchPosition? {
        switch source {
        case .keptVibrate, .keptBesideSilentSwitch, .quietBesideKeptVibrate: .vibrate
        case .keptSilent: .silent
        default: nil
        }
    }
}
