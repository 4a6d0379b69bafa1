import RingerServices

/// A category with options, as the tables of the tests name it: "medi+mix".
struct SessionProfile: CustomStringConvertible {
    var name: String
    var settings: SessionSettings

    var description: String { name }

    static let suffixes: [(name: String, option: CategoryOptions)] = [
        ("mix", .mixWithOthers), ("duck", .duckOthers), ("bt", .allowBluetooth), ("spk", .defaultToSpeaker),
        ("speech", .interruptSpokenAudioAndMixWithOthers),
    ]

    init(_ name: String) throws {
        let parts = name.split(separator: "+")
        let category: AudioCategory? =
            parts[0] == "multi"
            ? .multiRoute : FourCharacterCode(characters: parts[0]).flatMap { AudioCategory(code: $0) }
        guard let category else { throw SessionError(.incompatibleCategory, "read the profile \(name)") }
        var options: CategoryOptions = []
        for part in parts.dropFirst() {
            guard let suffix = Self.suffixes.first(where: { $0.name == part }) else {
                throw SessionError(.incompatibleCategory, "read the profile \(name)")
            }
            options.formUnion(suffix.option)
        }
        self.name = name
        settings = try SessionSettings(category: category, options: options)
    }

    private init(_ category: AudioCategory, _ options: CategoryOptions) throws {
        let names = Self.suffixes.filter { options.contains($0.option) }.map(\.name)
        name = ([category.code?.description ?? "multi"] + names).joined(separator: "+")
        settings = try SessionSettings(category: category, options: options)
    }

    /// Every category with every set of options that it allows.
    static func all() throws -> [SessionProfile] {
        var profiles: [SessionProfile] = []
        for category in AudioCategory.allCases {
            for bits in UInt32(0)..<32 where bits & 17 != 16 {
                let options = CategoryOptions(rawValue: bits)
                guard category.allowedOptions.isSuperset(of: options) else { continue }
                profiles.append(try SessionProfile(category, options))
            }
        }
        return profiles
    }
}
