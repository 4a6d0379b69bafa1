import RingerPolicy

/// The options of a call: each is taken once, and those that nobody takes are errors.
package struct BusOptions {
    private var values: [String: BusValue]
    private let member: String

    package init(_ value: BusValue, of member: String) {
        values = value.dictionary ?? [:]
        self.member = member
    }

    /// An option that is not of the type that its reader expects, or not one of the values that it may have.
    private func refuse(_ name: String, _ expected: String) -> BusError {
        .invalidArguments("\(member): the option \(name) is no \(expected)")
    }

    private mutating func take<Value>(
        _ name: String, _ expected: String, _ convert: (BusValue) -> Value?
    ) throws(BusError) -> Value? {
        guard let value = values.removeValue(forKey: name) else { return nil }
        guard let converted = convert(value.contents) else { throw refuse(name, expected) }
        return converted
    }

    package mutating func boolean(_ name: String) throws(BusError) -> Bool? { try take(name, "boolean", \.boolean) }

    package mutating func string(_ name: String) throws(BusError) -> String? { try take(name, "string", \.string) }

    /// A whole number in `range`.
    package mutating func uint32(_ name: String, in range: ClosedRange<UInt32>) throws(BusError) -> UInt32? {
        try take(name, "number (u) from \(range.lowerBound) to \(range.upperBound)") { value in
            value.uint32.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    package mutating func uint32(_ name: String) throws(BusError) -> UInt32? { try take(name, "uint32", \.uint32) }

    package mutating func int32(_ name: String) throws(BusError) -> Int32? { try take(name, "int32", \.int32) }

    /// A number in `range`; not-a-number is in no range.
    package mutating func number(_ name: String, in range: ClosedRange<Double>) throws(BusError) -> Double? {
        try take(name, "number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.double.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A time in seconds, of a year at most.
    package mutating func seconds(_ name: String) throws(BusError) -> Duration? {
        try number(name, in: 0...31_536_000).map { .seconds($0) }
    }

    /// One of an enumeration's values.
    package mutating func name<Value: RawRepresentable & CaseIterable>(
        _ name: String, of type: Value.Type
    ) throws(BusError) -> Value? where Value.RawValue == String {
        try take(name, "\(type): " + Value.allCases.map(\.rawValue).joined(separator: ", ")) {
            $0.string.flatMap(Value.init(rawValue:))
        }
    }

    package mutating func categoryOptions(_ name: String = "options") throws(BusError) -> CategoryOptions? {
        try take(name, "list of category options: \(CategoryOptions.named.map(\.name).joined(separator: ", "))") {
            $0.strings.flatMap { CategoryOptions(names: $0) }
        }
    }

    package mutating func routes(_ name: String) throws(BusError) -> AudioRouteSet? {
        try take(name, "list of routes: \(AudioRoute.allCases.map(\.rawValue).joined(separator: ", "))") {
            $0.strings.flatMap(AudioRouteSet.init(names:))
        }
    }

    /// Throws where an option is left that nobody took.
    package func finish() throws(BusError) {
        guard let name = values.keys.min() else { return }
        throw .invalidArguments("\(member) has no option \(name)")
    }
}

extension CategoryOptions {
    /// The options of these names; nil where one is not known.
    package init?(names: [String]) {
        self = []
        for name in names {
            guard let option = Self.named.first(where: { $0.name == name })?.option else { return nil }
            formUnion(option)
        }
    }

    /// Their names.
    package var names: [String] { Self.named.filter { contains($0.option) }.map(\.name) }
}
