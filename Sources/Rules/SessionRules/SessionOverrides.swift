import RingerPolicy

/// The overrides of a session's category. Unlike the category's options each reverts to off by a rule of its own.
public struct SessionOverrides: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// The set of these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Other audio goes on. Property `cmix`.
    public static let mixWithOthers = SessionOverrides(rawValue: 1)
    /// Other audio goes on, more quietly. Property `duck`.
    public static let duckOthers = SessionOverrides(rawValue: 2)
    /// A call is heard from the speaker instead of the receiver. Property `cspk`.
    public static let defaultToSpeaker = SessionOverrides(rawValue: 4)
    /// Input may come from a Bluetooth hands-free device; the output stays. Property `cblu`.
    public static let bluetoothInput = SessionOverrides(rawValue: 8)
    /// Sound goes to the speaker whatever is plugged in. Property `ovrd` with `spkr`.
    public static let speaker = SessionOverrides(rawValue: 16)
}

/// What makes an override revert to off.
package struct SessionReverts: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Another category is set.
    package static let categoryChange = SessionReverts(rawValue: 1)
    /// The session is interrupted.
    package static let interruption = SessionReverts(rawValue: 2)
    /// A route came or went.
    package static let routeChange = SessionReverts(rawValue: 4)
}

extension SessionOverrides {
    /// Each override alone, with its name, the categories that allow it, and what reverts it.
    ///
    /// Of both `cspk` and `ovrd` Apple's reference says: "This property can be used only with the
    /// kAudioSessionCategory_PlayAndRecord (or the equivalent playAndRecord) category." An older edition names Record as the
    /// equivalent, which is another category, and has no output that could be the speaker.
    package static let table:
        [(override: SessionOverrides, name: String, categories: [AudioCategory], reverts: SessionReverts)] = [
            (
                .mixWithOthers, "mixWithOthers", [.playback, .playAndRecord, .multiRoute],
                [.categoryChange, .interruption]
            ),
            (.duckOthers, "duckOthers", [.ambient, .playback, .playAndRecord, .multiRoute], .categoryChange),
            (.defaultToSpeaker, "defaultToSpeaker", [.playAndRecord], .categoryChange),
            (.bluetoothInput, "bluetoothInput", [.record, .playAndRecord], .categoryChange),
            (.speaker, "speaker", [.playAndRecord], [.categoryChange, .interruption, .routeChange]),
        ]

    /// The categories that allow all of these overrides.
    package var categories: [AudioCategory] {
        AudioCategory.allCases.filter { category in
            Self.table.allSatisfy { !contains($0.override) || $0.categories.contains(category) }
        }
    }

    /// What reverts at least one of these overrides.
    package var reverts: SessionReverts {
        Self.table.reduce(into: []) { if contains($1.override) { $0.formUnion($1.reverts) } }
    }

    private static func reverted(by cause: SessionReverts) -> SessionOverrides {
        table.reduce(into: []) { if !$1.reverts.isDisjoint(with: cause) { $0.formUnion($1.override) } }
    }

    static let revertedByCategoryChange = reverted(by: .categoryChange)
    static let revertedByInterruption = reverted(by: .interruption)
    static let revertedByRouteChange = reverted(by: .routeChange)
}
