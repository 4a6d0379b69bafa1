@testable import RingerLinux

/// What tests of files and their watching need: a directory, and a loop that is closed after the test.
class LoopTests {
    let directory: TemporaryDirectory
    let loop: EventLoop

    init() throws {
        directory = try TemporaryDirectory()
        loop = try EventLoop(name: "test")
    }

    deinit { loop.close() }
}
