import CSndfile
import SoundFile

/// What decoding in pieces takes of the heap, from a source that is not in memory as far as the decoder knows.
enum Pieces {
    /// Stands for a file: its bytes are handed out by copying.
    private struct Source: ByteSource {
        let bytes: [UInt8]
        var size: Int64 { Int64(bytes.count) }

        mutating func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
            var memory = MemorySource(bytes)
            return try memory.read(at: offset, into: &buffer)
        }
    }

    /// The most that the heap grew by, in bytes, over a whole decoding of each file into pieces of 1,024 frames.
    static func memory(decoding files: [[UInt8]]) throws -> Int {
        var most = 0
        for bytes in files {
            var piece = [Int16](repeating: 0, count: 2048)
            let before = mallinfo2().uordblks
            var decoder = try SoundDecoder(Source(bytes: bytes))
            while try decoder.read(into: &piece) > 0 { most = max(most, Int(mallinfo2().uordblks) - Int(before)) }
        }
        return most
    }
}
