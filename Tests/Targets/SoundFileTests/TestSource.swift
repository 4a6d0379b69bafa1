import SoundFile

/// A source that hands out few bytes at a time and counts them, and can be longer than its bytes.
struct TestSource: ByteSource {
    final class Log {
        var reads = 0
        var bytes = 0
        /// The most bytes that were asked for at once.
        var most = 0
    }

    let bytes: [UInt8]
    let step: Int
    let size: Int64
    /// Where reading begins to fail, if anywhere.
    var failsAt = Int64.max
    let log = Log()

    init(_ bytes: [UInt8], step: Int = .max, size: Int64? = nil) {
        self.bytes = bytes
        self.step = step
        self.size = size ?? Int64(bytes.count)
    }

    struct Broken: Error {}

    mutating func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
        log.reads += 1
        log.most = max(log.most, buffer.byteCount)
        guard offset < failsAt else {
            throw SoundFileError(
                .readFailed, expected: "bytes", found: "a bad sector", offset: offset, underlying: Broken())
        }
        guard offset < size else { return 0 }
        let count = Int(min(Int64(min(buffer.byteCount, step)), size - offset))
        for index in 0..<count {
            let place = Int(offset) + index
            buffer.storeBytes(of: place < bytes.count ? bytes[place] : 0, toByteOffset: index, as: UInt8.self)
        }
        log.bytes += count
        return count
    }
}
