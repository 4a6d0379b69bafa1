import RingerCore
import SystemPackage

/// Whether the PCM of an output, or the sound server behind it, is gone, judged by the errors of opening and playing.
struct OutputLoss: Sendable, Hashable {
    /// The PCM is gone.
    private(set) var isLost = false
    /// The PCM was open before: one that never was is a mistake in its name, not a loss.
    private var wasOpen = false

    /// The PCM was opened.
    ///
    /// - Returns: Whether it was lost before.
    mutating func opened() -> Bool {
        wasOpen = true
        defer { isLost = false }
        return isLost
    }

    /// Opening the PCM, or playing on it, failed.
    ///
    /// - Returns: Whether this is a new loss.
    mutating func failed(_ error: RingerError) -> Bool {
        guard wasOpen, !isLost, Self.isLoss(error) else { return false }
        isLost = true
        return true
    }

    private static func isLoss(_ error: RingerError) -> Bool {
        if error.code == .disconnected || error.code == .notFound { return true }
        switch error.errno {
        // A sound server that ended; `EIO` is what its plug-in reports for a broken stream.
        case .connectionRefused, .connectionReset, .socketNotConnected, .connectionAbort, .ioError: return true
        default: return false
        }
    }
}
