import FourCharacterCodes

/// The place of a chunk in a file.
public struct SoundChunk: Sendable, Equatable {
    /// The chunk's name.
    public var id: FourCharacterCode
    /// The first byte of its contents, counted from the beginning of the file.
    public var offset: Int64
    /// The size of its contents in bytes; `nil` if the header leaves it open (to the end of the file).
    public var size: Int64?

    /// Makes a chunk's position from its parts.
    public init(id: FourCharacterCode, offset: Int64, size: Int64?) {
        self.id = id
        self.offset = offset
        self.size = size
    }
}
