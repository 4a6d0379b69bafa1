import PeerSndfile

/// Decoding by libsndfile, from memory.
enum Sndfile {
    struct Failure: Error {
        let message: String
    }

    private final class Memory {
        let bytes: [UInt8]
        var place = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        static func of(_ user: UnsafeMutableRawPointer?) -> Memory {
            // SAFETY: `decode` passes a pointer to a Memory that outlives the file.
            Unmanaged<Memory>.fromOpaque(user.unsafelyUnwrapped).takeUnretainedValue()
        }
    }

    static func decode(_ bytes: [UInt8], into output: inout [Int16]) throws {
        var io = SF_VIRTUAL_IO()
        io.get_filelen = { sf_count_t(Memory.of($0).bytes.count) }
        io.tell = { sf_count_t(Memory.of($0).place) }
        io.seek = { offset, whence, user in
            let memory = Memory.of(user)
            switch whence {
            case 0: memory.place = Int(offset)
            case 1: memory.place += Int(offset)
            default: memory.place = memory.bytes.count + Int(offset)
            }
            return sf_count_t(memory.place)
        }
        io.read = { buffer, count, user in
            let memory = Memory.of(user)
            let count = max(0, min(Int(count), memory.bytes.count - memory.place))
            // SAFETY: libsndfile's buffer holds the count it asked for, and the bytes were just counted.
            memory.bytes.withUnsafeBytes { source in
                if count > 0, let from = source.baseAddress {
                    buffer?.copyMemory(from: from + memory.place, byteCount: count)
                }
            }
            memory.place += count
            return sf_count_t(count)
        }
        io.write = { _, _, _ in 0 }
        let memory = Memory(bytes)
        var info = SF_INFO()
        let file = sf_open_virtual(&io, Int32(SFM_READ), &info, Unmanaged.passUnretained(memory).toOpaque())
        guard let file else { throw Failure(message: String(cString: sf_strerror(nil))) }
        defer { sf_close(file) }
        let wanted = sf_count_t(output.count) / sf_count_t(info.channels)
        let got = output.withUnsafeMutableBufferPointer {
            sf_readf_short(file, $0.baseAddress, min(wanted, info.frames))
        }
        guard got >= 30 * 48_000 else { throw Failure(message: "only \(got) frames") }
    }
}
