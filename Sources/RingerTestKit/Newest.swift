/// The newest elements of a sequence that goes on, at most ``limit`` of them, with the number of all that there were.
struct Newest<Element> {
    /// How many are kept by default.
    static var standardLimit: Int { 1_000 }

    /// Those that are kept, in order.
    var elements: [Element] = []
    /// How many there were in all.
    private(set) var count = 0

    /// How many are kept, 1 or more.
    var limit = Self.standardLimit {
        didSet {
            precondition(limit >= 1, "At least one element is kept.")
            trim()
        }
    }

    /// Adds one.
    ///
    /// - Returns: Its number, from 0, to find it by.
    @discardableResult
    mutating func append(_ element: Element) -> Int {
        elements.append(element)
        count += 1
        trim()
        return count - 1
    }

    /// Where the element of that number is in ``elements``; nil where it is not kept any more.
    func index(of number: Int) -> Int? {
        let index = number - (count - elements.count)
        return elements.indices.contains(index) ? index : nil
    }

    private mutating func trim() {
        if elements.count > limit { elements.removeFirst(elements.count - limit) }
    }
}
