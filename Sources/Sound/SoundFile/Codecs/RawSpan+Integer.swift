extension RawSpan {
    /// The integer whose bytes begin at `offset`, in the machine's order; traps if the offset is out of range.
    @inline(__always)
    func integer<I: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: I.Type) -> I {
        // SAFETY: the call checks the offset. It is unsafe only for types that do not accept every bit pattern;
        // integers do.
        unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }
}
