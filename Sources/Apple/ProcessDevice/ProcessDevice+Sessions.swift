public import RingerCore
package import SessionProperties
import Synchronization

// Audio Session Services on plain types; results are Apple's OSStatus, 0 for success.
extension ProcessDevice {
    /// The process's session, for what Apple's names do not have, such as ``AudioSession/setInBackground(_:)``.
    ///
    /// - Throws: ``RingerError`` if the device cannot be opened.
    public static var session: AudioSession {
        get throws(RingerError) { try client.session.session }
    }

    /// Allows the calls below. The corresponding C function is `AudioSessionInitialize`.
    ///
    /// - Parameter interruption: A callback with 1 at the beginning of an interruption, and 0 at its end.
    /// - Returns: 0; `init` the second time; `ini?` if there is no device.
    package static func initializeSession(_ interruption: (@Sendable (UInt32) -> Void)?) -> Int32 {
        guard let client = try? client else { return SessionError.Code.initializationFailed.rawValue }
        guard client.session.initialize() else { return SessionError.Code.alreadyInitialized.rawValue }
        guard let interruption else { return 0 }
        client.session.observe { event in
            switch event {
            case .interruptionBegan: interruption(1)
            case .interruptionEnded: interruption(0)
            default: break
            }
        }
        return 0
    }

    /// Activates or deactivates the session, and waits for it. The corresponding C functions are `AudioSessionSetActive` and
    /// `AudioSessionSetActiveWithFlags`.
    package static func setSessionActive(_ isActive: Bool, notifyOthers: Bool = true) -> Int32 {
        result("activate") { client throws(SessionError) in
            try client.setActive(isActive, notifyOthers: notifyOthers)
        }
    }

    /// Activates or deactivates the session, initialised or not, and waits for it; also in a callback.
    ///
    /// - Throws: ``SessionError``, as ``AudioSession/activate()`` does; `notInitialized` if there is no device.
    package static func setActive(_ isActive: Bool, notifyOthers: Bool = true) throws(SessionError) {
        guard let client = try? client else { throw SessionError(.notInitialized, "activate") }
        try client.session.setActive(isActive, notifyOthers: notifyOthers)
    }

    /// Calls `observer` with the session's events, as a callback, for as long as the process has this device.
    package static func observeSession(
        _ observer: @escaping @Sendable (SessionEvent) -> Void
    ) throws(RingerError) {
        try client.session.observe(observer)
    }

    // MARK: - Properties

    /// The size of a property's value in bytes; of text, and of a route change, that of a pointer. The corresponding C
    /// function is `AudioSessionGetPropertySize`.
    package static func sessionPropertySize(_ property: UInt32, _ size: UnsafeMutablePointer<UInt32>?) -> Int32 {
        result("get the size of a property") { client throws(SessionError) in
            let code = FourCharacterCode(rawValue: property)
            let isOwn = code == "mode" || code == "type"
            let isObject = SessionProperty(code: code).map { $0.kind.size == nil } ?? false
            let bytes = isOwn ? MemoryLayout<UInt32>.size : isObject ? pointerSize : try client.session.size(of: code)
            size?.pointee = UInt32(bytes)
        }
    }

    /// Reads a property. The corresponding C function is `AudioSessionGetProperty`.
    ///
    /// - Parameters:
    ///   - property: The property's code.
    ///   - size: The size of the buffer; gets that of the value.
    ///   - data: The buffer.
    ///   - string: Makes the caller's string object, whose owner the program becomes.
    package static func sessionProperty(
        _ property: UInt32, _ size: UnsafeMutablePointer<UInt32>?, _ data: UnsafeMutableRawPointer?,
        string: (String) -> UnsafeRawPointer?
    ) -> Int32 {
        result("get a property") { client throws(SessionError) in
            guard let size, let data else { throw SessionError(.badParameter, "get a property") }
            let code = FourCharacterCode(rawValue: property)
            let capacity = Int(clamping: size.pointee)
            let value = try client.value(of: code)
            if case .string(let text) = value {
                guard capacity >= pointerSize else { throw SessionError(.badPropertySize, "get \(code)") }
                // SAFETY: the caller passes the address of `size` bytes, as the C function demands.
                data.storeBytes(of: string(text), as: UnsafeRawPointer?.self)
                size.pointee = UInt32(pointerSize)
            } else {
                let bytes = value.bytes
                guard bytes.count <= capacity else { throw SessionError(.badPropertySize, "get \(code)") }
                data.copyMemory(from: bytes, byteCount: bytes.count)
                size.pointee = UInt32(bytes.count)
            }
        }
    }

    /// Sets a property. The corresponding C function is `AudioSessionSetProperty`.
    package static func setSessionProperty(
        _ property: UInt32, _ size: UInt32, _ data: UnsafeRawPointer?
    ) -> Int32 {
        result("set a property") { client throws(SessionError) in
            guard let data else { throw SessionError(.badParameter, "set a property") }
            // SAFETY: the caller passes the address of `size` bytes, as the C function demands. No value is larger than 8.
            let bytes = Array(UnsafeRawBufferPointer(start: data, count: Int(min(size, 16))))
            let code = FourCharacterCode(rawValue: property)
            if code == "mode" { try client.setMode(bytes) } else { try client.session.set(code, bytes: bytes) }
        }
    }

    /// Adds a listener: a callback with each new value. There is one for each pair of property and client data. The
    /// corresponding C function is `AudioSessionAddPropertyListener`.
    ///
    /// - Parameters:
    ///   - property: The property's code.
    ///   - clientData: The caller's, as a number.
    ///   - place: Hands the callback over to another thread, such as that of a run loop; nil for none.
    ///   - listener: The callback.
    package static func addSessionListener(
        _ property: UInt32, clientData: UInt, in place: CallbackPlace? = nil,
        _ listener: @escaping @Sendable (SessionPropertyValue) -> Void
    ) -> Int32 {
        result("listen to a property") { client throws(SessionError) in
            try client.addListener(FourCharacterCode(rawValue: property), clientData, place, listener)
        }
    }

    /// Removes a listener. It is not called any more once this returns, unless it runs already. The corresponding C function
    /// is `AudioSessionRemovePropertyListenerWithUserData`.
    package static func removeSessionListener(_ property: UInt32, clientData: UInt) -> Int32 {
        result("stop listening to a property") { client throws(SessionError) in
            try client.removeListeners(FourCharacterCode(rawValue: property), clientData)
        }
    }

    /// Removes the listeners of a property. The corresponding C function is `AudioSessionRemovePropertyListener`.
    package static func removeSessionListeners(_ property: UInt32) -> Int32 {
        result("stop listening to a property") { client throws(SessionError) in
            try client.removeListeners(FourCharacterCode(rawValue: property), nil)
        }
    }

    private static let pointerSize = MemoryLayout<UnsafeRawPointer?>.size

    /// Runs `body` with the session, which has to be initialised.
    private static func result(
        _ operation: String, _ body: (ProcessSession) throws(SessionError) -> Void
    ) -> Int32 {
        do throws(SessionError) {
            guard let session = try? client.session, session.isInitialized else {
                throw SessionError(.notInitialized, operation)
            }
            try body(session)
            return 0
        } catch {
            return error.code.rawValue
        }
    }
}

/// The process's session on one device. Any thread.
final class ProcessSession: Sendable {
    private struct ListenerKey: Hashable {
        var property: FourCharacterCode
        var clientData: UInt
    }

    /// A container that keeps a bare function wraps it once more each time that it is read and stored again.
    private struct Callback<Value>: Sendable {
        let call: @Sendable (Value) -> Void
    }

    private struct State {
        var isInitialized = false
        /// Properties that no session of Ringer's has.
        var mode: FourCharacterCode = "dflt"
        var interruptionType: FourCharacterCode = "!rsm"
        var session: AudioSession?
        /// Reads the session's events.
        var reader: Task<Void, Never>?
        var observers: [Callback<SessionEvent>] = []
        var listeners: [ListenerKey: Callback<SessionPropertyValue>] = [:]
    }

    private let device: Device
    private let state = Mutex(State())

    init(_ device: Device) {
        self.device = device
    }

    var isInitialized: Bool { state.withLock { $0.isInitialized } }

    /// The session, which the first use makes.
    var session: AudioSession {
        device.core.transition {
            state.withLock { state in
                if let session = state.session { return session }
                let session = device.sessions.make(name: "process")
                state.session = session
                return session
            }
        }
    }

    /// Whether this was the first call.
    func initialize() -> Bool {
        state.withLock { state in
            defer { state.isInitialized = true }
            return !state.isInitialized
        }
    }

    /// The value of a property, the process's own ones included.
    func value(of property: FourCharacterCode) throws(SessionError) -> SessionPropertyValue {
        switch property {
        case "mode": .uint32(state.withLock { $0.mode }.rawValue)
        case "type": .uint32(state.withLock { $0.interruptionType }.rawValue)
        default: try session.value(of: property)
        }
    }

    /// Sets the mode, which has no effect.
    func setMode(_ bytes: [UInt8]) throws(SessionError) {
        guard case .uint32(let number)? = SessionPropertyValue(.uint32, bytes: bytes) else {
            throw SessionError(.badPropertySize, "set mode")
        }
        let mode = FourCharacterCode(rawValue: number)
        guard ["dflt", "vcct", "vrcd", "msmt"].contains(mode) else {
            throw SessionError(.badParameter, "set mode", detail: "there is no mode '\(mode)'")
        }
        state.withLock { $0.mode = mode }
    }

    func close() {
        // What they refer to ends outside the lock.
        let before = state.withLock { state in
            defer { state = State() }
            return state
        }
        before.reader?.cancel()
    }

    /// Activates or deactivates the session, and waits for it. It waits for the device, not for a callback: the caller may be
    /// one.
    func setActive(_ isActive: Bool, notifyOthers: Bool = true) throws(SessionError) {
        let session = session
        let isDone = Latch()
        let answer = Mutex<SessionError?>(nil)
        let event: SessionCoordinator.Event =
            isActive ? .activate(session.id) : .deactivate(session.id, notifyOthers: notifyOthers)
        session.send(event) { error in
            answer.withLock { $0 = error }
            isDone.open()
        }
        isDone.wait()
        if let error = answer.withLock({ $0 }) { throw error }
    }

    /// Calls `observer` with each event, as a callback.
    func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        // Before the lock: who makes a transition of the device may wait for it.
        let events = session.events
        state.withLock { state in
            state.observers.append(Callback(call: observer))
            guard state.reader == nil else { return }
            let read: @Sendable () async -> Void = { [weak self] in
                for await event in events { self?.tell(event) }
            }
            // On the device's thread: no other one is started for it.
            state.reader =
                if let loop = device.clock as? EventLoop {
                    Task(executorPreference: loop) { await read() }
                } else {
                    Task { await read() }
                }
        }
    }

    private func tell(_ event: SessionEvent) {
        if case .interruptionEnded(let shouldResume) = event {
            state.withLock { $0.interruptionType = shouldResume ? "irsm" : "!rsm" }
        }
        ProcessDevice.callbacks.run(on: device.clock) { [weak self] in
            for observer in self?.state.withLock({ $0.observers }) ?? [] { observer.call(event) }
        }
    }

    func addListener(
        _ property: FourCharacterCode, _ clientData: UInt, _ place: ProcessDevice.CallbackPlace?,
        _ listener: @escaping @Sendable (SessionPropertyValue) -> Void
    ) throws(SessionError) {
        let key = ListenerKey(property: property, clientData: clientData)
        let clock = device.clock
        // First: a change may come before the call returns. The one before ends outside the lock.
        let before = state.withLock { $0.listeners.updateValue(Callback(call: listener), forKey: key) }
        do throws(SessionError) {
            try session.addListener(property, clientData: clientData) { [weak self] notification in
                let value = notification.change.value
                // Looked up where it runs: a removed one is not called.
                let call: @Sendable () -> Void = { [weak self] in self?.listener(key)?.call(value) }
                ProcessDevice.callbacks.run(on: clock) { if let place { place(call) } else { call() } }
            }
        } catch {
            state.withLock { $0.listeners[key] = before }
            throw error
        }
    }

    private func listener(_ key: ListenerKey) -> Callback<SessionPropertyValue>? {
        state.withLock { $0.listeners[key] }
    }

    /// Removes one listener of a property, or all of them for nil.
    func removeListeners(_ property: FourCharacterCode, _ clientData: UInt?) throws(SessionError) {
        if let clientData {
            try session.removeListener(property, clientData: clientData)
        } else {
            try session.removeListeners(of: property)
        }
        let removed = state.withLock { state in
            let before = state.listeners
            state.listeners = before.filter { entry in
                entry.key.property != property || (clientData != nil && entry.key.clientData != clientData)
            }
            return before
        }
        _ = removed
    }
}
