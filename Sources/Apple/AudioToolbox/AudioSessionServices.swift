// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
internal import ProcessDevice

// Audio Session Services: the functions and constants of <AudioToolbox/AudioServices.h>. What they do is ProcessDevice's.

/// A property of the session, by its code.
public typealias AudioSessionPropertyID = UInt32
/// Called with the client data, and ``kAudioSessionBeginInterruption`` or ``kAudioSessionEndInterruption``.
public typealias AudioSessionInterruptionListener = (UnsafeMutableRawPointer?, UInt32) -> Void
/// Called with the client data, the property, the size of its value, and its value: the address of a number, or a
/// ``CFString`` or ``CFDictionary`` object.
public typealias AudioSessionPropertyListener =
    (UnsafeMutableRawPointer?, AudioSessionPropertyID, UInt32, UnsafeRawPointer?) -> Void

/// It succeeded.
public let kAudioSessionNoError: OSStatus = 0
/// `AudioSessionInitialize` was not called.
public let kAudioSessionNotInitialized: OSStatus = 0x2169_6E69  // '!ini'
/// `AudioSessionInitialize` was called before.
public let kAudioSessionAlreadyInitialized: OSStatus = 0x696E_6974  // 'init'
/// The device cannot be opened; `ProcessDevice.failure` has the reason.
public let kAudioSessionInitializationError: OSStatus = 0x696E_693F  // 'ini?'
/// There is no such property, or it cannot be used so.
public let kAudioSessionUnsupportedPropertyError: OSStatus = 0x7074_793F  // 'pty?'
/// The value has another size than the property's.
public let kAudioSessionBadPropertySizeError: OSStatus = 0x2173_697A  // '!siz'
/// The session is not active, or cannot be.
public let kAudioSessionNotActiveError: OSStatus = 0x2161_6374  // '!act'
/// There is no input.
public let kAudioServicesNoHardwareError: OSStatus = 0x6E6F_6877  // 'nohw'
/// The category was not set.
public let kAudioSessionNoCategorySet: OSStatus = 0x3F63_6174  // '?cat'
/// The category does not allow it.
public let kAudioSessionIncompatibleCategory: OSStatus = 0x2163_6174  // '!cat'

/// The preferred rate, in Hz: `Float64`.
public let kAudioSessionProperty_PreferredHardwareSampleRate: AudioSessionPropertyID = 0x6877_7372  // 'hwsr'
/// The preferred period, in seconds: `Float32`.
public let kAudioSessionProperty_PreferredHardwareIOBufferDuration: AudioSessionPropertyID = 0x696F_6264  // 'iobd'
/// The category: `UInt32`.
public let kAudioSessionProperty_AudioCategory: AudioSessionPropertyID = 0x6163_6174  // 'acat'
/// The route's name: `CFString`; empty while the switch silences the session.
public let kAudioSessionProperty_AudioRoute: AudioSessionPropertyID = 0x726F_7574  // 'rout'
/// A change of the route, for listeners: a dictionary with the reason and the old route.
public let kAudioSessionProperty_AudioRouteChange: AudioSessionPropertyID = 0x726F_6368  // 'roch'
/// The granted rate, in Hz: `Float64`.
public let kAudioSessionProperty_CurrentHardwareSampleRate: AudioSessionPropertyID = 0x6368_7372  // 'chsr'
/// The input's channels: `UInt32`.
public let kAudioSessionProperty_CurrentHardwareInputNumberChannels: AudioSessionPropertyID = 0x6368_6963  // 'chic'
/// The output's channels: `UInt32`.
public let kAudioSessionProperty_CurrentHardwareOutputNumberChannels: AudioSessionPropertyID = 0x6368_6F63  // 'choc'
/// The volume, 0 to 1: `Float32`.
public let kAudioSessionProperty_CurrentHardwareOutputVolume: AudioSessionPropertyID = 0x6368_6F76  // 'chov'
/// The input's latency, in seconds: `Float32`.
public let kAudioSessionProperty_CurrentHardwareInputLatency: AudioSessionPropertyID = 0x6369_6C74  // 'cilt'
/// The output's latency, in seconds: `Float32`.
public let kAudioSessionProperty_CurrentHardwareOutputLatency: AudioSessionPropertyID = 0x636F_6C74  // 'colt'
/// The granted period, in seconds: `Float32`.
public let kAudioSessionProperty_CurrentHardwareIOBufferDuration: AudioSessionPropertyID = 0x6368_6264  // 'chbd'
/// Whether another session, or another process, plays: `UInt32`.
public let kAudioSessionProperty_OtherAudioIsPlaying: AudioSessionPropertyID = 0x6F74_6872  // 'othr'
/// Where a call is heard: `UInt32`, one of `kAudioSessionOverrideAudioRoute_...`.
public let kAudioSessionProperty_OverrideAudioRoute: AudioSessionPropertyID = 0x6F76_7264  // 'ovrd'
/// Whether sound can be recorded: `UInt32`.
public let kAudioSessionProperty_AudioInputAvailable: AudioSessionPropertyID = 0x6169_6176  // 'aiav'
/// The sound hardware, or the service, was lost: `UInt32`, for listeners.
public let kAudioSessionProperty_ServerDied: AudioSessionPropertyID = 0x6469_6564  // 'died'
/// Whether others play more quietly: `UInt32`.
public let kAudioSessionProperty_OtherMixableAudioShouldDuck: AudioSessionPropertyID = 0x6475_636B  // 'duck'
/// Whether others play on: `UInt32`.
public let kAudioSessionProperty_OverrideCategoryMixWithOthers: AudioSessionPropertyID = 0x636D_6978  // 'cmix'
/// Whether a call is heard from the speaker: `UInt32`.
public let kAudioSessionProperty_OverrideCategoryDefaultToSpeaker: AudioSessionPropertyID = 0x6373_706B  // 'cspk'
/// Whether input may come from a Bluetooth device: `UInt32`.
public let kAudioSessionProperty_OverrideCategoryEnableBluetoothInput: AudioSessionPropertyID = 0x6362_6C75  // 'cblu'
/// The mode: `UInt32`.
public let kAudioSessionProperty_Mode: AudioSessionPropertyID = 0x6D6F_6465  // 'mode'
/// Whether the session may resume, after an interruption: `UInt32`.
public let kAudioSessionProperty_InterruptionType: AudioSessionPropertyID = 0x7479_7065  // 'type'

/// No mode in particular.
public let kAudioSessionMode_Default: UInt32 = 0x6466_6C74  // 'dflt'
/// A call.
public let kAudioSessionMode_VoiceChat: UInt32 = 0x7663_6374  // 'vcct'
/// Recording a film.
public let kAudioSessionMode_VideoRecording: UInt32 = 0x7672_6364  // 'vrcd'
/// Measuring.
public let kAudioSessionMode_Measurement: UInt32 = 0x6D73_6D74  // 'msmt'

/// Whether a session may resume.
public typealias AudioSessionInterruptionType = UInt32
/// It may.
public let kAudioSessionInterruptionType_ShouldResume: AudioSessionInterruptionType = 0x6972_736D  // 'irsm'
/// It may not.
public let kAudioSessionInterruptionType_ShouldNotResume: AudioSessionInterruptionType = 0x2172_736D  // '!rsm'

/// The sessions that this one interrupted may resume.
public let kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation: UInt32 = 1

/// Mixes with others; the switch and the lock silence it.
public let kAudioSessionCategory_AmbientSound: UInt32 = 0x616D_6269  // 'ambi'
/// Interrupts others; the switch and the lock silence it.
public let kAudioSessionCategory_SoloAmbientSound: UInt32 = 0x736F_6C6F  // 'solo'
/// Is heard whatever the switch says.
public let kAudioSessionCategory_MediaPlayback: UInt32 = 0x6D65_6469  // 'medi'
/// Records, and silences all playback.
public let kAudioSessionCategory_RecordAudio: UInt32 = 0x7265_6361  // 'reca'
/// Plays and records; the switch does not silence it.
public let kAudioSessionCategory_PlayAndRecord: UInt32 = 0x706C_6172  // 'plar'
/// Plays nothing, and silences all playback.
public let kAudioSessionCategory_AudioProcessing: UInt32 = 0x7072_6F63  // 'proc'
/// The older name of `kAudioSessionCategory_AmbientSound`.
public let kAudioSessionCategory_UserInterfaceSoundEffects: UInt32 = 0x7569_6678  // 'uifx'
/// The older name of `kAudioSessionCategory_MediaPlayback`.
public let kAudioSessionCategory_LiveAudio: UInt32 = 0x6C69_7665  // 'live'

/// An interruption began.
public let kAudioSessionBeginInterruption: UInt32 = 1
/// It has ended.
public let kAudioSessionEndInterruption: UInt32 = 0

/// Where the category plays.
public let kAudioSessionOverrideAudioRoute_None: UInt32 = 0
/// From the speaker.
public let kAudioSessionOverrideAudioRoute_Speaker: UInt32 = 0x7370_6B72  // 'spkr'

/// The key of the reason, in the dictionary of a change.
public let kAudioSession_AudioRouteChangeKey_Reason = "OutputDeviceDidChange_Reason"
/// The key of the old route's name.
public let kAudioSession_AudioRouteChangeKey_OldRoute = "OutputDeviceDidChange_OldRoute"

/// Nobody knows.
public let kAudioSessionRouteChangeReason_Unknown: UInt32 = 0
/// Something was plugged in.
public let kAudioSessionRouteChangeReason_NewDeviceAvailable: UInt32 = 1
/// Something was pulled out.
public let kAudioSessionRouteChangeReason_OldDeviceUnavailable: UInt32 = 2
/// The category changed.
public let kAudioSessionRouteChangeReason_CategoryChange: UInt32 = 3
/// The output was overridden.
public let kAudioSessionRouteChangeReason_Override: UInt32 = 4
/// The device woke.
public let kAudioSessionRouteChangeReason_WakeFromSleep: UInt32 = 6
/// The category has no route.
public let kAudioSessionRouteChangeReason_NoSuitableRouteForCategory: UInt32 = 7

/// Allows the other calls, once per process. Interruptions are reported in the run loop, while that runs in the mode: the main
/// one and the default one, which nil means.
@discardableResult
public func AudioSessionInitialize(
    _ inRunLoop: CFRunLoop?, _ inRunLoopMode: CFString?,
    _ inInterruptionListener: AudioSessionInterruptionListener?, _ inClientData: UnsafeMutableRawPointer?
) -> OSStatus {
    guard let inInterruptionListener else { return ProcessDevice.initializeSession(nil) }
    let callback = RunLoopCallback(inRunLoop, inRunLoopMode, inInterruptionListener, inClientData)
    return ProcessDevice.initializeSession { state in
        callback.run { [target = callback.target] in target.function(target.clientData, state) }
    }
}

/// Activates or deactivates the session.
@discardableResult
public func AudioSessionSetActive(_ active: Bool) -> OSStatus {
    ProcessDevice.setSessionActive(active)
}

/// The same; after a deactivation without the flag the sessions that it interrupted need not resume.
@discardableResult
public func AudioSessionSetActiveWithFlags(_ active: Bool, _ inFlags: UInt32) -> OSStatus {
    let notifiesOthers = inFlags & kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation != 0
    return ProcessDevice.setSessionActive(active, notifyOthers: notifiesOthers)
}

/// Writes the value of a property. A string or a dictionary belongs to the caller.
@discardableResult
public func AudioSessionGetProperty(
    _ inID: AudioSessionPropertyID, _ ioDataSize: UnsafeMutablePointer<UInt32>, _ outData: UnsafeMutableRawPointer
) -> OSStatus {
    ProcessDevice.sessionProperty(inID, ioDataSize, outData) { text in
        // The program's variable of type CFString? owns it.
        UnsafeRawPointer(Unmanaged.passRetained(text as CFString).toOpaque())
    }
}

/// Writes the size of a property's value, in bytes.
@discardableResult
public func AudioSessionGetPropertySize(
    _ inID: AudioSessionPropertyID, _ outDataSize: UnsafeMutablePointer<UInt32>
) -> OSStatus {
    ProcessDevice.sessionPropertySize(inID, outDataSize)
}

/// Sets a property.
@discardableResult
public func AudioSessionSetProperty(
    _ inID: AudioSessionPropertyID, _ inDataSize: UInt32, _ inData: UnsafeRawPointer
) -> OSStatus {
    ProcessDevice.setSessionProperty(inID, inDataSize, inData)
}

/// Adds the one listener of this property with this client data. It is called in the main run loop.
@discardableResult
public func AudioSessionAddPropertyListener(
    _ inID: AudioSessionPropertyID, _ inProc: @escaping AudioSessionPropertyListener,
    _ inClientData: UnsafeMutableRawPointer?
) -> OSStatus {
    let callback = RunLoopCallback(nil, nil, inProc, inClientData)
    let key = UInt(bitPattern: inClientData)
    return ProcessDevice.addSessionListener(inID, clientData: key, in: callback.run) {
        [target = callback.target] value in
        SessionValue(value).withPointer { size, data in target.function(target.clientData, inID, size, data) }
    }
}

/// Removes a listener: the function together with its data.
@discardableResult
public func AudioSessionRemovePropertyListenerWithUserData(
    _ inID: AudioSessionPropertyID, _ inProc: AudioSessionPropertyListener?, _ inClientData: UnsafeMutableRawPointer?
) -> OSStatus {
    ProcessDevice.removeSessionListener(inID, clientData: UInt(bitPattern: inClientData))
}

/// Removes every listener of the property.
@discardableResult
public func AudioSessionRemovePropertyListener(_ inID: AudioSessionPropertyID) -> OSStatus {
    ProcessDevice.removeSessionListeners(inID)
}
