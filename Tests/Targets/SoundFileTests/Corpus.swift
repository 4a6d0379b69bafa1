import Foundation

/// The tiny files beside the tests, one of every kind.
enum Corpus {
    static let files: [(name: String, bytes: [UInt8])] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().filter { !$0.hasSuffix(".sh") }.compactMap { name in
            (try? Data(contentsOf: folder.appendingPathComponent(name))).map { (name, [UInt8]($0)) }
        }
    }()

    static let names = files.map(\.name)

    static func bytes(_ name: String) -> [UInt8] {
        files.first { $0.name == name }?.bytes ?? []
    }
}
