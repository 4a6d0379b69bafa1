/// Counts which frames of a sound were written to a stream, and which of them were heard.
struct PlaybackLedger: Sendable {
    /// Frames of the whole sound.
    private(set) var total: Int64
    /// The frame at which the sound ends: its last one, unless it was ``cut()``.
    private var end: Int64
    /// The next frame of the sound to write.
    private(set) var written: Int64 = 0
    /// Zeros written after the sound since the stream was last empty.
    private(set) var padded: Int64 = 0
    /// Frames of the sound known to have been heard.
    private(set) var heard: Int64 = 0
    /// The frame of the sound that was written first since the stream was last empty.
    private var base: Int64 = 0

    /// A sound of `total` frames, none of them written.
    init(total: Int64) {
        self.total = total
        end = total
    }

    /// Whether all of the sound was written.
    var isWritten: Bool { written == end }
    /// Whether all of the sound was heard.
    var isHeard: Bool { heard == end }
    /// Whether the sound ends before its last frame.
    private(set) var isCut = false
    /// Frames of the sound written since the stream was last empty.
    var ahead: Int64 { written - base }

    /// The next frames to write, at most `count`.
    func next(_ count: Int) -> Range<Int64> {
        written..<min(end, written + Int64(count))
    }

    /// The stream took `count` frames of the sound.
    mutating func wrote(_ count: Int) {
        written += Int64(count)
    }

    /// The last `count` frames, zeros first, were taken back; never more than are in the stream and not heard.
    mutating func takeBack(_ count: Int) {
        let count = Int64(count)
        let zeros = min(padded, count)
        padded -= zeros
        written = max(written - (count - zeros), heard, base)
    }

    /// The sound ends with the frame that was written last.
    mutating func cut() {
        end = written
        isCut = true
    }

    /// The sound ends after `frames` frames, or with the round, of `round` frames, that was begun to be written. One that was
    /// written to its end stays as it is.
    mutating func end(after frames: Int64, rounds round: Int) {
        if isWritten { return }
        let round = Int64(round)
        let begun = (max(0, written - frames) + round - 1) / round
        total = frames + begun * round
        end = total
    }

    /// The stream took `count` zeros.
    mutating func pad(_ count: Int) {
        padded += Int64(count)
    }

    /// `left` frames, zeros included, have not been heard yet.
    mutating func note(left: Int) {
        // A device's own queue may be longer than what was written; after an underrun `left` may be negative.
        heard = max(heard, min(max(position(left: left), base), written))
    }

    /// The stream's position while `left` frames, zeros and the device's own queue included, have not been heard. It
    /// changes for as long as the stream runs.
    func position(left: Int) -> Int64 { written + padded - Int64(left) }

    /// How many frames must still be heard until the sound is over, if all of it is written and `left` frames, zeros
    /// included, have not been heard.
    func soundLeft(of left: Int) -> Int { Int(max(0, Int64(left) - padded)) }

    /// Frames that were written and not heard are lost, and have to be written again.
    mutating func rewind() {
        written = heard
    }

    /// The stream is empty.
    mutating func restart() {
        base = written
        padded = 0
    }
}
