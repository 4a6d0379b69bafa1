import Glibc
import RingerCore
import SystemPackage

/// Reads the names in a directory.
enum DirectoryListing {
    /// The names that consist of `prefix` and a number, in numeric order; empty if the directory cannot be read.
    static func numbered(_ prefix: StaticString, in directory: FilePath) -> [String] {
        (try? existing(prefix, in: directory)) ?? []
    }

    /// The names that consist of `prefix` and a number, in numeric order; empty if there is no such directory. A second name of
    /// a file in it is left out.
    ///
    /// The corresponding C function is `readdir`.
    ///
    /// - Throws: ``RingerError`` with the code `system` if the directory cannot be read, such as for want of a descriptor:
    ///   what is in it is not known, and another attempt may succeed.
    static func existing(_ prefix: StaticString, in directory: FilePath) throws(RingerError) -> [String] {
        func failure() -> RingerError { RingerError(.system, "list the files", directory.string, errno: .current) }
        guard let stream = opendir(directory.string) else {
            if Errno.current == .noSuchFileOrDirectory { return [] }
            throw failure()
        }
        defer { closedir(stream) }
        // Sorted while inserting: a few names among hundreds, and sorting code would cost more memory than it saves
        // time.
        var found: [(number: Int, name: String)] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw failure() }
                return found.map(\.name)
            }
            // SAFETY: `d_name` ends with a zero within the entry, which lives until the next call of `readdir`.
            let name: (number: Int, name: String)? = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    number(in: name, after: prefix).map { ($0, String(cString: name)) }
                }
            }
            guard let name else { continue }
            if Int(entry.pointee.d_type) == DT_LNK && isSecondName(directory.appending(name.name)) { continue }
            let index = found.firstIndex { $0.number > name.number } ?? found.endIndex
            found.insert(name, at: index)
        }
    }

    /// Whether a link leads to a file of its own directory, as gpiochip4 on a Raspberry Pi does.
    private static func isSecondName(_ link: FilePath) -> Bool {
        guard let directory = realpath(link.removingLastComponent().string, nil) else { return false }
        defer { free(directory) }
        guard let file = realpath(link.string, nil) else { return false }
        defer { free(file) }
        return FilePath(platformString: file).removingLastComponent() == FilePath(platformString: directory)
    }

    /// All names except "." and ".."; empty if the directory cannot be read.
    static func names(in directory: FilePath) -> [String] {
        let contents = contents(of: directory)
        return contents.directories + contents.files
    }

    /// The names of the directories in a directory, and of everything else, links included; empty if it cannot be read.
    static func contents(of directory: FilePath) -> (directories: [String], files: [String]) {
        guard let stream = opendir(directory.string) else { return ([], []) }
        defer { closedir(stream) }
        var directories: [String] = []
        var files: [String] = []
        while let entry = readdir(stream) {
            // SAFETY: `d_name` ends with a zero within the entry, which lives until the next call of `readdir`.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            if Int(entry.pointee.d_type) == DT_DIR { directories.append(name) } else { files.append(name) }
        }
        return (directories, files)
    }

    /// The number after `prefix` in the C string `name`; nil unless the name consists of these two.
    private static func number(in name: UnsafePointer<CChar>, after prefix: StaticString) -> Int? {
        // SAFETY: a static string of more than one character has its bytes in memory; `strncmp` stops at the zero.
        guard
            prefix.withUTF8Buffer({ prefix in
                guard let start = prefix.baseAddress else { return false }
                return start.withMemoryRebound(to: CChar.self, capacity: prefix.count) {
                    strncmp(name, $0, prefix.count) == 0
                }
            })
        else { return nil }
        var digits = name + prefix.utf8CodeUnitCount
        guard digits.pointee != 0 else { return nil }
        var number = 0
        while digits.pointee != 0 {
            let digit = Int(digits.pointee) - 0x30
            guard (0...9).contains(digit) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isFull) = tens.addingReportingOverflow(digit)
            if isTooLarge || isFull { return nil }
            number = sum
            digits += 1
        }
        return number
    }
}
