import SoundFile

/// The spellings of formats as in afconvert.
enum SoundFormatNames {
    /// A container by its four letters or its usual file extension, in any case.
    static func container(_ name: String) -> SoundContainer? {
        switch name.lowercased() {
        case "caff", "caf": .caf
        case "aiff", "aif": .aiff
        case "aifc": .aifc
        case "wave", "wav": .wave
        case "rf64": .rf64
        default: nil
        }
    }

    /// A codec by name: `ima4`, `ulaw`, `alaw`, or linear PCM as `[BE|LE](I|UI|F)(8|16|24|32|64)`.
    static func codec(_ name: String) -> SoundCodec? {
        switch name.lowercased() {
        case "ima4": return .ima4
        case "ulaw": return .uLaw
        case "alaw": return .aLaw
        default: break
        }
        var rest = name[...]
        var order = LinearPCM.ByteOrder.little
        if rest.hasPrefix("BE") || rest.hasPrefix("LE") {
            order = rest.hasPrefix("BE") ? .big : .little
            rest = rest.dropFirst(2)
        }
        let kind: LinearPCM.Kind
        if rest.hasPrefix("UI") {
            kind = .unsignedInteger
            rest = rest.dropFirst(2)
        } else if rest.hasPrefix("I") {
            kind = .signedInteger
            rest = rest.dropFirst()
        } else if rest.hasPrefix("F") {
            kind = .float
            rest = rest.dropFirst()
        } else {
            return nil
        }
        guard let bits = Int(rest), kind == .float ? [32, 64].contains(bits) : [8, 16, 24, 32].contains(bits) else {
            return nil
        }
        return .linearPCM(LinearPCM(kind, bytesPerSample: bits / 8, byteOrder: order))
    }

    /// The spelling of a codec, the reverse of ``codec(_:)``.
    static func name(_ codec: SoundCodec) -> String {
        switch codec {
        case .ima4, .imaADPCM: return "ima4"
        case .mpegLayer3: return "mp3"
        case .vorbis, .opus, .flac: return codec.description.lowercased()
        case .uLaw: return "ulaw"
        case .aLaw: return "alaw"
        case .linearPCM(let format):
            let order = format.bytesPerSample == 1 ? "" : format.byteOrder == .big ? "BE" : "LE"
            let kind =
                switch format.kind {
                case .signedInteger: "I"
                case .unsignedInteger: "UI"
                case .float: "F"
                }
            return "\(order)\(kind)\(format.bits)"
        }
    }

    /// The default codec of a container: 16-bit samples in its own byte order.
    static func usualCodec(in container: SoundContainer) -> SoundCodec {
        let isBig = container == .aiff || container == .aifc
        return .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: isBig ? .big : .little))
    }

    /// The rate, without a fraction if it is a whole number.
    static func rate(_ rate: Double) -> String {
        Int64(exactly: rate).map(String.init) ?? "\(rate)"
    }
}
