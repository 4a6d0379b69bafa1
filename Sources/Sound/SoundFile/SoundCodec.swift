/// The encoding of samples in a file.
public enum SoundCodec: Sendable, Hashable, CustomStringConvertible {
    /// Uncompressed samples.
    case linearPCM(LinearPCM)
    /// Apple's IMA 4:1: packets of 34 bytes a channel holding 64 frames.
    case ima4
    /// IMA (DVI) ADPCM as WAV has it, in blocks of any size.
    case imaADPCM
    /// ITU-T G.711 u-law, 8 bits a sample.
    case uLaw
    /// ITU-T G.711 A-law, 8 bits a sample.
    case aLaw
    /// MPEG audio, Layer III: frames of 1152 or 576 samples. It is read only, with libmpg123 (Debian: `libmpg123-0`), which is
    /// loaded when the first sound is decoded.
    case mpegLayer3
    /// Vorbis, Opus and FLAC. They are read only, with libsndfile (Debian: `libsndfile1`), which is loaded when the first of their
    /// headers is read.
    case vorbis, opus, flac

    /// The codec's name.
    public var description: String {
        switch self {
        case .linearPCM(let format): format.description
        case .ima4: "IMA 4:1"
        case .imaADPCM: "IMA ADPCM"
        case .uLaw: "u-law"
        case .aLaw: "A-law"
        case .mpegLayer3: "MPEG Layer III"
        case .vorbis: "Vorbis"
        case .opus: "Opus"
        case .flac: "FLAC"
        }
    }
}
