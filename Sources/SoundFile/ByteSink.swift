/// The destination of an encoder's bytes: memory, a file descriptor, anything that can be written at an offset.
///
/// The bytes are written in order, except that the header is written again when the sound's length is known.
public protocol ByteSink {
    /// Writes all of `bytes` at `offset`, which is never beyond the present end.
    ///
    /// - Throws: ``SoundFileError/Code/writeFailed`` with the cause as ``SoundFileError/underlying``.
    mutating func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SoundFileError)
}
