import FourCharacterCodes
/// A header being put together.
struct HeaderBytes {
    private(set) var bytes: [UInt8] = []
    let byteOrder: LinearPCM.ByteOrder

    init(_ byteOrder: LinearPCM.ByteOrder, _ body: (inout HeaderBytes) -> Void = { _ in }) {
        self.byteOrder = byteOrder
        body(&self)
    }

    mutating func code(_ code: FourCharacterCode) {
        bytes += code.bytes
    }

    mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_ value: T) {
        for index in 0..<T.bitWidth / 8 {
            let shift = byteOrder == .little ? 8 * index : T.bitWidth - 8 * (index + 1)
            bytes.append(UInt8(truncatingIfNeeded: value >> T(shift)))
        }
    }

    /// An 80-bit extended floating-point number.
    mutating func extended(_ value: Double) {
        guard value > 0 else {
            bytes += [UInt8](repeating: 0, count: 10)
            return
        }
        integer(UInt16(16383 + Int(value.exponent)))
        integer(UInt64(1) << 63 | UInt64(value.significandBitPattern) << 11)
    }

    /// A chunk with its size, and the zero byte that fills an odd one.
    mutating func chunk(_ id: FourCharacterCode, _ body: (inout HeaderBytes) -> Void) {
        let inner = HeaderBytes(byteOrder, body)
        code(id)
        integer(UInt32(inner.bytes.count))
        bytes += inner.bytes
        if inner.bytes.count & 1 == 1 { bytes.append(0) }
    }

    /// A chunk with a 64-bit size, as CAF has it.
    mutating func longChunk(_ id: FourCharacterCode, _ body: (inout HeaderBytes) -> Void) {
        let inner = HeaderBytes(byteOrder, body)
        code(id)
        integer(UInt64(inner.bytes.count))
        bytes += inner.bytes
    }
}
