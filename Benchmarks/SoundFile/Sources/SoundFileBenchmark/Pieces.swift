import PeerSndfile
import SoundFile

/// The heap memory of decoding in pieces, from a source that the decoder does not know to be in memory.
enum Pieces {
    /// Simulates a file: its bytes are copied out.
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
