import ArgumentParser
import RingerServices

extension SwitchPosition: ExpressibleByArgument {}
extension AudioRoute: ExpressibleByArgument {}

extension AudioCategory: ExpressibleByArgument {}

/// An option of a category, as the command line names it.
enum CategoryOptionName: String, CaseIterable, ExpressibleByArgument {
    case mixWithOthers, duckOthers, allowBluetooth, defaultToSpeaker, interruptSpokenAudioAndMixWithOthers
    case honoursRingSilentSwitch

    var option: CategoryOptions {
        CategoryOptions.named.first { $0.name == rawValue }?.option ?? []
    }
}

extension Sequence<CategoryOptionName> {
    /// The options together.
    var together: CategoryOptions { reduce(into: []) { $0.formUnion($1.option) } }
}

/// How a command says what it found.
struct OutputOptions: ParsableArguments {
    @Flag(help: "One JSON object; one a line where there are several.")
    var json = false
}
