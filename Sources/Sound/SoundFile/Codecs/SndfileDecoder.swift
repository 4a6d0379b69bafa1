#if canImport(CSndfile)
import CSndfile

/// Decodes Ogg Vorbis, Ogg Opus and FLAC with libsndfile. What their headers say of the length may be wrong: the sound ends where
/// the decoder has no more. One thread at a time.
///
/// The library is always asked for the same number of frames: at damaged places its answer depends on it.
final class SndfileDecoder {
    private let input: SndfileInput
    private let decoder: OpaquePointer
    private let channels: Int
    private let isFLAC: Bool
    /// Where a frame of the library has each of the channels, in the order of WAV files.
    private let order: [Int]
    private var scratch: [UInt32]
    /// The frames in it that were not returned yet.
    private var ready = 0..<0
    private var isOver = false
    /// Whether a damaged place was found.
    private(set) var isDamaged = false
    /// Ogg has the center before the right, and the low frequencies last ("Vorbis I specification", 4.3.9; RFC 7845, 5.1.1.2).
    private static let oggOrders = [
        3: [0, 2, 1], 5: [0, 2, 1, 3, 4], 6: [0, 2, 1, 5, 3, 4], 7: [0, 2, 1, 6, 5, 3, 4], 8: [0, 2, 1, 7, 5, 6, 3, 4],
    ]
    private static let codecs = "Ogg Vorbis, Ogg Opus, or FLAC outside of Ogg"

    /// A decoder of the bytes of sound from `offset` on. A sound of which nothing can be decoded is refused.
    init(_ source: some ByteSource, from offset: Int64, _ parsed: inout ParsedHeader) throws(SoundFileError) {
        // The library would end where FLAC's header says.
        let isCounted = parsed.container == .flac && parsed.countedFrames != nil
        input = SourceInput(source, from: offset, size: parsed.dataSize, hides: isCounted ? 21..<26 : 0..<0)
        var info = ringer_sndfile_info()
        let read: ringer_sndfile_read = { context, place, buffer, count, damaged, searched in
            if damaged > SoundLimits.flacDamagedPlaces || searched > SoundLimits.flacSearchedBytes { return 0 }
            // SAFETY: it is the input that the decoder keeps, and the library's buffer of `count` bytes.
            guard let context, let buffer else { return 0 }
            let input = Unmanaged<SndfileInput>.fromOpaque(context).takeUnretainedValue()
            return input.read(
                at: place, into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(clamping: count)))
        }
        // SAFETY: the input outlives the decoder, which is closed first.
        let context = Unmanaged.passUnretained(input).toOpaque()
        guard let decoder = ringer_sndfile_open(read, context, input.size, &info) else {
            if let failure = input.failure { throw failure }
            guard ringer_sndfile_is_present() else { throw .missingSndfile(parsed, at: offset) }
            // FLAC that is cut off there is not known to be. Ogg that only has another stream behind it is not.
            let isPart = parsed.isTruncated && offset + input.size >= min(source.size, SoundLimits.fileSize)
            throw SoundFileError(
                isPart ? .truncatedHeader : parsed.container == .flac ? .invalidHeader : .unsupportedCodec,
                expected: Self.codecs, found: isPart ? "a part of a file" : "what libsndfile cannot decode",
                offset: offset)
        }
        self.decoder = decoder
        channels = max(1, Int(info.channels))
        isFLAC = info.codec == RINGER_SNDFILE_FLAC
        order = (isFLAC ? nil : Self.oggOrders[channels]) ?? Array(0..<channels)
        scratch = [UInt32](repeating: 0, count: max(4096, channels))
        if let failure = input.failure { throw failure }
        (parsed.sampleRate, parsed.channels) = (Double(info.rate), Int(info.channels))
        switch info.codec {
        case RINGER_SNDFILE_VORBIS: parsed.codec = .vorbis
        case RINGER_SNDFILE_OPUS: parsed.codec = .opus
        case RINGER_SNDFILE_FLAC: parsed.codec = .flac
        default:
            throw SoundFileError(
                .unsupportedCodec, expected: Self.codecs, found: "another codec", offset: offset)
        }
        parsed.bits = Int(info.bits)
        parsed.framesPerPacket = Int(clamping: max(0, info.frames))
        try refill()
        if ready.isEmpty { throw .withoutFrames(isTruncated: info.frames > 0 || parsed.isTruncated, at: offset) }
    }

    deinit { ringer_sndfile_close(decoder) }

    /// Decodes up to `frames` frames; fewer only at the end.
    func read<T: DecodedSample>(_ frames: Int, into output: inout MutableSpan<T>) throws(SoundFileError) -> Int {
        var done = 0
        while done < frames {
            if ready.isEmpty { try refill() }
            let taken = ready.prefix(frames - done)
            guard !taken.isEmpty else { break }
            for frame in 0..<taken.count {
                for channel in 0..<channels {
                    let word = scratch[(taken.lowerBound + frame) * channels + order[channel]]
                    output[(done + frame) * channels + channel] =
                        isFLAC ? T(sample32: Int32(bitPattern: word)) : T(sampleFloat: Float(bitPattern: word))
                }
            }
            ready = taken.upperBound..<ready.upperBound
            done += taken.count
        }
        return done
    }

    /// Counts the frames that are left, up to `most`.
    func count(upTo most: Int) throws(SoundFileError) -> Int {
        var count = 0
        while count < most, !ready.isEmpty {
            count += ready.count
            try refill()
        }
        return count
    }

    /// Whether FLAC was damaged, has more than its header counts, or another file of it behind this one.
    func lacks() throws(SoundFileError) -> Bool {
        guard isFLAC else { return false }
        if ready.isEmpty { try refill() }
        if !ready.isEmpty || isDamaged { return true }
        // Around the library's place, which reads ahead.
        let start = max(1, input.position - 65_536)
        var bytes = [UInt8](repeating: 0, count: Int(max(0, min(131_072, input.size - start))))
        _ = bytes.withUnsafeMutableBytes { input.read(at: start, into: $0) }
        if let failure = input.failure { throw failure }
        return bytes.indices.dropLast(7).contains { place in
            bytes[place] == UInt8(ascii: "f") && bytes[place...].starts(with: "fLaC".utf8)
                && bytes[place + 5..<place + 8].elementsEqual([0, 0, 34])
        }
    }

    /// Decodes the next frames, none at the end.
    private func refill() throws(SoundFileError) {
        ready = 0..<0
        guard !isOver else { return }
        let frames = scratch.count / channels
        input.budget = SoundLimits.libraryBytes
        var hasError = false
        // SAFETY: there is room for that many frames of 32-bit samples.
        let got = scratch.withUnsafeMutableBytes {
            ringer_sndfile_decode(decoder, $0.baseAddress, Int64(frames), &hasError)
        }
        if let failure = input.failure { throw failure }
        ready = 0..<min(max(0, Int(got)), frames)
        isOver = ready.isEmpty
        // With fewer frames than asked for, the error may be that of what follows the sound.
        if hasError, try ready.count == frames ? true : endsWithFrame(orZeros: false) == true { isDamaged = true }
    }

    /// Whether FLAC ends with a whole frame, and at most zeros behind it; nil if no frame begins in the last 128 KiB.
    func endsWithFrame(orZeros: Bool) throws(SoundFileError) -> Bool? {
        let (place, start) = (input.position, max(0, input.size - 131_072))
        input.budget = SoundLimits.libraryBytes
        var bytes = [UInt8](repeating: 0, count: Int(input.size - start))
        _ = bytes.withUnsafeMutableBytes { input.read(at: start, into: $0) }
        input.position = place
        if let failure = input.failure { throw failure }
        // Few other places look like the beginning of a frame.
        let frames = bytes.indices.reversed().lazy.filter {
            bytes[$0] == 0xFF && Self.isHeader(bytes[$0...].prefix(16))
        }
        .prefix(2)
        if frames.isEmpty { return nil }
        // Zeros may be a part of the checksum.
        return (orZeros || bytes.last != 0) && frames.contains { Self.remainder(bytes[$0...], 0x8005) == 0 }
    }

    /// Whether the header of a frame of FLAC is at the beginning of `bytes` (RFC 9639, 9.1).
    private static func isHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
        let header = Array(bytes)
        guard header.count > 5, header[0] == 0xFF, header[1] & 0xFE == 0xF8 else { return false }
        let sizes = ([6: 1, 7: 2][header[2] >> 4] ?? 0) + ([12: 1, 13: 2, 14: 2][header[2] & 15] ?? 0)
        let count = 5 + max(1, (~header[4]).leadingZeroBitCount) + sizes
        return header.count >= count && remainder(header[..<count], 0x0700) == 0
    }

    /// What a checksum of 16 bits, or of 8 in the upper ones, leaves; 0 behind the checksum itself.
    private static func remainder(_ bytes: ArraySlice<UInt8>, _ polynomial: UInt16) -> UInt16 {
        bytes.reduce(0) { rest, byte in
            (0..<8).reduce(rest ^ UInt16(byte) << 8) { rest, _ in rest << 1 ^ (rest >> 15) &* polynomial }
        }
    }
}

/// The source of a decoder's bytes, for the library's calls.
private class SndfileInput {
    let size: Int64
    /// The first error of the source.
    final var failure: SoundFileError?
    /// How many more bytes are read for the library's call.
    final var budget = SoundLimits.libraryBytes
    /// The end of what was read last.
    final var position: Int64 = 0

    init(size: Int64) {
        self.size = size
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int64 { 0 }
}

private final class SourceInput<Source: ByteSource>: SndfileInput {
    private var source: Source
    private let start: Int64
    /// Where FLAC's header counts the samples, if that is read as 0, for unknown.
    private let hidden: Range<Int64>

    init(_ source: Source, from start: Int64, size: Int64, hides hidden: Range<Int64>) {
        (self.source, self.start, self.hidden) = (source, start, hidden)
        super.init(size: size)
    }

    override func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int64 {
        guard failure == nil else { return 0 }
        var span = MutableRawSpan(_unsafeBytes: buffer)
        budget -= buffer.count
        do throws(SoundFileError) {
            if budget < 0 {
                throw SoundFileError(
                    .invalidHeader, expected: "the sound's packets",
                    found: "none in \(SoundLimits.libraryBytes >> 20) MiB", offset: start + offset)
            }
            try source.fill(&span, at: start + offset)
            position = offset + Int64(buffer.count)
            for place in hidden.clamped(to: offset..<position) {
                // The first byte has four bits of something else.
                buffer[Int(place - offset)] &= place == hidden.lowerBound ? 0xF0 : 0
            }
            return Int64(buffer.count)
        } catch {
            failure = error
            return 0
        }
    }
}
#else
struct SndfileDecoder {
    init(_ source: some ByteSource, from offset: Int64, _ parsed: inout ParsedHeader) throws(SoundFileError) {
        throw .missingSndfile(parsed, at: offset)
    }

    func read<T: DecodedSample>(_ frames: Int, into output: inout MutableSpan<T>) throws(SoundFileError) -> Int { 0 }
    var isDamaged: Bool { false }
    func count(upTo most: Int) throws(SoundFileError) -> Int { 0 }
    func lacks() throws(SoundFileError) -> Bool { false }
    func endsWithFrame(orZeros: Bool) throws(SoundFileError) -> Bool? { nil }
}
#endif

extension SoundFileError {
    fileprivate static func missingSndfile(_ parsed: ParsedHeader, at offset: Int64) -> SoundFileError {
        SoundFileError(
            .missingLibrary,
            expected: "libsndfile.so.1, of the package libsndfile1, to decode \(parsed.container.rawValue)",
            found: "no such library", offset: offset)
    }
}

/// Reads the headers of what libsndfile decodes.
enum SndfileHeader {
    static func parse(
        _ input: inout HeaderInput<some ByteSource>, as container: SoundContainer
    ) throws(SoundFileError) -> ParsedHeader {
        // What is behind Ogg's last page, or a tag behind FLAC, would mislead the library.
        let isTagged = try input.bytes(at: max(0, input.size - 128), count: 3).starts(with: "TAG".utf8)
        let (end, isWhole) =
            container == .ogg ? try firstStream(&input) : (input.size - (isTagged ? 128 : 0), true)
        var parsed = ParsedHeader(
            container: container, codec: .flac, sampleRate: 0, channels: 0, dataOffset: 0, dataSize: end,
            isTruncated: !isWhole, bytesPerPacket: Int(clamping: end), framesPerPacket: 1)
        let decoder = try SndfileDecoder(input.source, from: input.base, &parsed)
        if container == .flac {
            // The library takes other blocks in front (RFC 9639, 8: the first is STREAMINFO), and its count of frames is not there.
            let block = try input.bytes(at: 4, count: 4)
            guard block.count < 4 || block[0] & 0x7F == 0 && block[1...].elementsEqual([0, 0, 34]) else {
                throw SoundFileError(
                    .invalidHeader, expected: "STREAMINFO of 34 bytes first",
                    found: "a block of type \(block[0] & 0x7F)", offset: input.base + 4)
            }
        }
        try parsed.requireSensible(rateAt: 0, channelsAt: 0)
        // Encoders that cannot go back do not fill it in.
        if !(1...SoundLimits.libraryFrames).contains(parsed.framesPerPacket) {
            let limit = (input.maximumDuration?.inSeconds ?? .infinity) * parsed.sampleRate
            let most = Int(min(limit + 1, Double(SoundLimits.libraryFrames)))
            parsed.framesPerPacket = try decoder.count(upTo: most)
            let isCut = container == .flac ? try decoder.endsWithFrame(orZeros: true) == false : false
            if parsed.framesPerPacket >= most || decoder.isDamaged || isCut { parsed.isTruncated = true }
        }
        parsed.countedFrames = Int64(parsed.framesPerPacket)
        // All of it is one packet.
        parsed.packets = parsed.framesPerPacket > 0 ? 1 : 0
        parsed.framesPerPacket = max(1, parsed.framesPerPacket)
        return parsed
    }

    /// Where the first stream of an Ogg file ends, and whether it has all its pages, and nothing but padding or tags behind them.
    private static func firstStream(
        _ input: inout HeaderInput<some ByteSource>
    ) throws(SoundFileError) -> (end: Int64, isWhole: Bool) {
        let serial = try input.bytes(at: 14, count: 4)
        var (end, isLast) = (Int64(0), false)
        for _ in 0..<SoundLimits.oggPages where !isLast {
            let page = try input.bytes(at: end, count: 27 + 255)
            guard page.starts(with: "OggS".utf8), page.count >= 27, page.count >= 27 + Int(page[26]) else {
                return (input.size, false)
            }
            let body = 27..<27 + Int(page[26])
            end += page[body].reduce(Int64(body.upperBound)) { $0 + Int64($1) }
            isLast = page[5] & 4 != 0 && page[14..<18].elementsEqual(serial)
        }
        let behind = try input.bytes(at: end, count: 65_536)
        let isFollowed = behind.indices.contains {
            behind[$0] == UInt8(ascii: "O") && behind[$0...].starts(with: "OggS".utf8)
        }
        return isLast && end <= input.size ? (end, !isFollowed) : (input.size, false)
    }
}
