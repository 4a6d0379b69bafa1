import FourCharacterCodes

/// Reads MP3: frames one after another, with tags before and behind them. Nothing counts the frames but a walk through all of
/// them.
enum MPEGHeader {
    /// Whether a file that begins so may be MP3: with a tag, or the first bits of a frame.
    static func mayBegin(with code: FourCharacterCode) -> Bool {
        code.rawValue >> 8 == 0x49_4433 || code.rawValue >> 21 == 0x7FF
    }

    static func parse(_ input: inout HeaderInput<some ByteSource>) throws(SoundFileError) -> SoundPlan {
        var words = Words()
        let start = try skipTags(&input, &words)
        guard let first = try words.frame(at: start, in: &input) else {
            throw SoundFileError(
                .notASound, expected: "a frame of MPEG audio, Layer III", found: "other bytes", offset: start)
        }
        var dataOffset = start
        var plan = SoundPlan(
            container: .mp3, codec: .mpegLayer3, sampleRate: Double(first.sampleRate), channels: first.channels,
            dataOffset: start, dataSize: 0, isTruncated: false, bytesPerPacket: 1, framesPerPacket: first.frames)
        let description = try Description(of: first, at: start, in: &input)
        if description != nil { dataOffset += Int64(first.bytes) }
        var (end, packets) = (dataOffset, Int64(0))
        while let frame = try words.frame(at: end, in: &input), frame.matches(first) {
            guard end + Int64(frame.bytes) <= input.size else {
                plan.isTruncated = true
                break
            }
            guard packets < SoundLimits.mpegFrames else {
                throw SoundFileError(
                    .tooManyChunks, expected: "at most \(SoundLimits.mpegFrames) frames", found: "more", offset: end)
            }
            end += Int64(frame.bytes)
            packets += 1
        }
        // The bits of one header occur by chance in any data, and in other layers' frames.
        guard packets != 1 || description != nil || end == input.size || plan.isTruncated || words.isTag(at: end) else {
            throw SoundFileError(.notASound, expected: "another frame of MPEG audio", found: "other bytes", offset: end)
        }
        // Its encoder counted more frames or bytes, the description is cut off, or what follows is no tag: the rest is damaged or
        // missing.
        if packets + 1 < description?.packets ?? 0 || start + (description?.bytes ?? 0) > input.size || end > input.size
            || (1...3).contains(input.size - end) || (end < input.size && !words.isTag(at: end))
        {
            plan.isTruncated = true
        }
        plan.dataOffset = dataOffset
        plan.dataSize = end - dataOffset
        plan.packets = packets
        plan.bytesPerPacket = packets == 0 ? 1 : Int(plan.dataSize / packets)
        if let description {
            let total = packets * Int64(first.frames)
            plan.primingFrames = min(description.priming, total)
            // The padding is at an end that may be missing.
            plan.countedFrames = max(0, total - plan.primingFrames - (plan.isTruncated ? 0 : description.remainder))
        }
        return plan
    }

    /// The offset behind ID3 tags of version 2, and the zeros that may follow one.
    private static func skipTags(
        _ input: inout HeaderInput<some ByteSource>, _ words: inout Words
    ) throws(SoundFileError) -> Int64 {
        var offset: Int64 = 0
        for _ in 0..<SoundLimits.chunks {
            let header = try input.bytes(at: offset, count: 10)
            guard header.count == 10, header[..<3] == [0x49, 0x44, 0x33] else { break }
            let size = header[6...].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
            offset += 10 + size + (header[5] & 0x10 != 0 ? 10 : 0)
        }
        guard offset > 0 else { return 0 }
        let padding = try input.bytes(at: offset, count: SoundLimits.textBytes)
        return offset + Int64(padding.firstIndex { $0 != 0 } ?? 0)
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
        private var bytes: [UInt8] = []
        private var offset: Int64 = 0
        private static let most = 65_536

        /// The header at `place`; nil if there is none.
        mutating func frame(
            at place: Int64, in input: inout HeaderInput<some ByteSource>
        ) throws(SoundFileError) -> MPEGFrame? {
            if place < offset || place + 4 > offset + Int64(bytes.count) {
                bytes = try input.bytes(at: place, count: Self.most)
                offset = place
            }
            return word(at: place).flatMap(MPEGFrame.init)
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
            return bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}
