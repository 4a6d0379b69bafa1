/// A property that has another value now.
public struct SessionPropertyChange: Sendable, Hashable {
    /// The property's code.
    public var property: FourCharacterCode
    /// Its value.
    public var value: SessionPropertyValue

    /// A change of `property` to `value`.
    public init(_ property: FourCharacterCode, _ value: SessionPropertyValue) {
        self.property = property
        self.value = value
    }
}
