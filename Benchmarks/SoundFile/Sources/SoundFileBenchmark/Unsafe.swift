/// The same work as plain loops over pointers, without checks: what the checks cost is measured against these.
enum Unsafe {
    private static let steps: [Int32] = [
        7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
        107,
        118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876,
        963,
        1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358,
        5894,
        6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086,
        29794,
        32767,
    ]
    private static let differences: [Int32] = steps.flatMap { step in
        (0..<16).map { (nibble: Int) -> Int32 in
            var difference = step >> 3
            if nibble & 4 != 0 { difference += step }
            if nibble & 2 != 0 { difference += step >> 1 }
            if nibble & 1 != 0 { difference += step >> 2 }
            return nibble & 8 == 0 ? difference : -difference
        }
    }
    private static let moves: [Int32] = [-16, -16, -16, -16, 32, 64, 96, 128, -16, -16, -16, -16, 32, 64, 96, 128]
    private static let uLaw: [Int16] = (0..<256).map { code in
        let bits = ~code & 0xFF
        let magnitude = (((bits & 0x0F) << 3) + 0x84) << ((bits & 0x70) >> 4) - 0x84
        return Int16(bits & 0x80 == 0 ? magnitude : -magnitude)
    }

    private struct State {
        var predictor: Int32 = 0
        var index: Int32 = 0

        @inline(__always)
        mutating func next(
            _ nibble: Int32, _ differences: UnsafePointer<Int32>, _ moves: UnsafePointer<Int32>
        ) -> Int16 {
            let difference = differences[Int(index &+ nibble)]
            index = min(max(index &+ moves[Int(nibble)], 0), 88 * 16)
            predictor = min(max(predictor &+ difference, -32768), 32767)
            return Int16(truncatingIfNeeded: predictor)
        }

        @inline(__always)
        mutating func begin(_ bytes: UnsafePointer<UInt8>) {
            let preamble = Int32(Int16(truncatingIfNeeded: Int32(bytes[0]) << 8 | Int32(bytes[1])))
            let start = preamble & ~127
            let index = min((preamble & 127) * 16, 88 * 16)
            if index == self.index, abs(start - predictor) <= 127 { return }
            self.index = index
            predictor = start
        }
    }

    // SAFETY, for all of these: the benchmark's files hold 30 s of stereo behind a header of at most 256 bytes, and the
    // output has room for it.

    static func ima4(_ bytes: [UInt8], into output: inout [Int16]) {
        let packets = (30 * 48_000 + 63) / 64
        let start = bytes.count - packets * 68
        differences.withUnsafeBufferPointer { differences in
            moves.withUnsafeBufferPointer { moves in
                bytes.withUnsafeBufferPointer { input in
                    output.withUnsafeMutableBufferPointer { output in
                        guard let d = differences.baseAddress, let m = moves.baseAddress, var o = output.baseAddress,
                            var p = input.baseAddress
                        else { return }
                        p += start
                        var left = State()
                        var right = State()
                        for _ in 0..<packets {
                            left.begin(p)
                            right.begin(p + 34)
                            for byte in 0..<32 {
                                let l = Int32(p[2 + byte])
                                let r = Int32(p[36 + byte])
                                o[0] = left.next(l & 15, d, m)
                                o[1] = right.next(r & 15, d, m)
                                o[2] = left.next(l >> 4, d, m)
                                o[3] = right.next(r >> 4, d, m)
                                o += 4
                            }
                            p += 68
                        }
                    }
                }
            }
        }
    }

    static func swap(_ bytes: [UInt8], into output: inout [Int16]) {
        let count = 30 * 48_000 * 2
        bytes.withUnsafeBytes { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let from = input.baseAddress, let to = output.baseAddress else { return }
                let start = from + (bytes.count - count * 2)
                for index in 0..<count {
                    to[index] = Int16(bigEndian: start.loadUnaligned(fromByteOffset: index * 2, as: Int16.self))
                }
            }
        }
    }

    static func table(_ bytes: [UInt8], into output: inout [Int16]) {
        let count = 30 * 48_000 * 2
        uLaw.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    guard let from = input.baseAddress, let to = output.baseAddress, let table = table.baseAddress
                    else { return }
                    let start = from + (bytes.count - count)
                    for index in 0..<count { to[index] = table[Int(start[index])] }
                }
            }
        }
    }

    static func copy(_ bytes: [UInt8], into output: inout [Int16]) {
        let count = 30 * 48_000 * 4
        bytes.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                guard let from = input.baseAddress else { return }
                output.baseAddress?.copyMemory(from: from + (bytes.count - count), byteCount: count)
            }
        }
    }
}
