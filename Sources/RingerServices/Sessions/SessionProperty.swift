/// A property of a session: its code, what may be done with it, its value, and when it reverts.
///
/// Typed and untyped access are both served from ``all``, the one table.
public struct SessionProperty: Sendable {
    /// What may be done with a property.
    public enum Access: String, Sendable, Hashable {
        /// Read and set.
        case readWrite
        /// Read.
        case read
        /// Set only.
        case write
        /// Neither: its value comes to listeners.
        case listen
    }

    /// What setting a property does.
    public enum Target: Sendable, Hashable {
        /// It cannot be set.
        case none
        /// It sets the category.
        case category
        /// It switches an override on with ``SessionProperty/onValue``, off with 0.
        case override(SessionOverrides)
        /// It sets the preferred sample rate.
        case sampleRate
        /// It sets the preferred duration of the buffer.
        case bufferDuration
    }

    /// The property's code.
    public let code: FourCharacterCode
    /// The property's name: Apple's constant without `kAudioSessionProperty_`.
    public let name: String
    /// What may be done with it.
    public let access: Access
    /// What its value is.
    public let kind: SessionPropertyValue.Kind
    /// What setting it does.
    public let target: Target
    /// The limits of its value, in ``unit``; nil where any is possible. A value that is set is held at them.
    public let range: ClosedRange<Double>?
    /// The unit of its value; empty where it has none.
    public let unit: String
    /// What makes it revert to 0.
    public let revertsOn: SessionReverts
    /// The categories that allow setting it; nil where all do.
    public let categories: [AudioCategory]?
    /// Whether a newer value makes an older one worthless. Of the others listeners are told each.
    public let isState: Bool
    /// The value, where it can be read from the facts.
    let read: (@Sendable (SessionFacts, SessionPreferences) -> SessionPropertyValue)?

    init(
        _ code: FourCharacterCode, _ name: String, _ access: Access, _ kind: SessionPropertyValue.Kind,
        _ target: Target = .none, range: ClosedRange<Double>? = nil, unit: String = "", revertsOn: SessionReverts = [],
        categories: [AudioCategory]? = nil, isState: Bool = true,
        read: (@Sendable (SessionFacts, SessionPreferences) -> SessionPropertyValue)? = nil
    ) {
        self.code = code
        self.name = name
        self.access = access
        self.kind = kind
        self.target = target
        self.range = range
        self.unit = unit
        self.revertsOn = revertsOn
        self.categories = categories
        self.isState = isState
        self.read = read
    }

    /// The override that setting the property switches; nil where it is none.
    public var override: SessionOverrides? {
        if case .override(let override) = target { override } else { nil }
    }

    /// The value that switches the override on: `spkr` for the route, 1 for the others. Setting any number but 0
    /// switches the others on.
    public var onValue: UInt32 {
        override == .speaker ? FourCharacterCode("spkr").rawValue : 1
    }

    /// Whether the property may be set in `category`.
    public func isAllowed(in category: AudioCategory) -> Bool {
        categories?.contains(category) ?? true
    }

    /// Whether it can be read.
    public var isReadable: Bool { access == .readWrite || access == .read }
    /// Whether it can be set.
    public var isWritable: Bool { access == .readWrite || access == .write }
    /// Whether it may have listeners: what can be read may, too.
    public var acceptsListeners: Bool { access != .write }

    /// The property of `code`; nil where there is none.
    public init?(code: FourCharacterCode) {
        guard let property = Self.byCode[code] else { return nil }
        self = property
    }

    /// Those whose changes follow from facts, and the route change, which has no value to read: of each just what is
    /// needed, since every session looks through them at every change of the device.
    static let told = all.compactMap { property in
        property.read != nil || property.kind == .routeChange ? (code: property.code, read: property.read) : nil
    }

    private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
}
