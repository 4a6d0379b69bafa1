/// What a terminal can do.
package struct TerminalStyle: Sendable {
    /// Whether the cursor can be moved.
    package var movesCursor = true
    package var hasColor = true

    /// That of `TERM`, and of `NO_COLOR`, which switches colours off where it is not empty.
    package init(term: String?, noColor: String?) {
        movesCursor = term != nil && term != "" && term != "dumb"
        hasColor = movesCursor && (noColor ?? "").isEmpty
    }
}
