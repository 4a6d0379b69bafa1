// The rules: whether a sound is heard, silenced, or felt.
//
// A pure function: the same values give the same decision, without allocation. All decisions are made here.

/// Decides whether `request` is heard, silenced or felt.
///
/// - Parameters:
///   - request: The sound.
///   - state: The current state of the device. The most silent one of the switch, the kept position and the quiet hours
///     counts; without any of them the device is at ring. A switch that cannot be read counts as
///     ``UserPreferences/whenSwitchUnreadable``.
///   - preferences: The user's preferences.
/// - Returns: Whether the sound is heard, silenced, or felt, and why.
public func decide(
    _ request: SoundRequest, state: DeviceState = DeviceState(), preferences: UserPreferences = UserPreferences()
) -> Decision {
    switch request {
    case .vibration:
        return .vibrate(.vibrationRequested)
    case .session(let category, let options, let isInterrupted, let isInBackground, let isAlarm, let announcement):
        let gain = sessionGain(kind: request.kind, announcement, state, preferences)
        return decideSession(
            category, options, gain: gain, isInterrupted, isInBackground, isAlarm, state, preferences)
    case .systemSound(let isUISound):
        if isUISound && !preferences.soundEffects { return .silence(.soundEffectsOff) }
        let heard = audibility(on: state.route, state, preferences)
        return heard.isHeard
            ? .play(gain: 1, route: state.route, vibrates: false, heard.reason) : .silence(heard.reason)
    case .alert:
        let gain = preferences[volumeOf: .alert]
        return duringCall(decideAlert(gain: gain, isCritical: false, state, preferences), state, preferences)
    case .alarm:
        return decideAlarm(state, preferences)
    case .notification(let volume, let isCritical):
        // A critical sound has the volume that its sender chose; the user's alert volume applies to the others.
        let gain = clamped(volume) * (isCritical ? 1 : preferences[volumeOf: .alert])
        let decision = decideAlert(gain: gain, isCritical: isCritical, state, preferences)
        return isCritical ? decision : duringCall(decision, state, preferences)
    }
}

/// The route on which a session of `category` is heard when the device's output is `route`: a call is heard from the
/// receiver instead of the speaker, if the device has one, unless ``CategoryOptions/defaultToSpeaker`` is set.
package func route(
    for category: AudioCategory, options: CategoryOptions, deviceRoute route: AudioRoute, hasReceiver: Bool = true
) -> AudioRoute {
    let isCallOnSpeaker = category == .playAndRecord && route == .speaker
    return isCallOnSpeaker && hasReceiver && !options.contains(.defaultToSpeaker) ? .receiver : route
}

private func decideSession(
    _ category: AudioCategory, _ options: CategoryOptions, gain: Float, _ isInterrupted: Bool, _ isInBackground: Bool,
    _ isAlarm: Bool, _ state: DeviceState, _ preferences: UserPreferences
) -> Decision {
    let ignoresSilence = isAlarm && preferences.alarmsIgnoreSilence
    guard category.plays else { return .silence(.categoryDoesNotPlay) }
    if isInterrupted { return .silence(.interruption) }
    if isInBackground && category.isSilencedBySwitch { return .silence(.background) }
    if state.sessions.contains(.silencesPlayback) && !ignoresSilence { return .silence(.sessionSilencesPlayback) }
    let route = route(
        for: category, options: options, deviceRoute: state.route, hasReceiver: state.hasReceiver)
    guard category.isSilencedBySwitch || options.contains(.honoursRingSilentSwitch) else {
        return gain == 0
            ? .silence(.volumeZero) : .play(gain: gain, route: route, vibrates: false, .categoryIgnoresSwitch)
    }
    let isLockedOut = state.isScreenLocked && category.isSilencedBySwitch
    if isLockedOut && !ignoresSilence { return .silence(.screenLock) }
    let heard = audibility(on: route, state, preferences)
    guard heard.isHeard || ignoresSilence else { return .silence(heard.reason) }
    if gain == 0 { return .silence(.volumeZero) }
    return .play(gain: gain, route: route, vibrates: false, heard.isHeard && !isLockedOut ? heard.reason : .alarm)
}

private func decideAlert(
    gain: Float, isCritical: Bool, _ state: DeviceState, _ preferences: UserPreferences
) -> Decision {
    if preferences.doNotDisturb && !isCritical { return .silence(.doNotDisturb) }
    let vibrates =
        switch state.position(preferences) {
        case .ring, nil: preferences.vibrateOnRing
        case .vibrate: true
        case .silent: preferences.vibrateOnSilent
        }
    let mayVibrate = vibrates && (preferences.hapticsWhileRecording || !state.sessions.contains(.records))
    var heard = audibility(on: state.route, state, preferences)
    switch heard.reason {
    case .ringSilentSwitch, .switchUnreadable, .softwareSilent, .quietHours: if isCritical { heard = (true, .critical) }
    default: break
    }
    if heard.isHeard && gain == 0 { heard = (false, .volumeZero) }
    if heard.isHeard {
        return .play(gain: gain, route: state.route, vibrates: mayVibrate, heard.reason)
    }
    return mayVibrate ? .vibrate(heard.reason) : .silence(heard.reason)
}

private func decideAlarm(_ state: DeviceState, _ preferences: UserPreferences) -> Decision {
    let gain = alarmGain(preferences)
    guard preferences.alarmsIgnoreSilence else {
        return decideAlert(gain: gain, isCritical: false, state, preferences)
    }
    if gain == 0 { return .vibrate(.volumeZero) }
    let heard = audibility(on: state.route, state, preferences)
    let isHeardAnyway = heard.isHeard && !preferences.doNotDisturb
    return .play(gain: gain, route: state.route, vibrates: true, isHeardAnyway ? heard.reason : .alarm)
}

/// How loud a sound of a session is: its kind's volume, and that of the quiet hours for announcements and media.
private func sessionGain(
    kind: SoundKind?, _ announcement: AnnouncementVolume?, _ state: DeviceState, _ preferences: UserPreferences
) -> Float {
    switch (kind, announcement) {
    case (.alarm, _): alarmGain(preferences)
    case (.call, _): preferences[volumeOf: .call]
    case (.announcement, .own(let volume)): clamped(volume) * clamped(state.quietHoursVolume ?? 1)
    case (.announcement, _): preferences[volumeOf: .announcement] * clamped(state.quietHoursVolume ?? 1)
    default: preferences[volumeOf: .media] * clamped(state.quietHoursVolume ?? 1)
    }
}

/// An alarm is heard well, or not at all.
private func alarmGain(_ preferences: UserPreferences) -> Float {
    let volume = preferences[volumeOf: .alarm]
    return volume == 0 ? 0 : max(volume, UserPreferences.lowestAlarmVolume)
}

/// Whether a sound that honours the switch is heard on `route`.
private func audibility(
    on route: AudioRoute, _ state: DeviceState, _ preferences: UserPreferences
) -> (isHeard: Bool, reason: Decision.Reason) {
    if state.sessions.contains(.silencesPlayback) { return (false, .sessionSilencesPlayback) }
    guard let position = state.position(preferences) else { return (true, .noSwitch) }
    let isRead = state.ringSilent != nil || !state.isSwitchUnreadable
    guard position.silences else { return (true, isRead ? .switchAtRing : .switchUnreadable) }
    guard preferences.routesSilencedBySwitch.contains(route) else { return (true, .routeIgnoresSwitch) }
    if state.ringSilent?.silences == true { return (false, .ringSilentSwitch) }
    if state.switchPosition(preferences)?.silences == true { return (false, .switchUnreadable) }
    return (false, state.keptPosition?.silences == true ? .softwareSilent : .quietHours)
}
