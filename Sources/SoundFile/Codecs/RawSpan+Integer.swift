extension RawSpan {
    /// The integer whose bytes begin at `offset`, in the machine's order; an offset without room for it is a trap.
    @inline(__always)
    func integer<I: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: I.Type) -> I {
        // SAFETY: the call checks the offset; what makes it unsafe is that not every type takes every pattern of bits, but
        // integers do.
        unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }
}
