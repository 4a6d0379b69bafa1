import FourCharacterCodes

/// Reads MP3: frames one after another, with tags before, between and behind them. Nothing counts the frames but a walk through
/// all of them. Where something else than a frame or a tag follows one, the next two that match are looked for.
enum MPEGHeader {
    /// The header for the frames in `range`; nil if there are none.
    static func parse(
        _ input: inout HeaderInput<some ByteSource>, _ range: Range<Int64>, _ container: SoundContainer = .mp3
    ) throws(SoundFileError) -> ParsedHeader? {
        var words = Words(end: range.upperBound)
        let begin = try input.behindTags(at: range.lowerBound)
        guard let start = try words.start(at: begin, in: &input), let first = try words.frame(at: start, in: &input)
        else {
            return nil
        }
        var dataOffset = start
        var parsed = ParsedHeader(
            container: container, codec: .mpegLayer3, sampleRate: Double(first.sampleRate), channels: first.channels,
            dataOffset: start, dataSize: 0, isTruncated: false, bytesPerPacket: 1, framesPerPacket: first.frames)
        let description = try Description(of: first, at: start, in: &input)
        if description != nil { dataOffset += Int64(first.bytes) }
        var (end, packets) = (dataOffset, Int64(0))
        while true {
            guard let frame = try words.frame(at: end, in: &input), frame.matches(first) else {
                let behindTags = try input.behindTags(at: end)
                guard let next = try words.next(from: behindTags, like: first, in: &input) else {
                    if try words.isSound(behindTags, like: first, in: &input) { parsed.isTruncated = true }
                    break
                }
                parsed.gaps.append((end - dataOffset, next - end))
                parsed.skippedBytes += next - behindTags
                end = next
                continue
            }
            guard end + Int64(frame.bytes) <= range.upperBound, parsed.gaps.count <= SoundLimits.mpegGaps else {
                parsed.isTruncated = true
                break
            }
            guard packets < SoundLimits.mpegFrames else {
                throw SoundFileError(
                    .tooManyChunks, expected: "at most \(SoundLimits.mpegFrames) frames", found: "more", offset: end)
            }
            // A file that was joined from several has the description of each.
            if try words.isDescription(frame, at: end, in: &input) {
                parsed.gaps.append((end - dataOffset, Int64(frame.bytes)))
            } else {
                packets += 1
            }
            end += Int64(frame.bytes)
        }
        // Its encoder counted more frames or bytes, or the description is cut off.
        if packets + 1 < description?.packets ?? 0 || start + (description?.bytes ?? 0) > range.upperBound
            || end > range.upperBound
        {
            parsed.isTruncated = true
        }
        let front = try input.bytes(at: begin, count: Int(start - begin))
        if front.count >= first.bytes, !front.allSatisfy({ $0 == 0 }) { parsed.skippedBytes += start - begin }
        parsed.dataOffset = dataOffset
        parsed.dataSize = end - dataOffset
        parsed.packets = packets
        let gapBytes = parsed.gaps.reduce(0) { $0 + $1.bytes }
        parsed.bytesPerPacket = packets == 0 ? 1 : Int((parsed.dataSize - gapBytes) / packets)
        if let description {
            let total = packets * Int64(first.frames)
            parsed.primingFrames = min(description.priming, total)
            // The padding is at an end that may be missing, or have another file behind it.
            let isWhole = !parsed.isTruncated && (description.packets == 0 || packets <= description.packets)
            parsed.countedFrames = max(0, total - parsed.primingFrames - (isWhole ? description.remainder : 0))
        }
        return parsed
    }

    /// What an encoder wrote into a first frame that has no sound.
    private struct Description {
        /// How many frames of MPEG audio follow; 0 where it does not say.
        var packets: Int64 = 0
        /// How many bytes all frames have, this one too; 0 where it does not say.
        var bytes: Int64 = 0
        /// Frames to leave out at the beginning and the end.
        var priming: Int64 = 0
        var remainder: Int64 = 0

        /// How many frames late a decoder is.
        private static let delay: Int64 = 529

        /// Nil if the frame has sound.
        init?(
            of frame: MPEGFrame, at offset: Int64, in input: inout HeaderInput<some ByteSource>
        ) throws(SoundFileError) {
            let bytes = try input.bytes(at: offset, count: min(frame.bytes, 256))
            func has(_ name: StaticString, at place: Int) -> Bool {
                // SAFETY: a static string's bytes live as long as the program.
                place + 4 <= bytes.count
                    && UnsafeBufferPointer(start: name.utf8Start, count: 4).elementsEqual(bytes[place..<place + 4])
            }
            if has("VBRI", at: 36) { return }
            let start = frame.descriptionOffset
            guard has("Xing", at: start) || has("Info", at: start), start + 8 <= bytes.count else { return nil }
            let fields = bytes[start + 7]
            // Counts of frames and bytes, a table of places, the quality: each is there or not.
            var encoder = start + 8
            func count(_ field: UInt8) -> Int64 {
                guard fields & field != 0 else { return 0 }
                defer { encoder += 4 }
                guard encoder + 4 <= bytes.count else { return 0 }
                return bytes[encoder..<encoder + 4].reduce(0) { $0 << 8 | Int64($1) }
            }
            packets = count(1)
            self.bytes = count(2)
            encoder += (fields & 4 != 0 ? 100 : 0) + (fields & 8 != 0 ? 4 : 0)
            guard has("LAME", at: encoder) || has("Lavc", at: encoder) || has("Lavf", at: encoder),
                encoder + 24 <= bytes.count
            else { return }
            let (first, second, third) = (bytes[encoder + 21], bytes[encoder + 22], bytes[encoder + 23])
            priming = Int64(first) << 4 + Int64(second >> 4) + Self.delay
            remainder = max(0, Int64(second & 15) << 8 + Int64(third) - Self.delay)
        }
    }

    /// Reads words of the file, many at a time.
    private struct Words {
        let end: Int64
        private var bytes: [UInt8] = []
        private var offset: Int64 = 0
        private static let most = 65_536

        init(end: Int64) {
            self.end = end
        }

        /// The header at `place`; nil if there is none.
        mutating func frame(
            at place: Int64, in input: inout HeaderInput<some ByteSource>
        ) throws(SoundFileError) -> MPEGFrame? {
            if place < offset || place + 4 > offset + Int64(bytes.count) {
                // A search goes back by less than two frames.
                offset = max(0, place - 4096)
                bytes = try input.bytes(at: offset, count: Int(min(Int64(Self.most), max(0, end - offset))))
            }
            return word(at: place).flatMap(MPEGFrame.init)
        }

        /// Whether the frame at `place` describes a file (Xing, Info, VBRI), and has no sound.
        mutating func isDescription(
            _ frame: MPEGFrame, at place: Int64, in input: inout HeaderInput<some ByteSource>
        ) throws(SoundFileError) -> Bool {
            // Reads the bytes up to there, and some before.
            _ = try self.frame(at: place + 36, in: &input)
            let name = word(at: place + Int64(frame.descriptionOffset))
            return name == 0x5869_6E67 || name == 0x496E_666F || word(at: place + 36) == 0x5642_5249
        }

        /// Where the first frame is, at `begin` or within 64 KiB behind it: one of two that match, or one alone at `begin`.
        mutating func start(
            at begin: Int64, in input: inout HeaderInput<some ByteSource>
        ) throws(SoundFileError) -> Int64? {
            if let frame = try frame(at: begin, in: &input) {
                let behind = begin + Int64(frame.bytes)
                if behind >= end { return begin }
                if try isDescription(frame, at: begin, in: &input) { return begin }
                if try self.frame(at: behind, in: &input) == nil, isTag(at: behind) { return begin }
            }
            return try next(from: begin, like: nil, in: &input)
        }

        /// The first of two frames that match each other and `first`, or of one at the end, from `begin` on within 64 KiB.
        mutating func next(
            from begin: Int64, like first: MPEGFrame?, in input: inout HeaderInput<some ByteSource>
        ) throws(SoundFileError) -> Int64? {
            for place in begin..<max(begin, min(begin + Int64(Self.most), end - 4)) {
                guard let frame = try frame(at: place, in: &input), first.map(frame.matches) ?? true else { continue }
                let behind = place + Int64(frame.bytes)
                if first != nil, behind == end { return place }
                if let other = try self.frame(at: behind, in: &input), frame.matches(other) { return place }
            }
            return nil
        }

        /// Whether what is left at `place`, behind the last frame and its tags, is sound or a part of it.
        mutating func isSound(
            _ place: Int64, like first: MPEGFrame, in input: inout HeaderInput<some ByteSource>
        ) throws(SoundFileError) -> Bool {
            let left = end - place
            if left < 4 { return try input.bytes(at: place, count: Int(max(0, left))).first == 0xFF }
            // A frame that is cut off, or of another kind.
            if try frame(at: place, in: &input) != nil { return true }
            // A search has found no frame in lyrics.
            if left < Int64(first.bytes) || word(at: place) == 0x4C59_5249 && left <= Int64(Self.most) { return false }
            for piece in stride(from: place, to: min(end, place + SoundLimits.padding), by: Self.most) {
                let bytes = try input.bytes(at: piece, count: Int(min(Int64(Self.most), end - piece)))
                if !bytes.allSatisfy({ $0 == 0 }) { return true }
            }
            return left > SoundLimits.padding
        }

        /// Whether a tag begins at `place`, where a frame was looked for.
        func isTag(at place: Int64) -> Bool {
            guard let word = word(at: place) else { return true }
            // TAG, ID3, APET(AGEX), LYRI(CSBEGIN), zeros.
            return [0x54_4147, 0x49_4433].contains(word >> 8) || [0x4150_4554, 0x4C59_5249, 0].contains(word)
        }

        private func word(at place: Int64) -> UInt32? {
            let index = Int(place - offset)
            guard index >= 0, index + 4 <= bytes.count else { return nil }
            return UInt32(bytes[index]) << 24 | UInt32(bytes[index + 1]) << 16 | UInt32(bytes[index + 2]) << 8
                | UInt32(bytes[index + 3])
        }
    }
}
