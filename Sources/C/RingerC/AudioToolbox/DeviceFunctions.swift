// ringer-audiotoolbox.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Swift 6.2 implements those functions alone that the module exports.
@_exported import CAudioToolbox
import ProcessDevice

@_cdecl("ringer_audiotoolbox_open") @implementation public func ringer_audiotoolbox_open(
    _ device: OpaquePointer?
) -> CInt {
    attempt {
        guard let device else {
            ProcessDevice.use(nil)
            _ = try ProcessDevice.device
            return 0
        }
        ProcessDevice.use(try DeviceHandle.at(device).device)
        return 0
    }
}

@_cdecl("ringer_audiotoolbox_close") @implementation public func ringer_audiotoolbox_close() {
    ProcessDevice.use(nil)
}

@_cdecl("ringer_callbacks_get_fd") @implementation public func ringer_callbacks_get_fd() -> CInt {
    attempt { try ProcessDevice.callbacks.descriptor() }
}

@_cdecl("ringer_apple_begin_run") @implementation public func ringer_apple_begin_run() -> CInt {
    attempt { try ProcessDevice.callbacks.beginRun() }
}

@_cdecl("ringer_apple_end_run") @implementation public func ringer_apple_end_run() {
    ProcessDevice.callbacks.endRun()
}

@_cdecl("ringer_callbacks_dispatch") @implementation public func ringer_callbacks_dispatch() -> CInt {
    CInt(clamping: ProcessDevice.callbacks.dispatch())
}
