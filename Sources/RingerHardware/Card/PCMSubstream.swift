/// What the kernel tells of a PCM substream, in /proc/asound.
struct PCMSubstream: Sendable, Hashable {
    /// Whether sound comes out of it: it runs, or plays its last frames.
    var isPlaying: Bool
    /// The thread that opened it; nil where nobody did, or one that this process cannot see.
    var owner: Int32?

    /// What the text of a `status` file says: "closed", or lines of names and values such as "state: RUNNING" and
    /// "owner_pid   : 812".
    init(status text: String) {
        isPlaying = false
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].prefix { $0 != " " }
            let value = line[line.index(after: colon)...].drop { $0 == " " }.prefix { $0 != " " }
            switch name {
            case "state": isPlaying = value == "RUNNING" || value == "DRAINING"
            // 0 is a process that is out of sight, in another container.
            case "owner_pid": owner = Int32(value).flatMap { $0 > 0 ? $0 : nil }
            default: break
            }
        }
    }
}
