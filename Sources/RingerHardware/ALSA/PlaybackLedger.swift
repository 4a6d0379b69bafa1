/// Which frames of a sound were written to a stream, and which of them were heard.
struct PlaybackLedger: Sendable {
    /// Frames of the whole sound.
    let total: Int
    /// The sound's next frame to be written.
    private(set) var written = 0
    /// Zeros written behind the sound since the stream was last empty.
    private(set) var padded = 0
    /// Frames of the sound known to have been heard.
    private(set) var heard = 0
    /// The sound's frame with which the stream was last filled from empty.
    private var base = 0

    /// A sound of `total` frames, none of them written.
    init(total: Int) {
        self.total = total
    }

    /// Whether all of the sound was written.
    var isWritten: Bool { written == total }
    /// Whether all of the sound was heard.
    var isHeard: Bool { heard == total }
    /// Frames of the sound written since the stream was last empty.
    var ahead: Int { written - base }

    /// The next frames to be written, at most `count` of them.
    func next(_ count: Int) -> Range<Int> {
        written..<min(total, written + count)
    }

    /// `count` frames of the sound were taken.
    mutating func wrote(_ count: Int) {
        written += count
    }

    /// The last `count` frames of the sound were taken back; no more than are in the stream, and not heard.
    mutating func takeBack(_ count: Int) {
        written = max(written - count, heard, base)
    }

    /// `count` zeros were taken.
    mutating func pad(_ count: Int) {
        padded += count
    }

    /// `left` frames, zeros included, are still to be heard.
    mutating func note(left: Int) {
        // A device's own queue may be longer than what was written; a stream that ran dry may say less than none.
        heard = max(heard, min(max(position(left: left), base), written))
    }

    /// Where the stream is while `left` frames are still to be heard, the device's own queue and zeros included; it moves
    /// as long as the stream lives.
    func position(left: Int) -> Int { written + padded - left }

    /// How many frames must still pass for the sound to be over, when all of it is written and `left` frames, zeros
    /// included, are still to be heard.
    func soundLeft(of left: Int) -> Int { max(0, left - padded) }

    /// What was written and not heard is lost: it is to be written again.
    mutating func rewind() {
        written = heard
    }

    /// The stream is empty.
    mutating func restart() {
        base = written
        padded = 0
    }
}
