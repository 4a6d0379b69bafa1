@_exported import FourCharacterCodes
import RingerCore
import SessionRules

/// A property of a session: its code, its access, the type of its value, and when it reverts.
///
/// ``all`` is the table of the 20 properties.
package struct SessionProperty: Sendable {
    /// How a property may be used.
    package enum Access: String, Sendable, Hashable {
        /// Read and set.
        case readWrite
        /// Read.
        case read
        /// Set only.
        case write
        /// Neither: only listeners get its value.
        case listen
    }

    /// The effect of setting a property.
    package enum Target: Sendable, Hashable {
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
    package let code: FourCharacterCode
    /// The property's name: Apple's constant without `kAudioSessionProperty_`.
    package let name: String
    /// How it may be used.
    package let access: Access
    /// The type of its value.
    package let kind: SessionPropertyValue.Kind
    /// The effect of setting it.
    package let target: Target
    /// The limits of its value, in ``unit``; nil for none. Setting a value beyond a limit sets the limit.
    package let range: ClosedRange<Double>?
    /// The unit of its value; empty if it has none.
    package let unit: String
    /// What makes it revert to 0.
    package let revertsOn: SessionReverts
    /// The categories that allow setting it; nil if all do.
    package let categories: [AudioCategory]?
    /// Whether listeners need only the newest value. Of other properties they get every change.
    package let isState: Bool
    /// Reads the value from the facts; nil if it cannot be read.
    let read: (@Sendable (SessionFacts) -> SessionPropertyValue)?

    init(
        _ code: FourCharacterCode, _ name: String, _ access: Access, _ kind: SessionPropertyValue.Kind,
        _ target: Target = .none, range: ClosedRange<Double>? = nil, unit: String = "", isState: Bool = true,
        read: (@Sendable (SessionFacts) -> SessionPropertyValue)? = nil
    ) {
        self.code = code
        self.name = name
        self.access = access
        self.kind = kind
        self.target = target
        self.range = range
        self.unit = unit
        self.isState = isState
        self.read = read
        if case .override(let override) = target {
            revertsOn = override.reverts
            categories = override.categories
        } else {
            revertsOn = []
            categories = nil
        }
    }

    /// The override that setting the property switches; nil if it is none.
    package var override: SessionOverrides? {
        if case .override(let override) = target { override } else { nil }
    }

    /// The value that switches the override on: `spkr` for the route, 1 for the others. Setting any number but 0
    /// switches the others on.
    package var onValue: UInt32 {
        override == .speaker ? FourCharacterCode("spkr").rawValue : 1
    }

    /// Whether the property may be set in `category`.
    package func isAllowed(in category: AudioCategory) -> Bool {
        categories?.contains(category) ?? true
    }

    /// Whether it can be read.
    package var isReadable: Bool { access == .readWrite || access == .read }
    /// Whether it can be set.
    package var isWritable: Bool { access == .readWrite || access == .write }
    /// Whether it may have listeners: what can be read may, too.
    package var acceptsListeners: Bool { access != .write }

    /// The property of `code`; nil if there is none.
    package init?(code: FourCharacterCode) {
        guard let property = Self.byCode[code] else { return nil }
        self = property
    }

    /// The properties whose changes follow from facts, and the route change, which has no value to read. Only the code and
    /// the reader of each, since every session with listeners looks through them at every change of the device.
    static let observable = all.compactMap { property in
        property.read != nil || property.kind == .routeChange ? (code: property.code, read: property.read) : nil
    }

    private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
}
