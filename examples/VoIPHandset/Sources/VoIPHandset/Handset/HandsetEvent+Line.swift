import Ringer

extension HandsetEvent {
    /// The event as a JSON object. Times are seconds on the kernel's monotonic clock.
    var json: String {
        var members = [
            ("call", Line.quoted(call)), ("event", Line.quoted(kind.rawValue)), ("sound", "\(sound)"),
            ("motor", "\(motor)"), ("at", Line.seconds(at)),
        ]
        if let peer { members.append(("from", Line.quoted(peer))) }
        if let by { members.append(("by", Line.quoted(by))) }
        if let digit { members.append(("digit", Line.quoted(digit))) }
        if let way { members.append(("way", Line.quoted(way))) }
        if let ring { members.append(("ring", Line.quoted(ring))) }
        if let reason { members.append(("reason", Line.quoted(reason))) }
        if let heard { members.append(("heard", Line.seconds(heard))) }
        return Line.json(members)
    }

    /// The event for people.
    var sentence: String {
        var sentence = "\(call): \(kind.rawValue)"
        if sound { sentence += ", heard" }
        if motor { sentence += ", felt" }
        if let peer { sentence += ", from \(peer)" }
        if let by { sentence += ", by the call \(by)" }
        if let digit { sentence += " \(digit)" }
        if let way { sentence += ", by \(way)" }
        if let ring { sentence += ", by the ring \(ring)" }
        if let reason { sentence += ", \(reason)" }
        if let heard { sentence += ", the caller was heard for \(Line.seconds(heard)) s" }
        return Line.printable(sentence)
    }
}
