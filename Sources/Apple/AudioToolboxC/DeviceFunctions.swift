// ringer-audiotoolbox.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CAudioToolbox
import ProcessDevice
import RingerC

@c @implementation public func ringer_audiotoolbox_open(_ device: OpaquePointer?) -> CInt {
    result {
        guard let device else {
            ProcessDevice.use(nil)
            _ = try ProcessDevice.device
            return 0
        }
        ProcessDevice.use(try RingerC.device(of: device))
        return 0
    }
}

@c @implementation public func ringer_audiotoolbox_close() {
    ProcessDevice.use(nil)
}

@c @implementation public func ringer_callbacks_get_fd() -> CInt {
    result { try ProcessDevice.callbacks.descriptor() }
}

@c @implementation public func ringer_callbacks_dispatch() -> CInt {
    CInt(clamping: ProcessDevice.callbacks.dispatch())
}
