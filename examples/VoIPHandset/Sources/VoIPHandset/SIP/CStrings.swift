/// Strings for C, which live as long as this.
final class CStrings {
    private var copies: [UnsafeMutablePointer<CChar>] = []

    deinit {
        // SAFETY: allocated by `copy`, and freed once.
        for copy in copies { copy.deallocate() }
    }

    /// The string, which C reads up to a zero byte.
    func copy(_ text: String) -> UnsafePointer<CChar> {
        let bytes = text.utf8CString
        // SAFETY: as many elements as are initialised; freed by `deinit`.
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { (copy + index).initialize(to: byte) }
        copies.append(copy)
        return UnsafePointer(copy)
    }

    func copy(_ text: String?) -> UnsafePointer<CChar>? { text.map { copy($0) } }
}
