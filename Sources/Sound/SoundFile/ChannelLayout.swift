/// The loudspeaker of each channel according to the file; the samples are never reordered.
public struct ChannelLayout: Sendable, Hashable {
    /// Core Audio's layout tag, such as 0x640001 for mono; `nil` if the container has none (WAV).
    public var tag: UInt32?
    /// One bit for each loudspeaker present: Core Audio's bitmap, WAV's channel mask. Their low 18 bits agree.
    public var bitmap: UInt32

    /// Makes a layout from a tag and a bitmap.
    public init(tag: UInt32? = nil, bitmap: UInt32) {
        self.tag = tag
        self.bitmap = bitmap
    }

    /// The bitmap, or the one that the tag of a usual layout means; 0 if neither is known.
    var speakers: UInt32 {
        if bitmap != 0 { return bitmap }
        return switch tag {
        case 0x64_0001: 0x4  // mono: the centre
        case 0x65_0002: 0x3  // stereo: left and right
        case 0x79_0006: 0x3F  // 5.1 as WAV orders it
        default: 0
        }
    }
}
