import Glibc
import PaymentRules
import Ringer

/// `PaymentSpeaker voices`: what a translator and who records need.
enum Voices {
    static let help = """
        USAGE: PaymentSpeaker voices check DIRECTORY
               PaymentSpeaker voices list DIRECTORY/LANGUAGE

        check reads the rules of each language of the directory, speaks thousands of amounts by them, and joins the recordings.
        It prints some amounts as they are spoken, and what is wrong. list prints the names of the recordings and what is
        spoken in each. Exit status: 1 if something is wrong, 64 bad usage.

        """
    /// What `check` prints, in the first two currencies that the language has of each number of decimals.
    private static let examples = [
        "0", "0.05", "1", "2", "12.50", "20", "105", "1205", "22222", "100010", "123456789.99",
    ]

    /// Reads the rules of a language.
    ///
    /// - Parameter folder: The folder of the language, whose name is the language's.
    /// - Throws: ``RingerError`` with the line that is wrong.
    static func language(_ folder: String) throws(RingerError) -> Language {
        let path = folder + "/rules"
        let text = try contents(of: path)
        do throws(RuleFault) {
            return try Language(text, name: String(folder.split(separator: "/").last ?? ""))
        } catch {
            throw RingerError(.invalid, "read" + (error.line.map { " line \($0)" } ?? ""), path, detail: error.reason)
        }
    }

    /// Runs the command.
    ///
    /// - Returns: The exit status.
    static func run(_ arguments: [String], print: (String) -> Void) throws -> CInt {
        switch arguments.first {
        case "check" where arguments.count == 2:
            return try check(arguments[1], print: print) ? 0 : 1
        case "list" where arguments.count == 2:
            for clip in try language(arguments[1]).clips { print("\(clip.name)\t\(clip.text)") }
            return 0
        default: throw UsageError("voices check DIRECTORY, or voices list DIRECTORY/LANGUAGE")
        }
    }

    private static func check(_ directory: String, print: (String) -> Void) throws(RingerError) -> Bool {
        var isRight = true
        let names = try folders(of: directory).filter { access("\(directory)/\($0)/rules", F_OK) == 0 }
        if names.isEmpty {
            throw RingerError(.notFound, "find languages in", directory, detail: "no folder of it has a file rules")
        }
        for name in names {
            let folder = "\(directory)/\(name)"
            do throws(RingerError) {
                let language = try language(folder)
                let announcer = Announcer(directory: directory, language: name, policy: .announce)
                if let fault = announcer.faultOfRules() { throw fault }
                show(language, print: print)
                if try folders(of: folder).contains(where: { $0.hasSuffix(".wav") }) {
                    if let fault = announcer.check() { throw fault }
                    print("\(name): right, with \(language.clips.count) recordings")
                } else {
                    print("\(name): the rules are right; there are no recordings")
                }
            } catch {
                isRight = false
                print("\(name): \(error)")
            }
        }
        return isRight
    }

    private static func show(_ language: Language, print: (String) -> Void) {
        for decimals in [0, 2, 3] {
            let currencies = language.currencyCodes.compactMap { Currency($0) }.filter { $0.decimals == decimals }
            for currency in currencies.prefix(2) {
                for amount in examples.compactMap({ Amount($0, currency) }) {
                    guard let clips = try? language.announcement(of: amount) else { continue }
                    print("\(language.name)  \(amount) \(currency.code): \(clips.map(\.text).joined(separator: " "))")
                }
            }
        }
    }

    /// The names of what is in a folder, in order.
    private static func folders(of path: String) throws(RingerError) -> [String] {
        guard let directory = opendir(path) else {
            throw RingerError(.system, "read", path, detail: String(cString: strerror(errno)))
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            // SAFETY: the name ends in a zero byte, and remains until the next call; it is copied at once.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
