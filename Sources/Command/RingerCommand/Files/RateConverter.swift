import CSoxr

/// Converts interleaved samples from one rate to another, by libsoxr at its very high quality.
struct RateConverter: ~Copyable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let handle: OpaquePointer
    private let channels: Int
    private var output: [Double]

    /// Throws libsoxr's reason to refuse the rates. The corresponding C function is `soxr_create`.
    init(from input: Double, to output: Double, channels: Int) throws {
        var error: soxr_error_t?
        var format = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I)
        var quality = soxr_quality_spec(UInt(SOXR_VHQ), 0)
        guard let handle = soxr_create(input, output, UInt32(channels), &error, &format, &quality, nil) else {
            throw Failure(description: "libsoxr: \(error.map { String(cString: $0) } ?? "no converter")")
        }
        self.handle = handle
        self.channels = channels
        self.output = [Double](repeating: 0, count: 4096 * channels)
    }

    deinit {
        soxr_delete(handle)
    }

    /// Takes in all of the samples, and passes on those that are ready. The corresponding C function is `soxr_process`.
    mutating func convert(_ samples: Span<Double>, _ body: (Span<Double>) throws -> Void) throws {
        var taken = 0
        while taken < samples.count {
            var used = 0
            let part = samples.extracting(taken..<samples.count)
            try process(part, frames: part.count / channels, &used, body)
            taken += used * channels
        }
    }

    /// Passes on the samples that remain in the converter.
    mutating func finish(_ body: (Span<Double>) throws -> Void) throws {
        var used = 0
        while try process(nil, frames: 0, &used, body) > 0 {}
    }

    @discardableResult
    private mutating func process(
        _ samples: Span<Double>?, frames: Int, _ used: inout Int, _ body: (Span<Double>) throws -> Void
    ) throws -> Int {
        var made = 0
        let room = output.count / channels
        // SAFETY: libsoxr reads `frames` frames and writes at most `room`, which the two buffers hold, during the call only.
        let error: soxr_error_t? = output.withUnsafeMutableBufferPointer { output in
            if let samples {
                samples.withUnsafeBufferPointer { input in
                    soxr_process(handle, input.baseAddress, frames, &used, output.baseAddress, room, &made)
                }
            } else {
                soxr_process(handle, nil, 0, nil, output.baseAddress, room, &made)
            }
        }
        if let error { throw Failure(description: "libsoxr: \(String(cString: error))") }
        if made > 0 { try body(output.span.extracting(0..<made * channels)) }
        return made
    }
}
