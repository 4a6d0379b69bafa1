// ringer.h documents these functions, of the simulated board.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CRinger
import Glibc
import RingerLinux
import RingerTestKit

@_cdecl("ringer_simulated_set_position") @implementation public func ringer_simulated_set_position(
    _ device: OpaquePointer?, _ position: ringer_position
) -> CInt {
    carryOut {
        let board = try DeviceHandle.at(device).simulated()
        board.ringSilent.position = try .of(position, "position")
    }
}

@_cdecl("ringer_simulated_set_headphone") @implementation public func ringer_simulated_set_headphone(
    _ device: OpaquePointer?, _ is_inserted: CInt
) -> CInt {
    carryOut {
        let board = try DeviceHandle.at(device).simulated()
        board.surroundings.set(.headphoneInserted(is_inserted != 0))
    }
}

@_cdecl("ringer_simulated_press_key") @implementation public func ringer_simulated_press_key(
    _ device: OpaquePointer?, _ key: ringer_key
) -> CInt {
    carryOut {
        let board = try DeviceHandle.at(device).simulated()
        let key = try DeviceKey.of(key, "key")
        board.keys.press(key)
        board.keys.release(key)
    }
}

@_cdecl("ringer_simulated_set_wall_time") @implementation public func ringer_simulated_set_wall_time(
    _ device: OpaquePointer?, _ seconds: Int64
) -> CInt {
    carryOut {
        let clock = try virtualClock(device)
        guard (0...1 << 40).contains(seconds) else { throw Failure(EINVAL, "\(seconds) s are not from 0 to 2^40") }
        clock.setWallTime(.seconds(seconds))
    }
}

@_cdecl("ringer_simulated_set_time_zone") @implementation public func ringer_simulated_set_time_zone(
    _ device: OpaquePointer?, _ rules: UnsafePointer<CChar>?
) -> CInt {
    carryOut {
        let board = try DeviceHandle.at(device).simulated()
        try board.timeZone.set(try text(rules, "rules"))
    }
}

private func virtualClock(_ device: OpaquePointer?) throws -> VirtualClock {
    guard let clock = try DeviceHandle.at(device).simulated().clock as? VirtualClock else {
        throw Failure(ENOTSUP, "the simulated board runs in real time")
    }
    return clock
}

@_cdecl("ringer_simulated_advance") @implementation public func ringer_simulated_advance(
    _ device: OpaquePointer?, _ microseconds: UInt64
) -> CInt {
    carryOut {
        let clock = try virtualClock(device)
        guard microseconds <= 1 << 50 else { throw Failure(EINVAL, "\(microseconds) us are more than 2^50") }
        clock.advance(by: .microseconds(Int64(microseconds)))
    }
}

@_cdecl("ringer_simulated_get_recordings") @implementation public func ringer_simulated_get_recordings(
    _ device: OpaquePointer?, _ recordings: UnsafeMutablePointer<ringer_recording>?, _ size: Int, _ count: Int
) -> CInt {
    attempt {
        let board = try DeviceHandle.at(device).simulated()
        guard count >= 0 else { throw Failure(EINVAL, "\(UInt(bitPattern: count)) recordings are too many") }
        if count > 0 {
            let array = try Structure(recordings, size, "recordings")
            for (index, recording) in board.speaker.recordings.suffix(count).enumerated() {
                array.write(ringer_recording(recording), at: index)
            }
        }
        return CInt(clamping: board.speaker.recordingCount)
    }
}

@_cdecl("ringer_simulated_is_motor_on") @implementation public func ringer_simulated_is_motor_on(
    _ device: OpaquePointer?
) -> CInt {
    attempt { try DeviceHandle.at(device).simulated().motor.isOn ? 1 : 0 }
}

extension ringer_recording {
    init(_ recording: SimulatedSoundOutput.Recording) {
        self.init()
        started_at = recording.start?.nanoseconds ?? 0
        ended_at = recording.end?.nanoseconds ?? 0
        frames = UInt64(clamping: recording.sound.frames)
        frames_played = UInt64(clamping: recording.framesPlayed)
        rate = UInt32(recording.sound.sampleRate)
        channels = UInt32(clamping: recording.sound.channels)
        route = recording.route.constant
    }
}
