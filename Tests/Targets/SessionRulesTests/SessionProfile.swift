import RingerPolicy
import SessionRules

/// A category with options, as the tables of the tests name it: "medi+mix".
struct SessionProfile: CustomStringConvertible {
    var name: String
    var settings: SessionSettings

    var description: String { name }

    static let suffixes: [(name: String, option: CategoryOptions)] = [
        ("mix", .mixWithOthers), ("duck", .duckOthers), ("bt", .allowBluetooth), ("spk", .defaultToSpeaker),
        ("speech", .interruptSpokenAudioAndMixWithOthers),
    ]

    /// The short names of categories.
    static let categories: KeyValuePairs<String, AudioCategory> = [
        "ambi": .ambient, "solo": .soloAmbient, "medi": .playback, "reca": .record, "plar": .playAndRecord,
        "proc": .audioProcessing, "multi": .multiRoute,
    ]

    init(_ name: String) throws {
        let parts = name.split(separator: "+")
        guard let category = Self.categories.first(where: { $0.key == parts[0] })?.value else {
            throw SessionError(.incompatibleCategory, "read the profile \(name)")
        }
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
        let word = Self.categories.first { $0.value == category }?.key ?? category.rawValue
        name = ([word] + names).joined(separator: "+")
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
