/// The arithmetic of a block of WAV's IMA ADPCM.
///
/// Source: the IMA Digital Audio Focus and Technical Working Groups' recommended practices, and WAVE_FORMAT_DVI_ADPCM.
enum IMABlock {
    /// The frames that `bytes` bytes at a block's beginning hold: one in the header, eight in each whole group.
    static func frames(inBytes bytes: Int, channels: Int, atMost limit: Int) -> Int64 {
        let header = 4 * channels
        guard bytes >= header else { return 0 }
        return Int64(min(limit, 1 + (bytes - header) / header * 8))
    }
}
