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
