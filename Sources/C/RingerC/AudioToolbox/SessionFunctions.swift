// AudioToolbox/AudioSession.h documents these functions: those without the prefix call these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CAudioToolbox
import ProcessDevice
import SessionProperties

@_cdecl("ringer_apple_initialize_session") @implementation public func ringer_apple_initialize_session(
    _ listener: (@convention(c) (UnsafeMutableRawPointer?, UInt32) -> Void)?, _ client_data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let listener else { return ProcessDevice.initializeSession(nil) }
    let context = ProgramPointer(pointer: client_data)
    return ProcessDevice.initializeSession { state in listener(context.pointer, state) }
}

@_cdecl("ringer_apple_set_session_active") @implementation public func ringer_apple_set_session_active(
    _ is_active: CInt, _ notifies_others: CInt
) -> Int32 {
    ProcessDevice.setSessionActive(is_active != 0, notifyOthers: notifies_others != 0)
}

@_cdecl("ringer_apple_get_session_property") @implementation public func ringer_apple_get_session_property(
    _ property: UInt32, _ size: UnsafeMutablePointer<UInt32>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    ProcessDevice.sessionProperty(property, size, data) { ringer_apple_constant_string($0) }
}

@_cdecl("ringer_apple_get_session_property_size") @implementation public func ringer_apple_get_session_property_size(
    _ property: UInt32, _ size: UnsafeMutablePointer<UInt32>?
) -> Int32 {
    ProcessDevice.sessionPropertySize(property, size)
}

@_cdecl("ringer_apple_set_session_property") @implementation public func ringer_apple_set_session_property(
    _ property: UInt32, _ size: UInt32, _ data: UnsafeRawPointer?
) -> Int32 {
    ProcessDevice.setSessionProperty(property, size, data)
}

@_cdecl("ringer_apple_add_session_listener") @implementation public func ringer_apple_add_session_listener(
    _ property: UInt32,
    _ listener: (@convention(c) (UnsafeMutableRawPointer?, UInt32, UInt32, UnsafeRawPointer?) -> Void)?,
    _ client_data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let listener else { return badParameter }
    let context = ProgramPointer(pointer: client_data)
    return ProcessDevice.addSessionListener(property, clientData: UInt(bitPattern: client_data)) { value in
        let pointerSize = UInt32(MemoryLayout<UnsafeRawPointer>.size)
        switch value {
        case .string(let text):
            listener(context.pointer, property, pointerSize, ringer_apple_constant_string(text))
        case .routeChange(let reason, let oldRoute):
            let dictionary = ringer_apple_create_route_change(reason.rawValue, oldRoute)
            listener(context.pointer, property, pointerSize, dictionary)
            ringer_apple_release(dictionary)
        case .uint32, .float32, .float64:
            // The listener may read it as its type, so it needs that type's alignment.
            withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { buffer in
                let bytes = value.bytes
                buffer.copyBytes(from: bytes)
                listener(context.pointer, property, UInt32(bytes.count), UnsafeRawPointer(buffer.baseAddress))
            }
        }
    }
}

@_cdecl("ringer_apple_remove_session_listener") @implementation public func ringer_apple_remove_session_listener(
    _ property: UInt32, _ client_data: UnsafeMutableRawPointer?
) -> Int32 {
    ProcessDevice.removeSessionListener(property, clientData: UInt(bitPattern: client_data))
}

@_cdecl("ringer_apple_remove_session_listeners") @implementation public func ringer_apple_remove_session_listeners(
    _ property: UInt32
) -> Int32 {
    ProcessDevice.removeSessionListeners(property)
}
