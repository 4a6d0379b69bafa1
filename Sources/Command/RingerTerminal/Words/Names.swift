import RingerCore

extension String {
    /// The name for comparisons: in lower case, without hyphens, underscores and blanks.
    var folded: String { String(lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }) }

    /// The one of `names` that equals this, ignoring case and hyphens.
    func named(in names: some Sequence<String>) -> String? {
        let folded = folded
        return names.first { $0.folded == folded }
    }
}

extension SwitchPosition {
    /// The position of that name, in any case.
    public init?(argument: String) {
        guard let name = argument.named(in: Self.allCases.map(\.rawValue)) else { return nil }
        self.init(rawValue: name)
    }
}

extension AlertsDuringCall {
    /// The choice of that name, in any case.
    public init?(argument: String) {
        guard let name = argument.named(in: Self.allCases.map(\.rawValue)) else { return nil }
        self.init(rawValue: name)
    }
}

extension AudioRoute {
    /// The route of that name, in any case.
    public init?(argument: String) {
        guard let name = argument.named(in: Self.allCases.map(\.rawValue)) else { return nil }
        self.init(rawValue: name)
    }
}

/// An option of a category, as the command line names it.
package enum CategoryOptionName: String, CaseIterable, Sendable {
    case mixWithOthers, duckOthers, allowBluetooth, defaultToSpeaker, interruptSpokenAudioAndMixWithOthers
    case honoursRingSilentSwitch

    /// The option of that name in any case, or of Apple's name for it (`AVAudioSessionCategoryOptionMixWithOthers`).
    package init?(argument: String) {
        var name = argument.folded
        for prefix in ["avaudiosessioncategoryoptions", "avaudiosessioncategoryoption"] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
            break
        }
        guard let option = Self.allCases.first(where: { $0.rawValue.folded == name }) else { return nil }
        self = option
    }

    package var option: CategoryOptions {
        CategoryOptions.named.first { $0.name == rawValue }?.option ?? []
    }
}

extension SessionPriority {
    /// The priority of that name or number.
    package init?(_ text: String) {
        switch text {
        case "ordinary": self = .ordinary
        case "call": self = .call
        case "alarm": self = .alarm
        default:
            guard let number = Int(text) else { return nil }
            self.init(rawValue: number)
        }
    }
}
