/// If an encoder puts a file's bytes: memory, a file descriptor, anything that can be written at an offset.
///
/// Bytes come in order, except that the header is written again when the sound's length is known.
public protocol ByteSink {
    /// Writes all of `bytes` from `offset` on; at most at the present end, never beyond it.
    ///
    /// What fails is thrown as ``SoundFileError/Code/writeFailed`` with the cause as ``SoundFileError/underlying``.
    mutating func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SoundFileError)
}
