import RingerCore
import SystemPackage

/// Converts a sound from one file to another in pieces; its memory does not depend on the sound's length.
struct SoundConverter {
    /// The target format.
    struct Target {
        var container: SoundContainer
        var codec: SoundCodec
        var sampleRate: Double
        var channels: Int
    }

    private static let framesPerPiece = 4096

    private var decoder: SoundDecoder<FileByteSource>
    var info: SoundFileInfo { decoder.info }

    /// Reads the headers.
    init(_ source: FileByteSource) throws {
        decoder = try SoundDecoder(source)
    }

    /// Writes the sound to a descriptor, reports progress in input frames, and returns the frames written.
    mutating func convert(to target: Target, descriptor: FileDescriptor, progress: (Int64) -> Void) throws -> Int64 {
        let layout = target.channels == info.channels ? info.channelLayout : nil
        var encoder = try SoundEncoder(
            FileSink(descriptor: descriptor), container: target.container, codec: target.codec,
            sampleRate: target.sampleRate, channels: target.channels, channelLayout: layout)
        // Doubles hold every sample of every format exactly.
        var samples = [Double](repeating: 0, count: Self.framesPerPiece * info.channels)
        var mixed: [Double] = []
        var rates =
            target.sampleRate == info.sampleRate
            ? nil : try RateConverter(from: info.sampleRate, to: target.sampleRate, channels: target.channels)
        while true {
            var span = samples.mutableSpan
            let frames = try decoder.read(into: &span)
            if frames == 0 { break }
            let count = frames * info.channels
            if target.channels == info.channels {
                try Self.pass(span.span.extracting(0..<count), &rates, &encoder)
            } else {
                Self.mix(span.span.extracting(0..<count), from: info.channels, to: target.channels, into: &mixed)
                try Self.pass(mixed.span, &rates, &encoder)
            }
            progress(decoder.position)
        }
        try rates?.finish { try encoder.write($0) }
        let frames = encoder.frames
        _ = try encoder.finish()
        return frames
    }

    private static func pass(
        _ samples: Span<Double>, _ rates: inout RateConverter?, _ encoder: inout SoundEncoder<FileSink>
    ) throws {
        if rates == nil {
            try encoder.write(samples)
        } else {
            try rates?.convert(samples) { try encoder.write($0) }
        }
    }

    /// One channel is copied to the first two; several are averaged to one; otherwise channels are dropped, or silent
    /// ones added.
    private static func mix(_ samples: Span<Double>, from: Int, to: Int, into mixed: inout [Double]) {
        mixed.removeAll(keepingCapacity: true)
        for frame in 0..<samples.count / from {
            let place = frame * from
            if to == 1 {
                var sum = 0.0
                for channel in 0..<from { sum += samples[place + channel] }
                mixed.append(sum / Double(from))
            } else {
                for channel in 0..<to {
                    if channel < from {
                        mixed.append(samples[place + channel])
                    } else {
                        mixed.append(from == 1 && channel == 1 ? samples[place] : 0)
                    }
                }
            }
        }
    }
}
