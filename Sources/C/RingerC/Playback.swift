// ringer.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CRinger
import Glibc
import RingerLinux
import SystemPackage

@_cdecl("ringer_device_play_file") @implementation public func ringer_device_play_file(
    _ device: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ category: ringer_category, _ options: UInt32,
    _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        let handle = try DeviceHandle.at(device)
        let sound = try SoundLoader.load(try text(path, "path"))
        return try handle.play(sound, .category(.of(category, "category"), .of(options)), id)
    }
}

@_cdecl("ringer_device_play") @implementation public func ringer_device_play(
    _ device: OpaquePointer?, _ playback: UnsafePointer<ringer_playback>?, _ size: Int,
    _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        let handle = try DeviceHandle.at(device)
        let playback = try Structure.read(playback, size, "playback")
        try withUnsafeBytes(of: playback.reserved) { try reserved($0, "playback") }
        let (place, session) = try playback.place(on: handle)
        guard playback.gain <= 1 else { throw Failure(EINVAL, "a gain of \(playback.gain) is not at most 1") }
        let sound = try playback.sound()
        let most = SoundManner.most(of: sound)
        let manner = SoundManner(
            first: min(Int(clamping: UInt(bitPattern: playback.first_frame)), sound.frames),
            rounds: playback.loops < 0 ? most : min(Int(playback.loops) + 1, most),
            volume: playback.gain == 0 ? 1 : max(playback.gain, 0))
        return try handle.play(sound, in: manner, isEndless: playback.loops < 0, place, of: session, id)
    }
}

extension ringer_playback {
    /// What it is played in, and the session of that.
    fileprivate func place(on device: DeviceHandle) throws -> (PlayedSound.Place, AudioSession?) {
        guard let session else {
            return (.category(try .of(category, "category"), try .of(options)), nil)
        }
        let handle = try SessionHandle.at(session)
        guard handle.device === device else { throw Failure(EINVAL, "the session is another device's") }
        return (.session(handle.session.id), handle.session)
    }

    /// The sound that it names.
    fileprivate func sound() throws -> PCMBuffer {
        switch (path, samples) {
        case (let path?, nil): return try SoundLoader.load(try text(path, "path"))
        case (nil, let samples?): return try pcm(samples, frames, channels, rate)
        case (nil, nil): return try SoundLoader.load(FileDescriptor(rawValue: fd))
        default: throw Failure(EINVAL, "playback has a path and samples")
        }
    }
}

/// A copy of samples.
private func pcm(
    _ samples: UnsafePointer<Int16>, _ frames: Int, _ channels: UInt32, _ rate: UInt32
) throws -> PCMBuffer {
    guard (1...32).contains(channels), (1_000...768_000).contains(rate) else {
        throw Failure(
            EINVAL, "\(channels) channels at \(rate) Hz: 1 to 32 channels at 1000 to 768000 Hz are played")
    }
    // An hour of two channels at 48 kHz.
    guard frames >= 0, frames <= 172_800_000, frames <= 345_600_000 / Int(channels) else {
        throw Failure(E2BIG, "\(UInt(bitPattern: frames)) frames are too many")
    }
    let copy = [Int16](UnsafeBufferPointer(start: samples, count: frames * Int(channels)))
    return PCMBuffer(sampleRate: Double(rate), channels: Int(channels), samples: copy)
}

@_cdecl("ringer_device_pause") @implementation public func ringer_device_pause(
    _ device: OpaquePointer?, _ id: UInt64, _ is_paused: CInt
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).played(by: id).pause(is_paused != 0)
    }
}

@_cdecl("ringer_device_set_gain") @implementation public func ringer_device_set_gain(
    _ device: OpaquePointer?, _ id: UInt64, _ gain: Float
) -> CInt {
    carryOut {
        let handle = try DeviceHandle.at(device)
        let played = try handle.played(by: id)
        guard (0...1).contains(gain) else { throw Failure(EINVAL, "a gain of \(gain) is not from 0 to 1") }
        played.setVolume(gain)
    }
}

@_cdecl("ringer_device_get_position") @implementation public func ringer_device_get_position(
    _ device: OpaquePointer?, _ id: UInt64, _ frame: UnsafeMutablePointer<UInt64>?
) -> CInt {
    carryOut {
        let handle = try DeviceHandle.at(device)
        let frame = try required(frame, "frame")
        frame.pointee = UInt64(clamping: try handle.played(by: id).frame(at: handle.device.clock.now))
    }
}
