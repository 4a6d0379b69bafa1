import Glibc

/// Lines on standard output and standard error, each written at once.
enum Output {
    static func line(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    static func complaint(_ text: String) {
        write("VoIPHandset: " + text + "\n", to: STDERR_FILENO)
    }

    /// Writes all of it. If its reader ended, it is lost.
    private static func write(_ text: String, to descriptor: CInt) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}
