// ringer.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CRinger
import Glibc
import RingerLinux
import Synchronization

/// What `struct ringer_config` is. Any thread.
final class ConfigurationHandle: Sendable {
    struct Values: Sendable {
        var board = RINGER_BOARD_AUTO
        var hardware = Device.Hardware()
        var configuration = Device.Configuration()

        /// Whether it names a part of this process's hardware.
        var namesParts: Bool {
            hardware.ringSilent != nil || hardware.motor != nil || hardware.statusLight != nil || hardware.pcm != nil
                || !hardware.routes.isEmpty || hardware.card != nil || hardware.volumeElement != nil
        }
    }

    let values = Mutex(Values())

    /// The configuration at `pointer`, which `ringer_config_new` made.
    static func at(_ pointer: OpaquePointer?) throws -> ConfigurationHandle {
        try object(pointer, "config")
    }
}

/// Changes a configuration.
private func change(_ config: OpaquePointer?, _ body: (inout ConfigurationHandle.Values) throws -> Void) -> CInt {
    carryOut {
        try ConfigurationHandle.at(config).values.withLock { values in
            // What fails changes nothing.
            var changed = values
            try body(&changed)
            values = changed
        }
    }
}

@_cdecl("ringer_config_new") @implementation public func ringer_config_new() -> OpaquePointer? {
    OpaquePointer(Unmanaged.passRetained(ConfigurationHandle()).toOpaque())
}

@_cdecl("ringer_config_free") @implementation public func ringer_config_free(_ config: OpaquePointer?) {
    guard let config else { return }
    // SAFETY: the reference that ringer_config_new retained.
    Unmanaged<ConfigurationHandle>.fromOpaque(UnsafeRawPointer(config)).release()
}

@_cdecl("ringer_config_set_board") @implementation public func ringer_config_set_board(
    _ config: OpaquePointer?, _ board: ringer_board
) -> CInt {
    change(config) { values in
        guard board.rawValue <= RINGER_BOARD_SIMULATED_REAL_TIME.rawValue else {
            throw Failure(EINVAL, "\(board.rawValue) is no board")
        }
        values.board = board
    }
}

@_cdecl("ringer_config_set_switch") @implementation public func ringer_config_set_switch(
    _ config: OpaquePointer?, _ specification: UnsafePointer<CChar>?
) -> CInt {
    change(config) { $0.hardware.ringSilent = try SwitchSpecification(try text(specification, "specification")) }
}

@_cdecl("ringer_config_set_volume_keys") @implementation public func ringer_config_set_volume_keys(
    _ config: OpaquePointer?, _ are_followed: CInt
) -> CInt {
    change(config) { $0.hardware.volumeKeys = are_followed != 0 }
}

@_cdecl("ringer_config_set_motor") @implementation public func ringer_config_set_motor(
    _ config: OpaquePointer?, _ specification: UnsafePointer<CChar>?
) -> CInt {
    change(config) { $0.hardware.motor = try MotorSpecification(try text(specification, "specification")) }
}

@_cdecl("ringer_config_set_status_light") @implementation public func ringer_config_set_status_light(
    _ config: OpaquePointer?, _ led: UnsafePointer<CChar>?
) -> CInt {
    change(config) { $0.hardware.statusLight = try text(led, "led") }
}

@_cdecl("ringer_config_set_position_file") @implementation public func ringer_config_set_position_file(
    _ config: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ initial: ringer_position
) -> CInt {
    change(config) {
        $0.configuration.positionFile = try text(path, "path")
        $0.configuration.initialPosition = try .of(initial, "initial")
    }
}

@_cdecl("ringer_config_set_pcm") @implementation public func ringer_config_set_pcm(
    _ config: OpaquePointer?, _ pcm: UnsafePointer<CChar>?
) -> CInt {
    change(config) { $0.hardware.pcm = try text(pcm, "pcm") }
}

@_cdecl("ringer_config_set_route_pcm") @implementation public func ringer_config_set_route_pcm(
    _ config: OpaquePointer?, _ route: ringer_route, _ pcm: UnsafePointer<CChar>?
) -> CInt {
    change(config) { $0.hardware.routes[try .of(route, "route")] = try text(pcm, "pcm") }
}

@_cdecl("ringer_config_set_mixer") @implementation public func ringer_config_set_mixer(
    _ config: OpaquePointer?, _ card: UnsafePointer<CChar>?, _ element: UnsafePointer<CChar>?
) -> CInt {
    change(config) { values in
        values.hardware.card = try card.map { try text($0, "card") }
        values.hardware.volumeElement = try element.map { try text($0, "element") }
    }
}

@_cdecl("ringer_config_set_following") @implementation public func ringer_config_set_following(
    _ config: OpaquePointer?, _ sources: UInt32
) -> CInt {
    change(config) { values in
        guard let bits = UInt8(exactly: sources), Device.Hardware.Following.all.isSuperset(of: .init(rawValue: bits))
        else { throw Failure(EINVAL, "0x\(String(sources, radix: 16)) has bits that are nothing to follow") }
        values.hardware.following = Device.Hardware.Following(rawValue: bits)
    }
}

@_cdecl("ringer_config_set_real_time_priority") @implementation public func ringer_config_set_real_time_priority(
    _ config: OpaquePointer?, _ priority: CInt
) -> CInt {
    change(config) { values in
        guard (0...99).contains(priority) else {
            throw Failure(EINVAL, "a priority of \(priority) is not from 0 to 99")
        }
        values.hardware.realTimePriority = priority == 0 ? nil : Int(priority)
    }
}

@_cdecl("ringer_config_set_busy_patience") @implementation public func ringer_config_set_busy_patience(
    _ config: OpaquePointer?, _ milliseconds: UInt32
) -> CInt {
    change(config) { $0.hardware.busyPatience = .milliseconds(milliseconds) }
}

@_cdecl("ringer_config_set_linger") @implementation public func ringer_config_set_linger(
    _ config: OpaquePointer?, _ milliseconds: UInt32
) -> CInt {
    change(config) { $0.hardware.linger = .milliseconds(milliseconds) }
}

@_cdecl("ringer_config_set_own_microphone") @implementation public func ringer_config_set_own_microphone(
    _ config: OpaquePointer?, _ has_microphone: CInt
) -> CInt {
    change(config) { $0.hardware.hasOwnMicrophone = has_microphone != 0 }
}

@_cdecl("ringer_config_set_behaviour") @implementation public func ringer_config_set_behaviour(
    _ config: OpaquePointer?, _ behaviour: UnsafePointer<ringer_behaviour>?, _ size: Int
) -> CInt {
    change(config) { values in
        let behaviour = try Structure.read(behaviour, size, "behaviour")
        try withUnsafeBytes(of: behaviour.reserved) { try reserved($0, "behaviour") }
        func duration(_ number: UInt32, or standard: Duration) -> Duration {
            number == 0 ? standard : .milliseconds(number)
        }
        var configuration = Device.Configuration()
        let (detector, notifications) = (configuration.detector, configuration.notifications)
        configuration.longestOnTime = duration(behaviour.longest_on_ms, or: configuration.longestOnTime)
        configuration.detector = try MuteDetector.Configuration(
            clip: duration(behaviour.detector_clip_ms, or: detector.clip),
            threshold: duration(behaviour.detector_threshold_ms, or: detector.threshold),
            deadline: duration(behaviour.detector_deadline_ms, or: detector.deadline),
            attempts: behaviour.detector_attempts == 0 ? detector.attempts : Int(clamping: behaviour.detector_attempts),
            sampleRate: behaviour.detector_rate == 0 ? detector.sampleRate : Double(behaviour.detector_rate))
        if behaviour.sound_memory > 0 { configuration.sounds.cacheLimit = Int(clamping: behaviour.sound_memory) }
        configuration.notifications = NotificationSounds.Configuration(
            standard: behaviour.notification_sound == 0
                ? notifications.standard : SystemSoundID(rawValue: behaviour.notification_sound),
            standardCritical: behaviour.critical_sound == 0
                ? notifications.standardCritical : SystemSoundID(rawValue: behaviour.critical_sound))
        values.configuration = configuration
    }
}
