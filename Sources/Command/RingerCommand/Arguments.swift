import ArgumentParser
import RingerCore
import RingerTerminal

extension SwitchPosition: ExpressibleByArgument {}
extension AudioRoute: ExpressibleByArgument {}
extension AudioCategory: ExpressibleByArgument {}
extension CategoryOptionName: ExpressibleByArgument {}
extension NamedSound: ExpressibleByArgument {}

extension Sequence<CategoryOptionName> {
    /// The set of these options.
    var together: CategoryOptions { reduce(into: []) { $0.formUnion($1.option) } }
}

/// How a command prints its results.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON: one object, or one a line where there are several.")
    var json = false
}
