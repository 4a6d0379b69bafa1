// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The types of sound files, as hints for `AVAudioPlayer`: contents count, not the hint.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// AIFF-C.
    public static let aifc = AVFileType(rawValue: "public.aifc-audio")
    /// AIFF.
    public static let aiff = AVFileType(rawValue: "public.aiff-audio")
    /// Core Audio Format.
    public static let caf = AVFileType(rawValue: "com.apple.coreaudio-format")
    /// MPEG-4 audio.
    public static let m4a = AVFileType(rawValue: "com.apple.m4a-audio")
    /// MP3.
    public static let mp3 = AVFileType(rawValue: "public.mp3")
    /// WAVE.
    public static let wav = AVFileType(rawValue: "com.microsoft.waveform-audio")
}
