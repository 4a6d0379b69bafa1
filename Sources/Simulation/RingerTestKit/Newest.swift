/// The newest elements of a growing sequence, at most ``limit``, and the count of all.
struct Newest<Element> {
    /// The default of ``limit``.
    static var standardLimit: Int { 1_000 }

    /// The kept elements, in order.
    var elements: [Element] = []
    /// How many elements there were in all.
    private(set) var count = 0

    /// How many elements are kept, 1 or more.
    var limit = Self.standardLimit {
        didSet {
            precondition(limit >= 1, "At least one element is kept.")
            trim()
        }
    }

    /// Adds an element.
    ///
    /// - Returns: Its number, from 0.
    @discardableResult
    mutating func append(_ element: Element) -> Int {
        elements.append(element)
        count += 1
        trim()
        return count - 1
    }

    /// The index in ``elements`` of the element of that number; nil if it is no longer kept.
    func index(of number: Int) -> Int? {
        let index = number - (count - elements.count)
        return elements.indices.contains(index) ? index : nil
    }

    private mutating func trim() {
        if elements.count > limit { elements.removeFirst(elements.count - limit) }
    }
}
