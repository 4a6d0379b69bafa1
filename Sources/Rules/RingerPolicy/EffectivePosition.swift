/// What can silence a device.
@nonexhaustive
public enum SilenceSource: String, Sendable, Hashable, CaseIterable {
    /// The Ring/Silent switch: what was read of it, or what counts while it cannot be read.
    case ringSilentSwitch = "switch"
    /// The kept position, which software sets. On a device without a switch it is the switch's as well.
    case keptPosition = "software"
    /// The quiet hours.
    case quietHours
}

/// The position that the rules see: the most silent one of all sources, and which ones make it so.
///
/// It holds no reference, and the order in which sources are added does not matter.
public struct EffectivePosition: Sendable, Hashable {
    /// The most silent position; ring without any source.
    public private(set) var position: SwitchPosition = .ring
    /// When it ends by itself, in seconds of UTC since 1970: when the last of ``sources`` does; nil if one of them has no
    /// end, and at ring.
    public private(set) var until: Int64?
    private var bits: UInt8 = 0

    /// The sources that are at ``position``, in the order of their declaration; none at ring.
    public var sources: [SilenceSource] { SilenceSource.allCases.filter(isMade) }

    /// Ring, of no source.
    package init() {}

    /// Whether `source` is one of ``sources``.
    public func isMade(by source: SilenceSource) -> Bool { bits & source.bit != 0 }

    /// Adds what a source has.
    ///
    /// - Parameters:
    ///   - source: The source; one that was added before may have another position and end as well.
    ///   - position: Its position.
    ///   - until: When that ends by itself, in seconds of UTC since 1970; nil if it does not.
    package mutating func add(_ source: SilenceSource, _ position: SwitchPosition, until: Int64? = nil) {
        guard position.silences, position >= self.position else { return }
        if position > self.position {
            (self.position, self.until, bits) = (position, until, source.bit)
        } else {
            self.until = until.flatMap { end in self.until.map { max($0, end) } }
            bits |= source.bit
        }
    }
}

extension SilenceSource {
    fileprivate var bit: UInt8 {
        switch self {
        case .ringSilentSwitch: 1
        case .keptPosition: 2
        case .quietHours: 4
        }
    }
}

extension DeviceState {
    /// The position that the rules go by: the most silent one of the switch's - while it cannot be read, the one that the user
    /// chose for that - the kept one, and that of the quiet hours; nil if there is none of these.
    ///
    /// - Parameter preferences: The user's preferences.
    public func position(_ preferences: UserPreferences) -> SwitchPosition? {
        mostSilent(switchPosition(preferences), mostSilent(keptPosition, quietHours))
    }

    /// The position that the rules go by, with what makes it so and until when.
    ///
    /// - Parameter preferences: The user's preferences.
    public func effectivePosition(_ preferences: UserPreferences) -> EffectivePosition {
        var effective = EffectivePosition()
        // Without a switch the kept position is the switch's, with its end.
        let isSwitchKept = keptPositionUntil != nil && ringSilentSource == Self.keptPositionSource
        if let position = switchPosition(preferences) {
            effective.add(.ringSilentSwitch, position, until: isSwitchKept ? keptPositionUntil : nil)
        }
        if let keptPosition { effective.add(.keptPosition, keptPosition, until: keptPositionUntil) }
        if let quietHours { effective.add(.quietHours, quietHours, until: quietHoursUntil) }
        return effective
    }

    /// The most silent one of the switch's position, which was read, the kept one and that of the quiet hours; nil without a
    /// position that was read.
    package var readPosition: SwitchPosition? {
        ringSilent.flatMap { mostSilent($0, mostSilent(keptPosition, quietHours)) }
    }

    private func mostSilent(_ first: SwitchPosition?, _ second: SwitchPosition?) -> SwitchPosition? {
        guard let first, let second else { return first ?? second }
        return max(first, second)
    }

    /// The switch's position, or the user's choice while it cannot be read; nil without a switch.
    func switchPosition(_ preferences: UserPreferences) -> SwitchPosition? {
        ringSilent ?? (isSwitchUnreadable ? preferences.whenSwitchUnreadable : nil)
    }
}
