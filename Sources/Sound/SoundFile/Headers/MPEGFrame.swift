/// The header of a frame of MPEG audio, Layer III (ISO/IEC 11172-3 and 13818-3, and their extension to lower rates).
struct MPEGFrame {
    /// In hertz.
    let sampleRate: Int
    let channels: Int
    /// The frame's size with its header.
    let bytes: Int
    /// Frames of samples in it.
    let frames: Int
    /// Where encoders put a description of the whole file into the first frame.
    let descriptionOffset: Int

    /// The header that `word` is; nil if it is none, and for frames of free size.
    init?(_ word: UInt32) {
        let version = word >> 19 & 3
        let bitRate = Int(word >> 12 & 15)
        let rate = Int(word >> 10 & 3)
        // Twice a reserved value, another layer, and a reserved emphasis.
        guard word >> 21 == 0x7FF, version != 1, word >> 17 & 3 == 1, 1...14 ~= bitRate, rate < 3, word & 3 != 2 else {
            return nil
        }
        let isFirst = version == 3
        sampleRate = [44_100, 48_000, 32_000][rate] / (isFirst ? 1 : version == 2 ? 2 : 4)
        channels = word >> 6 & 3 == 3 ? 1 : 2
        frames = isFirst ? 1152 : 576
        let kilobits =
            isFirst
            ? [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][bitRate - 1]
            : [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][bitRate - 1]
        bytes = frames / 8 * kilobits * 1000 / sampleRate + Int(word >> 9 & 1)
        descriptionOffset = 4 + (isFirst ? (channels == 1 ? 17 : 32) : channels == 1 ? 9 : 17)
    }

    /// Whether `other` may be of the same sound.
    func matches(_ other: MPEGFrame) -> Bool {
        sampleRate == other.sampleRate && channels == other.channels && frames == other.frames
    }
}
