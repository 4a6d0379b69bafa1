internal import SessionProperties

/// The value of a session's property as listeners get it.
struct SessionValue {
    private let value: SessionPropertyValue

    init(_ value: SessionPropertyValue) {
        self.value = value
    }

    /// Calls `body` with the value's size and the address of a number, or the object itself, which are valid until it
    /// returns.
    func withPointer(_ body: (UInt32, UnsafeRawPointer?) -> Void) {
        switch value {
        case .uint32, .float32, .float64:
            value.bytes.withUnsafeBytes { body(UInt32($0.count), $0.baseAddress) }
        case .string(let text):
            withObject(text as CFString, body)
        case .routeChange(let reason, let oldRoute):
            withObject(
                [
                    kAudioSession_AudioRouteChangeKey_Reason as CFString: NSNumber(value: reason.rawValue),
                    kAudioSession_AudioRouteChangeKey_OldRoute as CFString: oldRoute as CFString,
                ] as CFDictionary, body)
        }
    }

    private func withObject(_ object: AnyObject, _ body: (UInt32, UnsafeRawPointer?) -> Void) {
        // SAFETY: the object lives until the call has returned.
        withExtendedLifetime(object) {
            body(
                UInt32(MemoryLayout<UnsafeRawPointer>.size),
                UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
        }
    }
}
