extension Double {
    /// The number with `digits` decimals.
    package func fixed(_ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (self.magnitude * scale).rounded()
        guard scaled < 1e15 else { return description }
        let whole = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, digits + 1 - whole.count)) + whole
        let point = padded.index(padded.endIndex, offsetBy: -digits)
        let text = digits > 0 ? "\(padded[..<point]).\(padded[point...])" : padded
        return self < 0 && scaled > 0 ? "-" + text : text
    }
}

extension String {
    /// The text, padded with spaces to `width`.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
}
