import Dispatch
internal import ProcessDevice

/// A function of the program with its client data, and the run loop in which it wants to be called.
// SAFETY: the function and the pointer go back to the program in one callback after the other, as it asked for.
struct RunLoopCallback<Function>: @unchecked Sendable {
    private let isMain: Bool
    let function: Function
    let clientData: UnsafeMutableRawPointer?

    /// - Parameter runLoop: The run loop; nil for the main one.
    init(_ runLoop: CFRunLoop?, _ function: Function, _ clientData: UnsafeMutableRawPointer?) {
        isMain = runLoop == nil || runLoop === RunLoop.main
        self.function = function
        self.clientData = clientData
    }

    /// Runs `body` where the program wants its callbacks: for the main run loop on the main queue, which serves
    /// `RunLoop.main.run()`, `dispatchMain()` and an async main alike. Foundation cannot wake another run loop: for one, the
    /// callback stays on the callbacks' thread.
    func run(_ body: @escaping @Sendable () -> Void) {
        if isMain { DispatchQueue.main.async { Callbacks.perform(body) } } else { body() }
    }
}
