import Ringer

// For the functions under Apple's names.

/// The device that a program of ringer.h has as `handle`.
package func device(of handle: OpaquePointer?) throws -> Device {
    try DeviceHandle.at(handle).device
}

/// Runs `body`, and turns what it throws into a negative error number and `ringer_last_error`.
package func result(_ body: () throws -> CInt) -> CInt {
    attempt(body)
}
