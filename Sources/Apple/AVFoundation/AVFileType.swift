// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The types of sound files, as hints for `AVAudioPlayer`: contents count, not the hint.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let aifc = AVFileType(rawValue: "public.aifc-audio")
    public static let aiff = AVFileType(rawValue: "public.aiff-audio")
    public static let caf = AVFileType(rawValue: "com.apple.coreaudio-format")
    public static let m4a = AVFileType(rawValue: "com.apple.m4a-audio")
    public static let mp3 = AVFileType(rawValue: "public.mp3")
    public static let wav = AVFileType(rawValue: "com.microsoft.waveform-audio")
}
