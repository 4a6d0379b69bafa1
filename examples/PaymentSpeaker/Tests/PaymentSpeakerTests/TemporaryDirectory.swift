import Foundation

/// A directory that is removed at its owner's end.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "ringer-payments-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
