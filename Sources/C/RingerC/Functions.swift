// ringer.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Swift 6.2 implements those functions alone that the module exports.
@_exported import CRinger
import Glibc
import RingerLinux
import RingerTestKit

// MARK: The device

@_cdecl("ringer_device_open") @implementation public func ringer_device_open(
    _ config: OpaquePointer?, _ device: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    carryOut {
        let device = try required(device, "device")
        device.pointee = nil
        let values = try config.map { try ConfigurationHandle.at($0).values.withLock { $0 } }
        device.pointee = OpenDevice.pointer(to: try DeviceHandle(values ?? ConfigurationHandle.Values()))
    }
}

@_cdecl("ringer_device_close") @implementation public func ringer_device_close(_ device: OpaquePointer?) {
    guard let device else { return }
    // What a child of fork closed would be its parent's.
    OpenDevice.remove(device)?.close()
}

@_cdecl("ringer_device_close_on_termination") @implementation public func ringer_device_close_on_termination(
    _ device: OpaquePointer?
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).device.closeOnTermination()
    }
}

@_cdecl("ringer_device_get_fd") @implementation public func ringer_device_get_fd(_ device: OpaquePointer?) -> CInt {
    attempt { try DeviceHandle.at(device).queue.descriptor }
}

@_cdecl("ringer_device_read_event") @implementation public func ringer_device_read_event(
    _ device: OpaquePointer?, _ event: UnsafeMutablePointer<ringer_event>?, _ size: Int
) -> CInt {
    attempt {
        let handle = try DeviceHandle.at(device, toRead: true)
        let event = try Structure(event, size, "event")
        return handle.queue.next(event, { handle.device.state }, now: { handle.device.now }) ? 1 : 0
    }
}

@_cdecl("ringer_device_get_state") @implementation public func ringer_device_get_state(
    _ device: OpaquePointer?, _ state: UnsafeMutablePointer<ringer_state>?, _ size: Int
) -> CInt {
    carryOut {
        let handle = try DeviceHandle.at(device)
        try Structure(state, size, "state").write(ringer_state(handle.device.state))
    }
}

@_cdecl("ringer_device_set_screen_locked") @implementation public func ringer_device_set_screen_locked(
    _ device: OpaquePointer?, _ is_locked: CInt
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).device.setScreenLocked(is_locked != 0)
    }
}

@_cdecl("ringer_device_set_position") @implementation public func ringer_device_set_position(
    _ device: OpaquePointer?, _ position: ringer_position
) -> CInt {
    setPosition(device) { try .of(position, "position") }
}

@_cdecl("ringer_device_set_position_until") @implementation public func ringer_device_set_position_until(
    _ device: OpaquePointer?, _ position: ringer_position, _ until: Int64
) -> CInt {
    setPosition(device, until: until) { try .of(position, "position") }
}

@_cdecl("ringer_device_toggle_position") @implementation public func ringer_device_toggle_position(
    _ device: OpaquePointer?
) -> CInt {
    setPosition(device) { nil }
}

private func setPosition(
    _ device: OpaquePointer?, until: Int64? = nil, _ position: () throws -> SwitchPosition?
) -> CInt {
    carryOut {
        let (device, position) = (try DeviceHandle.at(device).device, try position())
        if let error = Device.wait({ device.setPosition(position, until: until, completion: $0) }) { throw error }
    }
}

@_cdecl("ringer_device_get_effective_position") @implementation public func ringer_device_get_effective_position(
    _ device: OpaquePointer?, _ effective: UnsafeMutablePointer<ringer_effective_position>?, _ size: Int
) -> CInt {
    carryOut {
        let device = try DeviceHandle.at(device).device
        try Structure(effective, size, "effective")
            .write(ringer_effective_position(device.state.effectivePosition(device.preferences)))
    }
}

@_cdecl("ringer_device_set_route") @implementation public func ringer_device_set_route(
    _ device: OpaquePointer?, _ route: ringer_route
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).device.setRoute(.of(route, "route"))
    }
}

@_cdecl("ringer_device_set_volume") @implementation public func ringer_device_set_volume(
    _ device: OpaquePointer?, _ volume: Float
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).device.setOutputVolume(volume)
    }
}

@_cdecl("ringer_device_set_light") @implementation public func ringer_device_set_light(
    _ device: OpaquePointer?, _ on_ms: UInt32, _ off_ms: UInt32
) -> CInt {
    carryOut {
        guard let light = try DeviceHandle.at(device).device.statusLight else {
            throw Failure(ENOENT, "the device has no status light")
        }
        guard max(on_ms, off_ms) <= 60_000 else { throw Failure(EINVAL, "a light blinks with at most 60000 ms") }
        let pattern: LightPattern =
            on_ms == 0
            ? .off : off_ms == 0 ? .on : .blinking(on: .milliseconds(on_ms), off: .milliseconds(off_ms))
        try light.show(pattern)
    }
}

@_cdecl("ringer_device_get_preferences") @implementation public func ringer_device_get_preferences(
    _ device: OpaquePointer?, _ preferences: UnsafeMutablePointer<ringer_preferences>?, _ size: Int
) -> CInt {
    carryOut {
        let handle = try DeviceHandle.at(device)
        try Structure(preferences, size, "preferences").write(ringer_preferences(handle.device.preferences))
    }
}

@_cdecl("ringer_device_set_preferences") @implementation public func ringer_device_set_preferences(
    _ device: OpaquePointer?, _ preferences: UnsafePointer<ringer_preferences>?, _ size: Int
) -> CInt {
    carryOut {
        let handle = try DeviceHandle.at(device)
        let current = handle.device.preferences
        let new = try Structure.read(preferences, size, "preferences", others: ringer_preferences(current))
        handle.device.preferences = try new.checked(over: current)
    }
}

@_cdecl("ringer_device_set_quiet_hours") @implementation public func ringer_device_set_quiet_hours(
    _ device: OpaquePointer?, _ spans: UnsafePointer<CChar>?
) -> CInt {
    carryOut {
        let device = try DeviceHandle.at(device).device
        var preferences = device.preferences
        do throws(QuietHoursError) {
            preferences.quietHours = try QuietHours(spans.map { String(cString: $0) } ?? "")
        } catch {
            throw Failure(EINVAL, "quiet hours: \(error)")
        }
        if let error = Device.wait({ [preferences] in device.setPreferences(preferences, completion: $0) }) {
            throw error
        }
    }
}

@_cdecl("ringer_device_get_quiet_hours") @implementation public func ringer_device_get_quiet_hours(
    _ device: OpaquePointer?, _ spans: UnsafeMutablePointer<CChar>?, _ size: Int
) -> CInt {
    attempt {
        let text = "\(try DeviceHandle.at(device).device.preferences.quietHours)"
        guard size >= 0, spans != nil || size == 0 else { throw Failure(EINVAL, "spans is NULL") }
        if size > 0 { copy(text, to: UnsafeMutableRawBufferPointer(start: spans, count: size)) }
        return CInt(text.utf8.count)
    }
}

@_cdecl("ringer_device_decide") @implementation public func ringer_device_decide(
    _ device: OpaquePointer?, _ kind: ringer_sound_kind, _ category: ringer_category, _ options: UInt32,
    _ decision: UnsafeMutablePointer<ringer_decision>?, _ size: Int
) -> CInt {
    carryOut {
        let handle = try DeviceHandle.at(device)
        let decision = try Structure(decision, size, "decision")
        let request: SoundRequest
        switch kind {
        case RINGER_SOUND_CATEGORY, RINGER_SOUND_ANNOUNCEMENT:
            let category = try AudioCategory.of(category, "category")
            let options = try CategoryOptions.of(options)
            guard category.allowedOptions.isSuperset(of: options) else {
                throw Failure(EINVAL, "the category \(category.rawValue) does not allow these options")
            }
            request = .session(
                category, options: options, announcement: kind == RINGER_SOUND_ANNOUNCEMENT ? .preferred : nil)
        case RINGER_SOUND_SYSTEM: request = .systemSound()
        case RINGER_SOUND_ALERT: request = .alert
        case RINGER_SOUND_NOTIFICATION: request = .notification()
        case RINGER_SOUND_ALARM: request = .alarm
        case RINGER_SOUND_CRITICAL_NOTIFICATION: request = .notification(isCritical: true)
        default: throw Failure(EINVAL, "\(kind.rawValue) is no kind of sound")
        }
        let value = handle.device.decide(request)
        var result = ringer_decision()
        result.felt = value.vibrates ? 1 : 0
        result.reason = value.reason.constant
        if case .play(let gain, let route, _, _) = value {
            result.heard = 1
            result.gain = gain
            result.route = route.constant
        }
        decision.write(result)
    }
}

// MARK: Requests

@_cdecl("ringer_device_register_sound") @implementation public func ringer_device_register_sound(
    _ device: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ sound: UnsafeMutablePointer<UInt32>?
) -> CInt {
    carryOut {
        let handle = try DeviceHandle.at(device)
        let sound = try required(sound, "sound")
        sound.pointee = try handle.device.sounds.register(try text(path, "path")).rawValue
    }
}

@_cdecl("ringer_device_dispose_sound") @implementation public func ringer_device_dispose_sound(
    _ device: OpaquePointer?, _ sound: UInt32
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).device.sounds.dispose(SystemSoundID(rawValue: sound))
    }
}

@_cdecl("ringer_device_notify") @implementation public func ringer_device_notify(
    _ device: OpaquePointer?, _ notification: UnsafePointer<ringer_notification>?, _ size: Int,
    _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        let handle = try DeviceHandle.at(device)
        let notification = try Structure.read(notification, size, "notification")
        try withUnsafeBytes(of: notification.reserved) { try reserved($0, "notification") }
        guard notification.volume <= 1 else {
            throw Failure(EINVAL, "a volume of \(notification.volume) is not at most 1")
        }
        let kind = try notification.sound.map { NotificationSound.Kind.named(try text($0, "sound")) } ?? .standard
        var sound = NotificationSound.standard(volume: notification.volume == 0 ? 1 : max(notification.volume, 0))
        sound.kind = kind
        sound.isCritical = try flag(notification.is_critical, "is_critical")
        let allowsCritical = try flag(notification.allows_critical, "allows_critical")
        let directory = try notification.directory.map { try text($0, "directory") }
        let bundle = try notification.bundle.map { try text($0, "bundle") }
        var container: ApplicationContainer?
        if directory != nil || bundle != nil || allowsCritical {
            // No file is found in a directory without a name.
            container = ApplicationContainer(directory ?? "", bundle: bundle, allowsCriticalAlerts: allowsCritical)
        }
        return try handle.notify(sound, container, id)
    }
}

@_cdecl("ringer_device_play_system_sound") @implementation public func ringer_device_play_system_sound(
    _ device: OpaquePointer?, _ sound: UInt32, _ as_alert: CInt, _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt { try DeviceHandle.at(device).playSystemSound(sound, asAlert: as_alert != 0, id) }
}

@_cdecl("ringer_device_announce") @implementation public func ringer_device_announce(
    _ device: OpaquePointer?, _ paths: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ category: ringer_category,
    _ options: UInt32, _ priority: Int32, _ expiry_ms: UInt32, _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        try DeviceHandle.at(device).announce(
            ringer_announcement(
                paths: paths, count: count, category: category, options: options, priority: priority,
                expiry_ms: expiry_ms, volume: 0, reserved: (0, 0, 0, 0)), id)
    }
}

@_cdecl("ringer_device_queue_announcement") @implementation public func ringer_device_queue_announcement(
    _ device: OpaquePointer?, _ announcement: UnsafePointer<ringer_announcement>?, _ size: Int,
    _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        try DeviceHandle.at(device).announce(try Structure.read(announcement, size, "announcement"), id)
    }
}

extension DeviceHandle {
    fileprivate func announce(_ order: ringer_announcement, _ id: UnsafeMutablePointer<UInt64>?) throws -> CInt {
        try withUnsafeBytes(of: order.reserved) { try reserved($0, "announcement") }
        guard order.volume <= 1 else { throw Failure(EINVAL, "a volume of \(order.volume) is not at most 1") }
        let paths = try required(order.paths, "paths")
        guard (1...10_000).contains(order.count) else {
            throw Failure(EINVAL, "an announcement has 1 to 10000 clips")
        }
        var clips: [PCMBuffer] = []
        for index in 0..<order.count { clips.append(try SoundLoader.load(try text(paths[index], "path"))) }
        let announcement = try Announcement(
            joining: clips, category: .of(order.category, "category"), options: .of(order.options),
            priority: Int(order.priority), expiry: order.expiry_ms == 0 ? nil : .milliseconds(order.expiry_ms),
            volume: order.volume == 0 ? nil : max(order.volume, 0))
        return try announce(announcement, id)
    }
}

@_cdecl("ringer_device_pause_announcements") @implementation public func ringer_device_pause_announcements(
    _ device: OpaquePointer?, _ is_paused: CInt
) -> CInt {
    carryOut {
        let announcements = try DeviceHandle.at(device).device.announcements
        if is_paused != 0 { announcements.pause() } else { announcements.resume() }
    }
}

@_cdecl("ringer_device_skip_announcement") @implementation public func ringer_device_skip_announcement(
    _ device: OpaquePointer?
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).device.announcements.skip()
    }
}

@_cdecl("ringer_device_repeat_announcement") @implementation public func ringer_device_repeat_announcement(
    _ device: OpaquePointer?, _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt { try DeviceHandle.at(device).repeatAnnouncement(id) }
}

@_cdecl("ringer_device_alert") @implementation public func ringer_device_alert(
    _ device: OpaquePointer?, _ alert: UnsafePointer<ringer_alert>?, _ size: Int, _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        let handle = try DeviceHandle.at(device)
        let alert = try Structure.read(alert, size, "alert")
        let vibration = try alert.times_ms.map { times_ms in
            let pulses = try pulses(times_ms, alert.count)
            return try VibrationPattern(pulses: pulses, strength: alert.strength == 0 ? 1 : alert.strength)
        }
        return try handle.alert(
            alert.sound, kind: .of(alert.kind, "kind"), way: .of(alert.way, "way"),
            limit: alert.limit_ms == 0 ? nil : .milliseconds(alert.limit_ms),
            vibration: vibration, pause: .milliseconds(alert.pause_ms), id)
    }
}

@_cdecl("ringer_device_vibrate") @implementation public func ringer_device_vibrate(
    _ device: OpaquePointer?, _ times_ms: UnsafePointer<UInt32>?, _ count: Int, _ strength: Float, _ times: UInt32,
    _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        let handle = try DeviceHandle.at(device)
        let pulses = try pulses(try required(times_ms, "times_ms"), count)
        let pattern = try VibrationPattern(
            pulses: pulses, strength: strength, repetition: times == 0 ? .untilStopped : .times(Int(clamping: times)))
        return try handle.vibrate(pattern, id)
    }
}

/// The pulses of times on and off, in milliseconds.
private func pulses(_ times_ms: UnsafePointer<UInt32>, _ count: Int) throws -> [VibrationPattern.Pulse] {
    guard (1...1000).contains(count) else { throw Failure(EINVAL, "a pattern has 1 to 1000 times") }
    let durations = try UnsafeBufferPointer(start: times_ms, count: count).map { time in
        guard time <= 3_600_000 else { throw Failure(EINVAL, "\(time) ms are longer than 3600000 ms") }
        return Duration.milliseconds(time)
    }
    return stride(from: 0, to: count, by: 2).map { index in
        VibrationPattern.Pulse(on: durations[index], off: index + 1 < count ? durations[index + 1] : .zero)
    }
}

@_cdecl("ringer_device_detect") @implementation public func ringer_device_detect(
    _ device: OpaquePointer?, _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt { try DeviceHandle.at(device).detect(id) }
}

@_cdecl("ringer_device_stop") @implementation public func ringer_device_stop(
    _ device: OpaquePointer?, _ id: UInt64
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).stop(id)
    }
}

@_cdecl("ringer_device_stop_all") @implementation public func ringer_device_stop_all(_ device: OpaquePointer?) -> CInt {
    carryOut {
        try DeviceHandle.at(device).stopAll()
    }
}

@_cdecl("ringer_device_release_output") @implementation public func ringer_device_release_output(
    _ device: OpaquePointer?, _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt { try DeviceHandle.at(device).releaseOutput(id) }
}
