extension PredefinedSound {
    /// Every predefined sound, by ascending ID.
    public static let all: [PredefinedSound] =
        messageSounds + telephonySounds + deviceSounds + dialingSounds + previewSounds + vibrations

    /// The sound with this ID, or nil.
    public static func withID(_ id: UInt32) -> PredefinedSound? {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].id == id ? all[low] : nil
    }

    /// The sound with this name, in whatever case it is written, or nil.
    public static func named(_ name: String) -> PredefinedSound? {
        all.first { isSame($0.name, name) }
    }

    /// The sounds of this category, in whatever case it is written, by ascending ID; empty for an unknown category.
    public static func inCategory(_ category: String) -> [PredefinedSound] {
        all.filter { sound in sound.category.map { isSame($0, category) } ?? false }
    }

    // The table's names are ASCII: no folding beyond its letters is needed.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
