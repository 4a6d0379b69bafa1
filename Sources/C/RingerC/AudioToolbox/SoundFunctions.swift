// AudioToolbox/AudioServices.h documents these functions: those without the prefix call these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CAudioToolbox
import ProcessDevice

@_cdecl("ringer_apple_create_sound") @implementation public func ringer_apple_create_sound(
    _ path: UnsafePointer<CChar>?, _ sound: UnsafeMutablePointer<UInt32>?
) -> Int32 {
    let status = ProcessDevice.createSound(path, sound)
    if status != 0, let failure = ProcessDevice.failure { _ = attempt { throw failure } }
    return status
}

@_cdecl("ringer_apple_dispose_sound") @implementation public func ringer_apple_dispose_sound(_ sound: UInt32) -> Int32 {
    ProcessDevice.disposeSound(sound)
}

@_cdecl("ringer_apple_play_sound") @implementation public func ringer_apple_play_sound(
    _ sound: UInt32, _ is_alert: CInt, _ completion: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
    _ context: UnsafeMutableRawPointer?
) {
    if let completion {
        let context = ProgramPointer(pointer: context)
        ProcessDevice.playSound(sound, asAlert: is_alert != 0) { completion(context.pointer) }
    } else {
        ProcessDevice.playSound(sound, asAlert: is_alert != 0)
    }
}

@_cdecl("ringer_apple_add_completion") @implementation public func ringer_apple_add_completion(
    _ sound: UInt32, _ completion: (@convention(c) (UInt32, UnsafeMutableRawPointer?) -> Void)?,
    _ client_data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let completion else { return badParameter }
    let context = ProgramPointer(pointer: client_data)
    return ProcessDevice.setCompletion(of: sound) { completion(sound, context.pointer) }
}

@_cdecl("ringer_apple_remove_completion") @implementation public func ringer_apple_remove_completion(_ sound: UInt32) {
    ProcessDevice.removeCompletion(of: sound)
}

@_cdecl("ringer_apple_get_sound_property_info") @implementation public func ringer_apple_get_sound_property_info(
    _ property: UInt32, _ specifier_size: UInt32, _ specifier: UnsafeRawPointer?, _ size: UnsafeMutablePointer<UInt32>?,
    _ is_writable: UnsafeMutablePointer<UInt8>?
) -> Int32 {
    ProcessDevice.soundPropertyInfo(property, specifier_size, specifier, size, is_writable)
}

@_cdecl("ringer_apple_get_sound_property") @implementation public func ringer_apple_get_sound_property(
    _ property: UInt32, _ specifier_size: UInt32, _ specifier: UnsafeRawPointer?, _ size: UnsafeMutablePointer<UInt32>?,
    _ data: UnsafeMutableRawPointer?
) -> Int32 {
    ProcessDevice.soundProperty(property, specifier_size, specifier, size, data)
}

@_cdecl("ringer_apple_set_sound_property") @implementation public func ringer_apple_set_sound_property(
    _ property: UInt32, _ specifier_size: UInt32, _ specifier: UnsafeRawPointer?, _ size: UInt32,
    _ data: UnsafeRawPointer?
) -> Int32 {
    ProcessDevice.setSoundProperty(property, specifier_size, specifier, size, data)
}
