/// A digest of values that is the same on every processor: FNV-1a over 64-bit words.
struct Digest {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325
    private(set) var count = 0

    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x100_0000_01b3
        // The low bits of the product do not depend on the high bits of the word.
        value ^= value >> 29
        count += 1
    }

    mutating func add(_ number: some SignedInteger & FixedWidthInteger) { add(UInt64(bitPattern: Int64(number))) }
    mutating func add(_ isTrue: Bool) { add(isTrue ? 1 as UInt64 : 0) }
    mutating func add(_ number: Double) { add(number.bitPattern) }
    mutating func add(_ number: Float) { add(UInt64(number.bitPattern)) }

    mutating func add(_ text: String) {
        add(text.utf8.count)
        for byte in text.utf8 { add(UInt64(byte)) }
    }

    /// Prints the digest of everything that was added.
    func report(_ name: String) { print("\(name): \(count) words, digest \(value)") }
}
