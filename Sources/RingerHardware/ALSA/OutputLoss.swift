import RingerServices
import SystemPackage

/// Whether the PCM that sounds go to is gone, or the sound server behind it, from what opening and playing say.
struct OutputLoss: Sendable, Hashable {
    /// The PCM is gone.
    private(set) var isLost = false
    /// It was there once: one that never was is a mistake in a name, and not lost.
    private var wasOpen = false

    /// It was opened.
    ///
    /// - Returns: Whether it was lost before.
    mutating func opened() -> Bool {
        wasOpen = true
        defer { isLost = false }
        return isLost
    }

    /// Opening it failed, or a sound on it did.
    ///
    /// - Returns: Whether it is lost from now on, and was not before.
    mutating func failed(_ error: RingerError) -> Bool {
        guard wasOpen, !isLost, Self.isLoss(error) else { return false }
        isLost = true
        return true
    }

    private static func isLoss(_ error: RingerError) -> Bool {
        if error.code == .disconnected || error.code == .notFound { return true }
        switch error.errno {
        // A sound server that went away; `EIO` is what its plug-in reports for a stream that broke off.
        case .connectionRefused, .connectionReset, .socketNotConnected, .connectionAbort, .ioError: return true
        default: return false
        }
    }
}
