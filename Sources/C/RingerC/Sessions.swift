// ringer.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CRinger
import FourCharacterCodes
import Glibc
import RingerLinux
import SessionProperties

/// What `struct ringer_session` is. It keeps its device's memory, so that it can be freed after the device was closed.
/// Any thread.
final class SessionHandle: Sendable {
    let session: AudioSession
    let device: DeviceHandle

    init(_ session: AudioSession, of device: DeviceHandle) {
        self.session = session
        self.device = device
        device.add(session)
    }

    deinit {
        device.remove(session)
    }

    /// The session at `pointer`, which `ringer_session_new` made.
    static func at(_ pointer: OpaquePointer?) throws -> SessionHandle {
        let handle: SessionHandle = try object(pointer, "session")
        try handle.device.check()
        return handle
    }
}

@_cdecl("ringer_session_new") @implementation public func ringer_session_new(
    _ device: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ category: ringer_category, _ options: UInt32,
    _ priority: Int32, _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    carryOut {
        let session = try required(session, "session")
        session.pointee = nil
        let handle = try DeviceHandle.at(device)
        let made = try handle.device.sessions.make(
            name: try name.map { try text($0, "name") } ?? "", category: .of(category, "category"),
            options: .of(options), priority: SessionPriority(rawValue: Int(priority)))
        session.pointee = OpaquePointer(Unmanaged.passRetained(SessionHandle(made, of: handle)).toOpaque())
    }
}

@_cdecl("ringer_session_free") @implementation public func ringer_session_free(_ session: OpaquePointer?) {
    guard let session else { return }
    // SAFETY: the reference that ringer_session_new retained.
    let handle = Unmanaged<SessionHandle>.fromOpaque(UnsafeRawPointer(session))
    // A child of fork must not remove its parent's session.
    if handle.takeUnretainedValue().device.process.isCurrent { handle.release() }
}

@_cdecl("ringer_session_get_number") @implementation public func ringer_session_get_number(
    _ session: OpaquePointer?
) -> UInt64 {
    (try? SessionHandle.at(session).session.id.rawValue) ?? 0
}

@_cdecl("ringer_session_activate") @implementation public func ringer_session_activate(
    _ session: OpaquePointer?, _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        let handle = try SessionHandle.at(session)
        return try handle.device.begin(id) { number in
            handle.session.activate { [weak device = handle.device] in device?.answered(number, $0) }
            return .unstoppable
        }
    }
}

@_cdecl("ringer_session_deactivate") @implementation public func ringer_session_deactivate(
    _ session: OpaquePointer?, _ resume_others: CInt, _ id: UnsafeMutablePointer<UInt64>?
) -> CInt {
    attempt {
        let handle = try SessionHandle.at(session)
        return try handle.device.begin(id) { number in
            handle.session.deactivate(notifyOthers: resume_others != 0) { [weak device = handle.device] in
                device?.answered(number, $0)
            }
            return .unstoppable
        }
    }
}

@_cdecl("ringer_session_set_category") @implementation public func ringer_session_set_category(
    _ session: OpaquePointer?, _ category: ringer_category, _ options: UInt32
) -> CInt {
    carryOut {
        try SessionHandle.at(session).session.setCategory(.of(category, "category"), options: .of(options))
    }
}

@_cdecl("ringer_session_set_spoken") @implementation public func ringer_session_set_spoken(
    _ session: OpaquePointer?, _ is_spoken: CInt
) -> CInt {
    carryOut {
        try SessionHandle.at(session).session.setSpoken(is_spoken != 0)
    }
}

@_cdecl("ringer_session_set_in_background") @implementation public func ringer_session_set_in_background(
    _ session: OpaquePointer?, _ is_in_background: CInt
) -> CInt {
    carryOut {
        try SessionHandle.at(session).session.setInBackground(is_in_background != 0)
    }
}

@_cdecl("ringer_session_get_state") @implementation public func ringer_session_get_state(
    _ session: OpaquePointer?, _ state: UnsafeMutablePointer<ringer_session_state>?, _ size: Int
) -> CInt {
    carryOut {
        let session = try SessionHandle.at(session).session
        let state = try Structure(state, size, "state")
        guard let now = session.state else { throw DeviceHandle.closed }
        var result = ringer_session_state()
        result.number = session.id.rawValue
        result.phase = now.phase.constant
        result.category = now.settings.category.constant
        result.options = now.settings.options.rawValue
        result.priority = Int32(clamping: now.priority.rawValue)
        result.route = now.route.output?.constant ?? RINGER_ROUTE_NONE
        result.input = now.route.input?.constant ?? RINGER_INPUT_NONE
        result.is_audible = session.isAudible ? 1 : 0
        result.is_ducked = now.isDucked ? 1 : 0
        result.is_spoken = now.settings.isSpoken ? 1 : 0
        result.is_in_background = now.isInBackground ? 1 : 0
        result.is_other_audio_playing = session.isOtherAudioPlaying ? 1 : 0
        state.write(result)
    }
}

@_cdecl("ringer_session_get_property") @implementation public func ringer_session_get_property(
    _ session: OpaquePointer?, _ property: ringer_property, _ value: UnsafeMutableRawPointer?,
    _ size: UnsafeMutablePointer<Int>?
) -> CInt {
    carryOut {
        let session = try SessionHandle.at(session).session
        let size = try required(size, "size")
        let bytes = try session.value(of: FourCharacterCode(rawValue: property.rawValue)).bytes
        let room = size.pointee
        size.pointee = bytes.count
        guard room >= bytes.count else {
            throw Failure(EMSGSIZE, "the property needs \(bytes.count) bytes, not \(UInt(bitPattern: room))")
        }
        let value = try required(value, "value")
        value.copyMemory(from: bytes, byteCount: bytes.count)
    }
}

@_cdecl("ringer_session_set_property") @implementation public func ringer_session_set_property(
    _ session: OpaquePointer?, _ property: ringer_property, _ value: UnsafeRawPointer?, _ size: Int
) -> CInt {
    carryOut {
        let session = try SessionHandle.at(session).session
        let value = try required(value, "value")
        // Every property that can be set is a number.
        guard (0...8).contains(size) else {
            throw Failure(EMSGSIZE, "a property of \(UInt(bitPattern: size)) bytes cannot be set")
        }
        try session.set(
            FourCharacterCode(rawValue: property.rawValue),
            bytes: [UInt8](UnsafeRawBufferPointer(start: value, count: size)))
    }
}

@_cdecl("ringer_device_begin_interruption") @implementation public func ringer_device_begin_interruption(
    _ device: OpaquePointer?, _ interruption: UnsafeMutablePointer<UInt64>?
) -> CInt {
    carryOut {
        let handle = try DeviceHandle.at(device)
        let interruption = try required(interruption, "interruption")
        interruption.pointee = handle.device.sessions.interruptionBegan().rawValue
    }
}

@_cdecl("ringer_device_answer_interruption") @implementation public func ringer_device_answer_interruption(
    _ device: OpaquePointer?, _ interruption: UInt64
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).device.sessions.interruptionAnswered(.init(rawValue: interruption))
    }
}

@_cdecl("ringer_device_end_interruption") @implementation public func ringer_device_end_interruption(
    _ device: OpaquePointer?, _ interruption: UInt64, _ should_resume: CInt
) -> CInt {
    carryOut {
        try DeviceHandle.at(device).device.sessions.interruptionEnded(
            .init(rawValue: interruption), shouldResume: should_resume != 0)
    }
}
