// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
internal import ProcessDevice

// System Sound Services: the functions and constants of <AudioToolbox/AudioServices.h>. What they do is ProcessDevice's.

/// A registered or a predefined sound.
public typealias SystemSoundID = UInt32
/// A property of a system sound, by its code.
public typealias AudioServicesPropertyID = UInt32
/// A completion: the sound, and the client data.
public typealias AudioServicesSystemSoundCompletionProc = (SystemSoundID, UnsafeMutableRawPointer?) -> Void

/// The system sound that only vibrates.
public let kSystemSoundID_Vibrate: SystemSoundID = 4095

/// It succeeded.
public let kAudioServicesNoError: OSStatus = 0
/// There is no such property.
public let kAudioServicesUnsupportedPropertyError: OSStatus = 0x7074_793F  // 'pty?'
/// The value has another size than the property's.
public let kAudioServicesBadPropertySizeError: OSStatus = 0x2173_697A  // '!siz'
/// The specifier has another size than a sound's number.
public let kAudioServicesBadSpecifierSizeError: OSStatus = 0x2173_7063  // '!spc'
/// It failed; `ProcessDevice.failure` has the reason.
public let kAudioServicesSystemSoundUnspecifiedError: OSStatus = -1500
/// The program did not answer in time.
public let kAudioServicesSystemSoundClientTimedOutError: OSStatus = -1501
/// The file is longer than 30 s.
public let kAudioServicesSystemSoundExceededMaximumDurationError: OSStatus = -1502

/// Whether the sound obeys the user's choice about user-interface sounds: 1, the default, or 0.
public let kAudioServicesPropertyIsUISound: AudioServicesPropertyID = 0x6973_7569  // 'isui'
/// Whether the sound plays to its end after its program has ended: 1 or 0, the default.
public let kAudioServicesPropertyCompletePlaybackIfAppDies: AudioServicesPropertyID = 0x6966_6469  // 'ifdi'

/// Registers a sound file of at most 30 s.
@discardableResult
public func AudioServicesCreateSystemSoundID(
    _ inFileURL: CFURL, _ outSystemSoundID: UnsafeMutablePointer<SystemSoundID>
) -> OSStatus {
    let url = inFileURL as URL
    guard url.isFileURL else { return ProcessDevice.createSound(nil, outSystemSoundID) }
    return url.withUnsafeFileSystemRepresentation { ProcessDevice.createSound($0, outSystemSoundID) }
}

/// Forgets a registered sound, which stops.
@discardableResult
public func AudioServicesDisposeSystemSoundID(_ inSystemSoundID: SystemSoundID) -> OSStatus {
    ProcessDevice.disposeSound(inSystemSoundID)
}

/// Plays a sound, if the switch allows it; 4095 vibrates.
public func AudioServicesPlaySystemSound(_ inSystemSoundID: SystemSoundID) {
    ProcessDevice.playSound(inSystemSoundID)
}

/// Plays a sound as an alert: it vibrates too.
public func AudioServicesPlayAlertSound(_ inSystemSoundID: SystemSoundID) {
    ProcessDevice.playSound(inSystemSoundID, asAlert: true)
}

/// Plays a sound, and calls the block at its end, whatever the outcome: on the callbacks' thread, 20 ms after the last frame
/// that was heard, at once where the sound is silenced.
@preconcurrency
public func AudioServicesPlaySystemSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (@Sendable () -> Void)?
) {
    ProcessDevice.playSound(inSystemSoundID, completion: inCompletionBlock)
}

/// Plays a sound as an alert, and calls the block at the end of sound and vibration, as
/// ``AudioServicesPlaySystemSoundWithCompletion(_:_:)`` does.
@preconcurrency
public func AudioServicesPlayAlertSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (@Sendable () -> Void)?
) {
    ProcessDevice.playSound(inSystemSoundID, asAlert: true, completion: inCompletionBlock)
}

/// Sets the function that is called at the end of each play of this sound. Each ID has its own, the vibration's too. It is
/// called in the run loop, while that runs in the mode: the main one and the default one, which nil means.
@discardableResult
public func AudioServicesAddSystemSoundCompletion(
    _ inSystemSoundID: SystemSoundID, _ inRunLoop: CFRunLoop?, _ inRunLoopMode: CFString?,
    _ inCompletionRoutine: @escaping AudioServicesSystemSoundCompletionProc,
    _ inClientData: UnsafeMutableRawPointer?
) -> OSStatus {
    let callback = RunLoopCallback(inRunLoop, inRunLoopMode, inCompletionRoutine, inClientData)
    return ProcessDevice.setCompletion(of: inSystemSoundID, in: callback.run) { [target = callback.target] in
        target.function(inSystemSoundID, target.clientData)
    }
}

/// Removes the function of a sound.
public func AudioServicesRemoveSystemSoundCompletion(_ inSystemSoundID: SystemSoundID) {
    ProcessDevice.removeCompletion(of: inSystemSoundID)
}

/// Writes the size of a property, and whether it can be set.
@discardableResult
public func AudioServicesGetPropertyInfo(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ outPropertyDataSize: UnsafeMutablePointer<UInt32>?, _ outWritable: UnsafeMutablePointer<DarwinBoolean>?
) -> OSStatus {
    var isWritable: UInt8 = 0
    let status = ProcessDevice.soundPropertyInfo(
        inPropertyID, inSpecifierSize, inSpecifier, outPropertyDataSize, &isWritable)
    if status == kAudioServicesNoError { outWritable?.pointee = DarwinBoolean(isWritable != 0) }
    return status
}

/// Writes the value of a property of a system sound.
@discardableResult
public func AudioServicesGetProperty(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ ioPropertyDataSize: UnsafeMutablePointer<UInt32>, _ outPropertyData: UnsafeMutableRawPointer?
) -> OSStatus {
    ProcessDevice.soundProperty(inPropertyID, inSpecifierSize, inSpecifier, ioPropertyDataSize, outPropertyData)
}

/// Sets a property of a system sound.
@discardableResult
public func AudioServicesSetProperty(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ inPropertyDataSize: UInt32, _ inPropertyData: UnsafeRawPointer
) -> OSStatus {
    ProcessDevice.setSoundProperty(inPropertyID, inSpecifierSize, inSpecifier, inPropertyDataSize, inPropertyData)
}
