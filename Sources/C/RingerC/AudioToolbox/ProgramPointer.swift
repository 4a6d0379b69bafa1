/// The pointer that a function of the program's gets back.
// SAFETY: it is passed through. The program's headers say on which thread its function is called.
struct ProgramPointer: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
}

/// Apple's result for a pointer or a value that is none.
let badParameter: Int32 = -50
