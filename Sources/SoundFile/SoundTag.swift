/// A piece of text that a file carries about itself, such as its title.
public struct SoundTag: Sendable, Equatable {
    /// The text's meaning: CAF's key (`title`, `artist`), or the name of its chunk (`NAME`, `INAM`).
    public var key: String
    /// The text; bytes that are not UTF-8 are replaced.
    public var value: String

    /// Makes a tag from its parts.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}
