/// Builds files by hand, so that tests of the reader do not rest on the writer.
final class FileBytes {
    var bytes: [UInt8] = []

    static func wave(_ samples: [Int16], sampleRate: UInt32 = 48_000, channels: UInt16 = 1) -> [UInt8] {
        wave(of: samples, sampleRate: sampleRate, channels: channels)
    }

    static func wave<Sample: FixedWidthInteger>(of samples: [Sample], sampleRate: UInt32, channels: UInt16) -> [UInt8] {
        let file = FileBytes()
        let width = UInt16(Sample.bitWidth / 8)
        let size = UInt32(samples.count) * UInt32(width)
        file.text("RIFF").little(36 + size).text("WAVE")
        file.text("fmt ").little(UInt32(16)).little(UInt16(1)).little(channels).little(sampleRate)
        file.little(sampleRate * UInt32(channels * width)).little(channels * width).little(8 * width)
        file.text("data").little(size)
        for sample in samples { file.little(sample) }
        return file.bytes
    }

    static func caf(
        _ samples: [Int16], sampleRate: Double = 48_000, channels: UInt32 = 1, unknownSize: Bool = false
    ) -> [UInt8] {
        let file = FileBytes()
        file.text("caff").big(UInt16(1)).big(UInt16(0))
        file.text("desc").big(UInt64(32)).big(sampleRate.bitPattern).text("lpcm").big(UInt32(0))
        file.big(channels * 2).big(UInt32(1)).big(channels).big(UInt32(16))
        file.text("data").big(unknownSize ? UInt64.max : UInt64(4 + samples.count * 2)).big(UInt32(7))
        for sample in samples { file.big(UInt16(bitPattern: sample)) }
        return file.bytes
    }

    @discardableResult
    func text(_ text: String) -> FileBytes {
        bytes += Array(text.utf8)
        return self
    }

    @discardableResult
    func little<T: FixedWidthInteger>(_ value: T) -> FileBytes {
        for shift in stride(from: 0, to: T.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> T(shift)))
        }
        return self
    }

    @discardableResult
    func big<T: FixedWidthInteger>(_ value: T) -> FileBytes {
        little(value.byteSwapped)
    }
}
