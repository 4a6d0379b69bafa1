import Foundation
import Testing

@Suite("A firmware")
struct FirmwareTests {
    /// A program that was built along with the tests.
    private func program(_ name: String) throws -> Data {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    @Test("links neither the simulated board nor the pictures", arguments: ["RingerTestKit", "RingerTerminal"])
    func linking(module: String) throws {
        // Symbols of a module carry its name, with its length in front.
        let symbol = Data("\(module.utf8.count)\(module)".utf8)
        #expect(try program("Minimal").range(of: symbol) == nil)
        // The command links both: the search finds what is there.
        #expect(try program("ringer").range(of: symbol) != nil)
    }
}
