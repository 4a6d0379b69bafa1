/// The state of a PCM substream according to /proc/asound.
struct PCMSubstream: Sendable, Hashable {
    /// Whether it is running or draining.
    var isPlaying: Bool
    /// The thread that opened it; nil if it is closed, or the thread is outside of this process's PID namespace.
    var owner: Int32?

    /// Parses the text of a `status` file: "closed", or lines of names and values such as "state: RUNNING" and
    /// "owner_pid   : 812".
    init(status text: String) {
        isPlaying = false
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].prefix { $0 != " " }
            let value = line[line.index(after: colon)...].drop { $0 == " " }.prefix { $0 != " " }
            switch name {
            case "state": isPlaying = value == "RUNNING" || value == "DRAINING"
            // 0 is a process in another PID namespace.
            case "owner_pid": owner = Int32(value).flatMap { $0 > 0 ? $0 : nil }
            default: break
            }
        }
    }
}
