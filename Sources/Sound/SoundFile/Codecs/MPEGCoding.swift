#if canImport(CMPG123)
import CMPG123
#endif

/// Decodes MP3 with libmpg123. A copy continues the same decoding.
struct MPEGCoding {
    private let decoder: MPEGDecoder
    private let channels: Int
    /// Frames at the beginning that remain to be skipped.
    private var priming: Int64
    /// Decoded samples that were not read yet: those from `leftoverStart` to `leftoverEnd`.
    private var leftover: [Int16]
    private var leftoverStart = 0
    private var leftoverEnd = 0
    private var needsInput = true
    /// What lies between frames and is still to be skipped; offsets count from the first frame, as `place` does.
    private var gaps: ArraySlice<(offset: Int64, bytes: Int64)>
    private var place: Int64 = 0

    /// Bytes handed over at once.
    private static let mostInput = 4096
    /// A decoder that neither gives samples nor asks for input so often gets more.
    private static let mostTurns = 8

    init(_ parsed: ParsedHeader) throws(SoundFileError) {
        decoder = try MPEGDecoder(parsed)
        channels = parsed.channels
        priming = parsed.primingFrames
        gaps = parsed.gaps[...]
        leftover = [Int16](repeating: 0, count: parsed.framesPerPacket * parsed.channels)
    }

    /// Decodes `frames` frames, at most as many as the headers count. What the decoder has not, of a damaged frame, is silence.
    mutating func read(
        _ frames: Int, from input: inout StagedInput<some ByteSource>, into output: inout MutableSpan<Int16>
    ) throws(SoundFileError) {
        while priming > 0 {
            if leftoverStart == leftoverEnd { try refill(from: &input) }
            let dropped = Int(min(priming, Int64((leftoverEnd - leftoverStart) / channels)))
            leftoverStart += dropped * channels
            priming -= Int64(dropped)
        }
        let count = frames * channels
        var done = 0
        while done < count {
            if leftoverStart == leftoverEnd { try refill(from: &input) }
            let samples = min(count - done, leftoverEnd - leftoverStart)
            for index in 0..<samples { output[done + index] = leftover[leftoverStart + index] }
            leftoverStart += samples
            done += samples
        }
    }

    /// Decodes some samples, at least a frame of them.
    private mutating func refill(from input: inout StagedInput<some ByteSource>) throws(SoundFileError) {
        leftoverStart = 0
        leftoverEnd = 0
        var turns = 0
        while leftoverEnd < channels {
            if needsInput || turns == Self.mostTurns {
                while let gap = gaps.first, gap.offset == place {
                    input.skip(gap.bytes)
                    place += gap.bytes
                    gaps.removeFirst()
                }
                let left = min(input.remaining, gaps.first.map { $0.offset - place } ?? .max)
                let count = Int(min(left, Int64(min(input.most, Self.mostInput))))
                guard count > 0 else {
                    for index in leftover.indices { leftover[index] = 0 }
                    leftoverEnd = leftover.count
                    return
                }
                try input.withBytes(count) { bytes throws(SoundFileError) in
                    (leftoverEnd, needsInput) = decoder.decode(bytes, into: &leftover)
                }
                place += Int64(count)
                turns = 0
            } else {
                (leftoverEnd, needsInput) = decoder.decode(into: &leftover)
                turns += 1
            }
        }
        leftoverEnd -= leftoverEnd % channels
    }
}

#if canImport(CMPG123)
extension SoundCodec {
    /// Debian's package of the library that decodes MP3.
    package static let packageOfMP3 = RINGER_MPG123_PACKAGE
}

/// One decoder of libmpg123, which is deleted with the last reference. One thread at a time.
private final class MPEGDecoder {
    private let decoder: OpaquePointer

    init(_ parsed: ParsedHeader) throws(SoundFileError) {
        guard let decoder = ringer_mpg123_new(CLong(parsed.sampleRate), CInt(parsed.channels)) else {
            throw .missingDecoder(parsed)
        }
        self.decoder = decoder
    }

    deinit { ringer_mpg123_delete(decoder) }

    /// Decodes what `input` leads to; returns how many samples, and whether more input is needed for more.
    func decode(_ input: Span<UInt8>, into output: inout [Int16]) -> (Int, Bool) {
        input.withUnsafeBufferPointer { decode($0.baseAddress, $0.count, &output) }
    }

    /// Decodes what input before leads to.
    func decode(into output: inout [Int16]) -> (Int, Bool) { decode(nil, 0, &output) }

    private func decode(_ input: UnsafePointer<UInt8>?, _ size: Int, _ output: inout [Int16]) -> (Int, Bool) {
        var count = 0
        // SAFETY: the decoder reads and writes within the bounds that it is given, and keeps neither address.
        let needsInput = output.withUnsafeMutableBufferPointer { samples in
            guard let start = samples.baseAddress else { return true }
            return ringer_mpg123_decode(decoder, input, size, start, samples.count, &count)
        }
        return (count, needsInput)
    }
}
#else
extension SoundCodec {
    fileprivate static var packageOfMP3: String { "libmpg123-0" }
}

private final class MPEGDecoder {
    init(_ parsed: ParsedHeader) throws(SoundFileError) { throw .missingDecoder(parsed) }

    func decode(_ input: Span<UInt8>, into output: inout [Int16]) -> (Int, Bool) { (0, true) }
    func decode(into output: inout [Int16]) -> (Int, Bool) { (0, true) }
}
#endif

extension SoundFileError {
    /// The error of a codec whose library is not there.
    fileprivate static func missingDecoder(_ parsed: ParsedHeader) -> SoundFileError {
        SoundFileError(
            .missingLibrary,
            expected: "libmpg123.so.0, of the package \(SoundCodec.packageOfMP3), to decode \(parsed.codec)",
            found: "no such library", offset: parsed.dataOffset)
    }
}
