import ArgumentParser
import RingerCore
import RingerTerminal

extension SwitchPosition: ExpressibleByArgument {}
extension AlertsDuringCall: ExpressibleByArgument {}
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

/// A command that prints JSON where `--json` asks for it.
protocol JSONCommand: ParsableCommand {
    var output: OutputOptions { get }
    /// The members of a result besides `outcome` and `by`.
    static var members: [String] { get }
}

extension JSONCommand {
    static var members: [String] { [] }

    /// Shows as JSON, if that is asked for, an error without a result.
    func show(_ error: any Error, _ more: [(String, JSONValue)] = []) throws {
        let reason: [(String, JSONValue)] = [("outcome", .string("failed")), ("by", .string("\(error)"))]
        let members = more + reason + Self.members.map { ($0, .null) }
        if output.json { try Terminal.show(JSONValue.object(members).description) }
    }
}

/// The error of a result that was shown.
struct ShownFailure: Error, CustomStringConvertible {
    let description: String
}
