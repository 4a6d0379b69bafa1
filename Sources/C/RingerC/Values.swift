import CRinger
import Glibc
import RingerLinux

/// Two enumerations with the same meaning, in Swift and in C.
protocol CCounterpart: CaseIterable, Equatable {
    associatedtype Counterpart: RawRepresentable where Counterpart.RawValue == UInt32

    /// The C constant.
    var constant: Counterpart { get }
}

extension CCounterpart {
    /// The value of a C constant; nil for a number that is none.
    init?(_ constant: Counterpart) {
        guard let value = Self.allCases.first(where: { $0.constant.rawValue == constant.rawValue }) else { return nil }
        self = value
    }

    /// The value of a C constant; `name` names it in errors.
    static func of(_ constant: Counterpart, _ name: StaticString) throws -> Self {
        guard let value = Self(constant) else { throw Failure(EINVAL, "\(constant.rawValue) is no \(name)") }
        return value
    }
}

extension SwitchPosition: CCounterpart {
    var constant: ringer_position {
        switch self {
        case .ring: RINGER_POSITION_RING
        case .vibrate: RINGER_POSITION_VIBRATE
        case .silent: RINGER_POSITION_SILENT
        }
    }
}

extension AudioRoute: CCounterpart {
    var constant: ringer_route {
        switch self {
        case .speaker: RINGER_ROUTE_SPEAKER
        case .receiver: RINGER_ROUTE_RECEIVER
        case .headphone: RINGER_ROUTE_HEADPHONE
        case .headset: RINGER_ROUTE_HEADSET
        case .line: RINGER_ROUTE_LINE
        case .bluetooth: RINGER_ROUTE_BLUETOOTH
        }
    }
}

extension AudioCategory: CCounterpart {
    var constant: ringer_category {
        switch self {
        case .ambient: RINGER_CATEGORY_AMBIENT
        case .soloAmbient: RINGER_CATEGORY_SOLO_AMBIENT
        case .playback: RINGER_CATEGORY_PLAYBACK
        case .record: RINGER_CATEGORY_RECORD
        case .playAndRecord: RINGER_CATEGORY_PLAY_AND_RECORD
        case .audioProcessing: RINGER_CATEGORY_AUDIO_PROCESSING
        case .multiRoute: RINGER_CATEGORY_MULTI_ROUTE
        }
    }
}

extension DeviceKey: CCounterpart {
    var constant: ringer_key {
        switch self {
        case .repeatAnnouncement: RINGER_KEY_REPEAT
        case .silenceRing: RINGER_KEY_SILENCE
        case .volumeUp: RINGER_KEY_VOLUME_UP
        case .volumeDown: RINGER_KEY_VOLUME_DOWN
        }
    }
}

extension AlertWay: CCounterpart {
    var constant: ringer_alert_way {
        switch self {
        case .both: RINGER_ALERT_BOTH
        case .sound: RINGER_ALERT_SOUND
        case .vibration: RINGER_ALERT_VIBRATION
        case .none: RINGER_ALERT_NONE
        }
    }
}

extension AlertKind: CCounterpart {
    var constant: ringer_alert_kind {
        switch self {
        case .alert: RINGER_ALERT_KIND_ALERT
        case .alarm: RINGER_ALERT_KIND_ALARM
        }
    }
}

extension AlertsDuringCall: CCounterpart {
    var constant: ringer_alerts_during_call {
        switch self {
        case .automatic: RINGER_ALERTS_AUTOMATIC
        case .heard: RINGER_ALERTS_HEARD
        case .quiet: RINGER_ALERTS_QUIET
        case .felt: RINGER_ALERTS_FELT
        case .none: RINGER_ALERTS_NONE
        }
    }
}

extension MuteReading.Verdict: CCounterpart {
    var constant: ringer_verdict {
        switch self {
        case .unknown: RINGER_VERDICT_UNKNOWN
        case .muted: RINGER_VERDICT_MUTED
        case .audible: RINGER_VERDICT_AUDIBLE
        }
    }
}

extension Decision.Reason: CCounterpart {
    var constant: ringer_reason {
        switch self {
        case .switchAtRing: RINGER_REASON_SWITCH_AT_RING
        case .noSwitch: RINGER_REASON_NO_SWITCH
        case .switchUnreadable: RINGER_REASON_SWITCH_UNREADABLE
        case .categoryIgnoresSwitch: RINGER_REASON_CATEGORY_IGNORES_SWITCH
        case .routeIgnoresSwitch: RINGER_REASON_ROUTE_IGNORES_SWITCH
        case .critical: RINGER_REASON_CRITICAL
        case .vibrationRequested: RINGER_REASON_VIBRATION_REQUESTED
        case .ringSilentSwitch: RINGER_REASON_RING_SILENT_SWITCH
        case .screenLock: RINGER_REASON_SCREEN_LOCK
        case .categoryDoesNotPlay: RINGER_REASON_CATEGORY_DOES_NOT_PLAY
        case .sessionSilencesPlayback: RINGER_REASON_SESSION_SILENCES_PLAYBACK
        case .interruption: RINGER_REASON_INTERRUPTION
        case .sessionPriority: RINGER_REASON_SESSION_PRIORITY
        case .background: RINGER_REASON_BACKGROUND
        case .doNotDisturb: RINGER_REASON_DO_NOT_DISTURB
        case .soundEffectsOff: RINGER_REASON_SOUND_EFFECTS_OFF
        case .volumeZero: RINGER_REASON_VOLUME_ZERO
        case .softwareSilent: RINGER_REASON_SOFTWARE_SILENT
        case .quietHours: RINGER_REASON_QUIET_HOURS
        case .alarm: RINGER_REASON_ALARM
        case .call: RINGER_REASON_CALL
        }
    }
}

extension CategoryOptions {
    /// The options of these bits, which C has too.
    static func of(_ bits: UInt32) throws -> CategoryOptions {
        let known = named.reduce(into: CategoryOptions()) { $0.formUnion($1.option) }
        guard known.isSuperset(of: CategoryOptions(rawValue: bits)) else {
            throw Failure(EINVAL, "0x\(String(bits, radix: 16)) has bits that are no option of a category")
        }
        return CategoryOptions(rawValue: bits)
    }
}

extension AudioInput: CCounterpart {
    var constant: ringer_input {
        switch self {
        case .microphone: RINGER_INPUT_MICROPHONE
        case .bluetooth: RINGER_INPUT_BLUETOOTH
        }
    }
}

extension SessionState.Phase {
    var constant: ringer_session_phase {
        switch self {
        case .inactive: RINGER_SESSION_INACTIVE
        case .active: RINGER_SESSION_ACTIVE
        case .interrupted: RINGER_SESSION_INTERRUPTED
        }
    }
}

extension ringer_event {
    init(degraded sentence: String, at time: MonotonicTime) {
        self.init()
        type = RINGER_EVENT_DEGRADED
        at = time.nanoseconds
        withUnsafeMutableBytes(of: &u.message) { copy(sentence, to: $0) }
    }
}

extension SoundFallback {
    /// It as a sentence.
    var sentence: String {
        (reason == .incomplete ? "" : "another sound is played: ") + (error.map { "\($0)" } ?? reason.rawValue)
    }
}

/// Copies a sentence to a text of C, shortened to what fits.
func copy(_ sentence: String, to text: UnsafeMutableRawBufferPointer) {
    var sentence = sentence
    sentence.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
            guard let start = bytes.baseAddress else { return }
            ringer_copy_text(text.baseAddress, text.count, start, bytes.count)
        }
    }
}

extension SoundOutcome.StopCause: CCounterpart {
    var constant: ringer_stop_cause {
        switch self {
        case .caller: RINGER_STOP_CAUSE_CALLER
        case .replaced: RINGER_STOP_CAUSE_REPLACED
        case .disposed: RINGER_STOP_CAUSE_DISPOSED
        case .limited: RINGER_STOP_CAUSE_LIMITED
        case .skipped: RINGER_STOP_CAUSE_SKIPPED
        case .expired: RINGER_STOP_CAUSE_EXPIRED
        case .sessionDeactivated: RINGER_STOP_CAUSE_SESSION_DEACTIVATED
        case .sessionRemoved: RINGER_STOP_CAUSE_SESSION_REMOVED
        case .oldDeviceUnavailable: RINGER_STOP_CAUSE_OLD_DEVICE_UNAVAILABLE
        case .outputReleased: RINGER_STOP_CAUSE_OUTPUT_RELEASED
        case .closed: RINGER_STOP_CAUSE_CLOSED
        }
    }
}

extension ringer_session_event {
    /// What happened to a session.
    init(_ event: SessionEvent, of id: SessionID) {
        self.init()
        session = id.rawValue
        switch event {
        case .activated: change = RINGER_SESSION_ACTIVATED
        case .deactivated: change = RINGER_SESSION_DEACTIVATED
        case .interruptionBegan(let by):
            change = RINGER_SESSION_INTERRUPTION_BEGAN
            switch by {
            case .session(let other): (cause, cause_number) = (RINGER_CAUSE_SESSION, other.rawValue)
            case .outside(let interruption): (cause, cause_number) = (RINGER_CAUSE_OUTSIDE, interruption.rawValue)
            case .service: cause = RINGER_CAUSE_SERVICE
            }
        case .interruptionEnded(let shouldResume):
            change = RINGER_SESSION_INTERRUPTION_ENDED
            should_resume = shouldResume ? 1 : 0
        case .interruptionDropped(let reason):
            change = RINGER_SESSION_INTERRUPTION_DROPPED
            why =
                switch reason {
                case .answered: RINGER_DROP_ANSWERED.rawValue
                case .reactivated: RINGER_DROP_REACTIVATED.rawValue
                case .deactivated: RINGER_DROP_DEACTIVATED.rawValue
                case .removed: RINGER_DROP_REMOVED.rawValue
                }
        case .soundStopped(let reason):
            change = RINGER_SESSION_SOUND_STOPPED
            why =
                switch reason {
                case .interruption: RINGER_STOP_INTERRUPTION.rawValue
                case .deactivation: RINGER_STOP_DEACTIVATION.rawValue
                case .removal: RINGER_STOP_REMOVAL.rawValue
                case .oldDeviceUnavailable: RINGER_STOP_OLD_DEVICE_UNAVAILABLE.rawValue
                }
        case .ducked: change = RINGER_SESSION_DUCKED
        case .unducked: change = RINGER_SESSION_UNDUCKED
        case .settingsChanged: change = RINGER_SESSION_SETTINGS_CHANGED
        case .routeChanged(let routeChange):
            change = RINGER_SESSION_ROUTE_CHANGED
            why = routeChange.reason.rawValue
            old_route = routeChange.old.output?.constant ?? RINGER_ROUTE_NONE
            route = routeChange.new.output?.constant ?? RINGER_ROUTE_NONE
        case .audible: change = RINGER_SESSION_AUDIBLE
        case .silenced(let by):
            change = RINGER_SESSION_SILENCED
            reason = by.constant
        }
    }
}

extension ringer_state {
    init(_ state: DeviceState) {
        self.init()
        if let ringSilent = state.ringSilent { position = ringSilent.constant }
        route = state.route.constant
        switch_connected = state.isSwitchConnected ? 1 : 0
        switch_unreadable = state.isSwitchUnreadable ? 1 : 0
        screen_locked = state.isScreenLocked ? 1 : 0
        headphone = state.isHeadphoneInserted ? 1 : 0
        microphone = state.isMicrophoneInserted ? 1 : 0
        input_available = state.isInputAvailable == true ? 1 : 0
        kept_position = UInt8(state.keptPosition?.constant.rawValue ?? 0)
        quiet_hours = UInt8(state.quietHours?.constant.rawValue ?? 0)
        quiet_hours_until = state.quietHoursUntil ?? 0
        quiet_hours_volume = state.quietHoursVolume ?? -1
        quiet_hours_volume_until = state.quietHoursVolumeUntil ?? 0
        kept_position_until = state.keptPositionUntil ?? 0
        volume = state.outputVolume ?? -1
        position_at = state.ringSilentAt?.nanoseconds ?? 0
    }

    /// Whether no member differs.
    func isSame(as other: ringer_state) -> Bool {
        (position, route, volume, position_at) == (other.position, other.route, other.volume, other.position_at)
            && (switch_connected, switch_unreadable, screen_locked) == (
                other.switch_connected, other.switch_unreadable, other.screen_locked
            )
            && (headphone, microphone, input_available, kept_position) == (
                other.headphone, other.microphone, other.input_available, other.kept_position
            )
            && (quiet_hours, quiet_hours_until, kept_position_until) == (
                other.quiet_hours, other.quiet_hours_until, other.kept_position_until
            )
            && (quiet_hours_volume, quiet_hours_volume_until) == (
                other.quiet_hours_volume, other.quiet_hours_volume_until
            )
    }
}

extension ringer_effective_position {
    init(_ effective: EffectivePosition) {
        self.init()
        position = effective.position.constant
        silenced_by = effective.sources.reduce(0) { bits, source in
            switch source {
            case .ringSilentSwitch: bits | RINGER_SILENCED_BY_SWITCH
            case .keptPosition: bits | RINGER_SILENCED_BY_SOFTWARE
            case .quietHours: bits | RINGER_SILENCED_BY_QUIET_HOURS
            }
        }
        until = effective.until ?? 0
    }
}

extension ringer_preferences {
    init(_ preferences: UserPreferences) {
        self.init()
        vibrate_on_ring = preferences.vibrateOnRing ? 1 : 0
        vibrate_on_silent = preferences.vibrateOnSilent ? 1 : 0
        sound_effects = preferences.soundEffects ? 1 : 0
        haptics_while_recording = preferences.hapticsWhileRecording ? 1 : 0
        do_not_disturb = preferences.doNotDisturb ? 1 : 0
        routes_silenced = preferences.routesSilencedBySwitch.rawValue
        alert_volume = preferences.alertVolume
        when_switch_unreadable = preferences.whenSwitchUnreadable.constant
        quiet_hours_position = UInt8(preferences.quietHoursPosition.constant.rawValue)
        when_clock_unset = UInt8(preferences.whenClockUnset.constant.rawValue)
        alarms_ignore_silence = preferences.alarmsIgnoreSilence ? 1 : 0
        alarm_volume = preferences.alarmVolume
        announcement_volume = preferences.announcementVolume
        media_volume = preferences.mediaVolume
        call_volume = preferences.callVolume
        ducking_depth = preferences.duckingDepth
        ducking_down_ms = UInt16(clamping: preferences.duckingDown.milliseconds)
        ducking_up_ms = UInt16(clamping: preferences.duckingUp.milliseconds)
        alerts_during_call = UInt8(preferences.alertsDuringCall.constant.rawValue)
    }

    /// The preferences, if every field has a value that it may have. What the structure does not have is that of `current`.
    func checked(over current: UserPreferences) throws -> UserPreferences {
        func position(_ number: UInt8, or current: SwitchPosition) throws -> SwitchPosition {
            number == 0 ? current : try .of(ringer_position(rawValue: UInt32(number)), "position")
        }
        try withUnsafeBytes(of: reserved_at_end) { try RingerC.reserved($0, "preferences") }
        try withUnsafeBytes(of: reserved_after_call) { try RingerC.reserved($0, "preferences") }
        let volumes = [
            ("alert", alert_volume), ("alarm", alarm_volume), ("announcement", announcement_volume),
            ("media", media_volume), ("call", call_volume),
        ]
        for (name, volume) in volumes where !(0...1).contains(volume) {
            throw Failure(EINVAL, "the \(name) volume of \(volume) is not from 0 to 1")
        }
        guard UserPreferences.duckingDepths.contains(Double(ducking_depth)) else {
            throw Failure(EINVAL, "a ducking_depth of \(ducking_depth) is not from 0 to 50")
        }
        for (name, time) in [("ducking_down_ms", ducking_down_ms), ("ducking_up_ms", ducking_up_ms)]
        where time > UserPreferences.longestDucking.milliseconds {
            throw Failure(EINVAL, "a \(name) of \(time) is not from 0 to 2000")
        }
        let alertsDuringCall = ringer_alerts_during_call(rawValue: UInt32(alerts_during_call))
        guard routes_silenced < 1 << UInt8(AudioRoute.allCases.count) else {
            throw Failure(EINVAL, "0x\(String(routes_silenced, radix: 16)) has bits that are no route")
        }
        return UserPreferences(
            vibrateOnRing: try flag(vibrate_on_ring, "vibrate_on_ring"),
            vibrateOnSilent: try flag(vibrate_on_silent, "vibrate_on_silent"),
            soundEffects: try flag(sound_effects, "sound_effects"), alertVolume: alert_volume,
            hapticsWhileRecording: try flag(haptics_while_recording, "haptics_while_recording"),
            doNotDisturb: try flag(do_not_disturb, "do_not_disturb"),
            routesSilencedBySwitch: AudioRouteSet(rawValue: routes_silenced),
            whenSwitchUnreadable: try .of(when_switch_unreadable, "position"), quietHours: current.quietHours,
            quietHoursPosition: try position(quiet_hours_position, or: current.quietHoursPosition),
            whenClockUnset: try position(when_clock_unset, or: current.whenClockUnset),
            alarmsIgnoreSilence: try flag(alarms_ignore_silence, "alarms_ignore_silence"), alarmVolume: alarm_volume,
            announcementVolume: announcement_volume, mediaVolume: media_volume, callVolume: call_volume,
            duckingDepth: ducking_depth, duckingDown: .milliseconds(ducking_down_ms),
            duckingUp: .milliseconds(ducking_up_ms), alertsDuringCall: try .of(alertsDuringCall, "alerts_during_call"))
    }
}
