/// A function of the program's, and the pointer that it gets back.
// SAFETY: the program's pointer is passed through. Its headers say on which thread its function is called.
struct ProgramFunction<Function>: @unchecked Sendable {
    let call: Function
    let context: UnsafeMutableRawPointer?

    /// Nil if there is no function.
    init?(_ call: Function?, _ context: UnsafeMutableRawPointer?) {
        guard let call else { return nil }
        self.call = call
        self.context = context
    }
}

/// Apple's result for a pointer or a value that is none.
let badParameter: Int32 = -50
