/// A decoded sample: a 16-bit integer, or floating point with full scale at 1.
protocol DecodedSample: BitwiseCopyable, Sendable {
    static var silence: Self { get }
    /// From a 16-bit sample.
    init(sample16: Int16)
    /// From an integer sample in the highest bits of 32.
    init(sample32: Int32)
    /// From a floating-point sample.
    init(sampleFloat: Float)
    /// From a floating-point sample.
    init(sampleDouble: Double)
    /// Decodes whole samples, as many as both spans hold. One witness for each type, so that each is specialised.
    @_lifetime(output: copy output)
    static func decode(_ coding: SampleCoding, _ bytes: Span<UInt8>, into output: inout MutableSpan<Self>)
    /// Converts 16-bit samples, as many as the output holds.
    @_lifetime(output: copy output)
    static func convert(_ samples: Span<Int16>, into output: inout MutableSpan<Self>)
}

extension Int16: DecodedSample {
    static var silence: Int16 { 0 }

    @inline(__always)
    init(sample16: Int16) { self = sample16 }

    @inline(__always)
    init(sample32: Int32) { self = Int16(truncatingIfNeeded: sample32 >> 16) }

    /// Rounds half to even and clamps; NaN becomes silence.
    @inline(__always)
    init(sampleFloat: Float) { self.init(sampleDouble: Double(sampleFloat)) }

    @inline(__always)
    init(sampleDouble: Double) {
        let scaled = sampleDouble * 32768
        let clamped = scaled >= 32767 ? 32767 : scaled > -32768 ? scaled : scaled.isNaN ? 0 : -32768
        // Adding and subtracting 1.5 * 2^52 rounds half to even without a call.
        self = Int16(truncatingIfNeeded: Int32((clamped + 6_755_399_441_055_744) - 6_755_399_441_055_744))
    }

    @_lifetime(output: copy output)
    static func decode(_ coding: SampleCoding, _ bytes: Span<UInt8>, into output: inout MutableSpan<Int16>) {
        coding.decode(bytes, into: &output)
    }

    @_lifetime(output: copy output)
    static func convert(_ samples: Span<Int16>, into output: inout MutableSpan<Int16>) {
        for index in 0..<Swift.min(samples.count, output.count) { output[index] = Int16(sample16: samples[index]) }
    }
}

extension Float: DecodedSample {
    static var silence: Float { 0 }

    @inline(__always)
    init(sample16: Int16) { self = Float(sample16) * (1 / 32768) }

    @inline(__always)
    init(sample32: Int32) { self = Float(sample32) * (1 / 2_147_483_648) }

    @inline(__always)
    init(sampleFloat: Float) { self = sampleFloat }

    @inline(__always)
    init(sampleDouble: Double) { self = Float(sampleDouble) }

    @_lifetime(output: copy output)
    static func decode(_ coding: SampleCoding, _ bytes: Span<UInt8>, into output: inout MutableSpan<Float>) {
        coding.decode(bytes, into: &output)
    }

    @_lifetime(output: copy output)
    static func convert(_ samples: Span<Int16>, into output: inout MutableSpan<Float>) {
        for index in 0..<Swift.min(samples.count, output.count) { output[index] = Float(sample16: samples[index]) }
    }
}

extension Double: DecodedSample {
    static var silence: Double { 0 }

    @inline(__always)
    init(sample16: Int16) { self = Double(sample16) * (1 / 32768) }

    @inline(__always)
    init(sample32: Int32) { self = Double(sample32) * (1 / 2_147_483_648) }

    @inline(__always)
    init(sampleFloat: Float) { self = Double(sampleFloat) }

    @inline(__always)
    init(sampleDouble: Double) { self = sampleDouble }

    @_lifetime(output: copy output)
    static func decode(_ coding: SampleCoding, _ bytes: Span<UInt8>, into output: inout MutableSpan<Double>) {
        coding.decode(bytes, into: &output)
    }

    @_lifetime(output: copy output)
    static func convert(_ samples: Span<Int16>, into output: inout MutableSpan<Double>) {
        for index in 0..<Swift.min(samples.count, output.count) { output[index] = Double(sample16: samples[index]) }
    }
}
