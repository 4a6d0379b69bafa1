import CRinger
import RingerCore
import ServiceSupport
import Testing

/// Every source of silence against every kind of sound, in C.
@Suite struct SilenceTests {
    // The simulated board of ringer.h has a switch that stays, and no button.
    @Test(
        "each kind is decided as the table has it",
        arguments: Set(SilenceTable.Source.allCases).subtracting([.lostAtSilent, .button]))
    func table(_ source: SilenceTable.Source) throws {
        let test = try TestDevice()
        #expect(ringer_simulated_set_wall_time(test.device, SilenceTable.wallTime(source)) == 0)
        let swift = try SilenceTable.preferences(source)
        #expect(ringer_device_set_quiet_hours(test.device, "\(swift.quietHours)") == 0)
        var preferences = ringer_preferences()
        let size = MemoryLayout<ringer_preferences>.stride
        #expect(ringer_device_get_preferences(test.device, &preferences, size) == 0)
        preferences.vibrate_on_silent = 0
        preferences.do_not_disturb = swift.doNotDisturb ? 1 : 0
        if source == .quietVibrate { preferences.quiet_hours_position = UInt8(RINGER_POSITION_VIBRATE.rawValue) }
        #expect(ringer_device_set_preferences(test.device, &preferences, size) == 0)
        #expect(ringer_simulated_set_position(test.device, Self.position(SilenceTable.position(source))) == 0)
        if let kept = SilenceTable.keptPosition(source) {
            #expect(ringer_device_set_position(test.device, Self.position(kept)) == 0)
        }
        test.advance(milliseconds: 200)
        for kind in SilenceTable.Kind.allCases {
            let decision = decide(
                test.device, Self.kind(kind), Self.category(kind), options: UInt32(kind.options.rawValue))
            let expected = SilenceTable.expected(source, kind)
            #expect(SilenceTable.letter(heard: decision.heard != 0, felt: decision.felt != 0) == expected, "\(kind)")
        }
    }

    private static func position(_ position: SwitchPosition) -> ringer_position {
        switch position {
        case .ring: RINGER_POSITION_RING
        case .vibrate: RINGER_POSITION_VIBRATE
        case .silent: RINGER_POSITION_SILENT
        }
    }

    private static func kind(_ kind: SilenceTable.Kind) -> ringer_sound_kind {
        switch kind {
        case .click, .system: RINGER_SOUND_SYSTEM
        case .alert: RINGER_SOUND_ALERT
        case .notification: RINGER_SOUND_NOTIFICATION
        case .critical: RINGER_SOUND_CRITICAL_NOTIFICATION
        case .alarm: RINGER_SOUND_ALARM
        default: RINGER_SOUND_CATEGORY
        }
    }

    private static func category(_ kind: SilenceTable.Kind) -> ringer_category {
        switch kind.category {
        case .ambient: RINGER_CATEGORY_AMBIENT
        case .playback: RINGER_CATEGORY_PLAYBACK
        case .playAndRecord: RINGER_CATEGORY_PLAY_AND_RECORD
        default: RINGER_CATEGORY_SOLO_AMBIENT
        }
    }
}
