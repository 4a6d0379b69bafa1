/// Finds the presses that count in the edges of a button's contact, by the edges' timestamps: a delayed reader finds the same.
///
/// A button that is down at the start was not pressed. One that is stuck counts once at most.
package struct PressDetector: Sendable {
    /// What can happen.
    package enum Event: Sendable, Hashable {
        /// The contact's state was read: at the start, or when the button is back.
        case found(isDown: Bool)
        /// The contact closed or opened.
        case changed(isDown: Bool, at: MonotonicTime)
        /// Edges were lost.
        case missed(at: MonotonicTime)
        /// ``deadline`` has come.
        case timer(at: MonotonicTime)
        /// The button is gone.
        case lost
    }

    private enum State {
        case up
        /// Down since then, and not counted: it may become a long press.
        case pressed(MonotonicTime)
        /// Down; it was counted, or down before it was watched.
        case over
    }

    private let button: PositionButton
    /// Whether the contact is closed.
    package private(set) var isDown = false
    private var state = State.up
    private var released: MonotonicTime?

    /// A button that is up.
    package init(_ button: PositionButton) {
        self.button = button
    }

    /// When a press becomes a long one; nil if none is under way.
    package var deadline: MonotonicTime? {
        guard isDown, case .pressed(let since) = state, let longPress = button.longPress else { return nil }
        return since + longPress
    }

    /// Takes in an event, and returns when a press counted, if one did.
    package mutating func handle(_ event: Event) -> MonotonicTime? {
        switch event {
        case .found(let isDown): (self.isDown, state, released) = (isDown, .over, nil)
        case .changed(true, let at):
            // The kernel repeats a held key.
            if isDown { return nil }
            isDown = true
            // It bounced: the press before goes on.
            if let released, at < released + button.debounce { return nil }
            state = button.longPress == nil ? .over : .pressed(at)
            return button.longPress == nil ? at : nil
        case .changed(false, let at):
            guard isDown else { return nil }
            defer { (isDown, released) = (false, at) }
            return count(at)
        case .missed(let at):
            // It may have been up meanwhile.
            if isDown, case .pressed = state { state = .pressed(at) }
        case .timer(let at): return count(at)
        case .lost: (isDown, state, released) = (false, .up, nil)
        }
        return nil
    }

    /// Counts a press that has become a long one by `time`.
    private mutating func count(_ time: MonotonicTime) -> MonotonicTime? {
        guard let deadline, deadline <= time else { return nil }
        state = .over
        return deadline
    }
}
