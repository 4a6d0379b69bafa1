import Glibc
import SystemPackage

/// Reads the names in a directory.
enum DirectoryListing {
    /// The names that are `prefix` and a number, by that number; none where the directory cannot be read.
    ///
    /// The corresponding C function is `readdir`.
    static func numbered(_ prefix: String, in directory: FilePath) -> [String] {
        names(in: directory)
            .compactMap { name -> (number: Int, name: String)? in
                guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)) else { return nil }
                return (number, name)
            }
            .sorted { $0.number < $1.number }
            .map(\.name)
    }

    /// All names but those of the directory itself and its parent; none where it cannot be read.
    static func names(in directory: FilePath) -> [String] {
        guard let stream = opendir(directory.string) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // SAFETY: `d_name` ends with a zero within the entry, which lives until the next call of `readdir`.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
