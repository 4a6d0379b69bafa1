import ArgumentParser

/// A command that only reads its arguments, and waits.
@main
struct Parser: AsyncParsableCommand {
    @Option(help: "A name.") var name = "parser"

    func run() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for await _ in stream {}
        continuation.finish()
    }
}
