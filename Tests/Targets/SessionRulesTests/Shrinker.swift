/// Finds a short sequence that still fails, by leaving out ever smaller pieces of a long one.
enum Shrinker {
    /// The shortest sequence found of which `fails` is true; none of its elements can be left out alone.
    static func shortest<Element>(_ elements: [Element], fails: ([Element]) -> Bool) -> [Element] {
        var elements = elements
        var piece = max(elements.count / 2, 1)
        while true {
            var start = 0
            var shrank = false
            while start < elements.count {
                var shorter = elements
                shorter.removeSubrange(start..<min(start + piece, elements.count))
                if fails(shorter) {
                    elements = shorter
                    shrank = true
                } else {
                    start += piece
                }
            }
            if piece == 1 && !shrank { return elements }
            piece = max(piece / 2, 1)
        }
    }
}
