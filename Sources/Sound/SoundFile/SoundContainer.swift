/// The kind of file that holds a sound.
public enum SoundContainer: String, Sendable, Hashable, CaseIterable {
    /// Core Audio Format.
    case caf = "CAF"
    /// Audio Interchange File Format, big-endian integers only.
    case aiff = "AIFF"
    /// AIFF-C, which adds codecs to AIFF.
    case aifc = "AIFF-C"
    /// RIFF WAVE.
    case wave = "WAVE"
    /// RIFF WAVE with everything big-endian.
    case rifx = "RIFX"
    /// RIFF WAVE with 64-bit sizes (EBU Tech 3306; `BW64` is read as the same).
    case rf64 = "RF64"
    /// Frames of MPEG audio, Layer III, with or without ID3 tags. It is read only.
    case mp3 = "MP3"
    /// Ogg, with Vorbis or Opus. It is read only.
    case ogg = "Ogg"
    /// FLAC's own container. It is read only.
    case flac = "FLAC"
}
