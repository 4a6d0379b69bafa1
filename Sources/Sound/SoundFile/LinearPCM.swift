/// The shape of an uncompressed sample.
public struct LinearPCM: Sendable, Hashable, CustomStringConvertible {
    /// Which byte of a sample comes first.
    public enum ByteOrder: Sendable, Hashable {
        /// The most significant byte first.
        case big
        /// The least significant byte first.
        case little
    }

    /// What a sample's bits mean.
    public enum Kind: Sendable, Hashable {
        /// Two's complement, full scale at the extremes.
        case signedInteger
        /// Offset binary, silence in the middle; 8-bit WAV and AIFF-C `raw `.
        case unsignedInteger
        /// IEEE 754, full scale at 1.
        case float
    }

    /// What a sample's bits mean.
    public var kind: Kind
    /// The bytes a sample takes: 1 to 4, or 8 for a 64-bit float, or an integer of which 32 bits are read and none is written.
    public var bytesPerSample: Int
    /// The bits that count, at most 8 times the bytes; the rest are below them.
    public var bits: Int
    /// Which byte comes first; big for samples of one byte.
    public var byteOrder: ByteOrder

    /// Makes a sample format; the number of valid bits is that of all its bytes unless given.
    public init(_ kind: Kind, bytesPerSample: Int, bits: Int? = nil, byteOrder: ByteOrder) {
        self.kind = kind
        self.bytesPerSample = bytesPerSample
        self.bits = bits ?? bytesPerSample * 8
        self.byteOrder = bytesPerSample == 1 ? .big : byteOrder
    }

    /// For example `24-bit little-endian signed integer`.
    public var description: String {
        let name =
            switch kind {
            case .signedInteger: "signed integer"
            case .unsignedInteger: "unsigned integer"
            case .float: "float"
            }
        let order = bytesPerSample == 1 ? "" : byteOrder == .big ? "big-endian " : "little-endian "
        let width = bits == bytesPerSample * 8 ? "\(bits)-bit " : "\(bits)-bit (in \(bytesPerSample * 8)) "
        return "\(width)\(order)\(name)"
    }
}
