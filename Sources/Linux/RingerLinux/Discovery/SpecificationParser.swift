import RingerCore

/// The name of a device on the command line, parsed: "gpio:ring-silent,active-low,debounce=5ms".
struct SpecificationParser {
    /// The original text, for errors.
    let text: String
    /// The kind of part, for errors: "switch".
    let what: String
    /// The text before the first colon: "gpio".
    let kind: String
    /// The text between the first colon and the options: "ring-silent".
    let device: String
    /// The options, in order; the value is nil without an equals sign.
    private var options: [(name: String, value: String?)]

    /// The specification that `text` is; without `prefix`, which errors have.
    init(_ text: String, what: String, prefix: String = "") throws(RingerError) {
        self.text = prefix + text
        self.what = what
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let head = parts.first ?? ""
        if let colon = head.firstIndex(of: ":") {
            kind = String(head[..<colon])
            device = String(head[head.index(after: colon)...])
        } else {
            kind = head
            device = ""
        }
        options = parts.dropFirst().map { part in
            guard let equals = part.firstIndex(of: "=") else { return (part, nil) }
            return (String(part[..<equals]), String(part[part.index(after: equals)...]))
        }
        for (index, option) in options.enumerated() where options[..<index].contains(where: { $0.name == option.name })
        {
            throw failure("the option \"\(option.name)\" is there twice")
        }
    }

    /// Removes the option `name`, which has no value. Returns false if it is missing.
    mutating func takeFlag(_ name: String) throws(RingerError) -> Bool {
        guard let option = take(name) else { return false }
        if option.value != nil { throw failure("the option \"\(name)\" takes no value") }
        return true
    }

    /// Removes the option `name` and returns its value; nil if it is missing.
    mutating func takeValue(_ name: String) throws(RingerError) -> String? {
        guard let option = take(name) else { return nil }
        guard let value = option.value, !value.isEmpty else { throw failure("the option \"\(name)\" needs a value") }
        return value
    }

    /// Removes the option `name` and returns its duration, "10ms", "500us", "1s" or "0"; nil if it is missing.
    mutating func takeDuration(_ name: String) throws(RingerError) -> Duration? {
        guard let value = try takeValue(name) else { return nil }
        let digits = value.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), number <= 3_600_000_000 else { throw duration(name, value) }
        switch value.dropFirst(digits.count) {
        case "us": return .microseconds(number)
        case "ms" where number <= 3_600_000: return .milliseconds(number)
        case "s" where number <= 3_600: return .seconds(number)
        case "" where number == 0: return .zero
        default: throw duration(name, value)
        }
    }

    private func duration(_ name: String, _ value: String) -> RingerError {
        failure("\"\(name)=\(value)\" is no duration such as 10ms, 500us or 1s, of an hour at most")
    }

    /// Throws if an option is left over.
    func finish() throws(RingerError) {
        guard let option = options.first else { return }
        throw failure(
            option.name.isEmpty
                ? "there is nothing after a comma" : "\"\(kind)\" knows no option \"\(option.name)\"")
    }

    /// The error that the text is not valid.
    func failure(_ reason: String) -> RingerError {
        RingerError(.invalid, "use as a \(what)", "\"\(text)\"", detail: reason)
    }

    private mutating func take(_ name: String) -> (name: String, value: String?)? {
        guard let index = options.firstIndex(where: { $0.name == name }) else { return nil }
        return options.remove(at: index)
    }

    /// Parses a GPIO line: "NAME" or "CHIP:OFFSET".
    func line() throws(RingerError) -> GPIOLine {
        guard !device.isEmpty else { throw failure("the line is missing: gpio:NAME or gpio:CHIP:OFFSET") }
        guard let colon = device.lastIndex(of: ":") else { return .named(device) }
        let chip = String(device[..<colon])
        let number = device[device.index(after: colon)...]
        guard !chip.isEmpty else { throw failure("the chip is missing: gpio:CHIP:OFFSET") }
        guard let offset = UInt16(number) else {
            throw failure("\"\(number)\" is no line offset, a number from 0 to 65535")
        }
        return .offset(Int(offset), chip: chip)
    }

    /// Parses an input device: "PATH" or "auto".
    func selector(named name: String?) throws(RingerError) -> EvdevSelector {
        if device == "auto" { return .automatic(name: name) }
        guard device.hasPrefix("/") else {
            throw failure("the device is missing: \(kind):auto or \(kind):/dev/input/eventN")
        }
        return EvdevSelector(path: .init(device), name: name)
    }
}
