import Glibc
import RingerLinux
import RingerCore
import Synchronization

// System Sound Services on plain types; results are Apple's OSStatus, 0 for success.
extension ProcessDevice {
    /// How long after its last frame a sound that was heard completes, by the device's clock: a phone's output latency.
    /// Programs in the field measure it: one plays a clip of 0.099 s and compares with 0.1 s. A sound that was silenced,
    /// stopped, or failed completes at once.
    package static let outputLatency = Duration.milliseconds(20)

    /// Registers the sound file at `path`. The corresponding C function is `AudioServicesCreateSystemSoundID`.
    ///
    /// - Parameters:
    ///   - path: The file's path, UTF-8 with a zero at the end.
    ///   - id: Gets the ID; 0 if the call fails.
    /// - Returns: 0; -1502 for a sound of more than 30 s; -1500 for anything else.
    package static func createSound(_ path: UnsafePointer<CChar>?, _ id: UnsafeMutablePointer<UInt32>?) -> Int32 {
        id?.pointee = 0
        // Bytes that are not UTF-8 would name another file once repaired.
        guard let id, let path, let path = String(validatingCString: path) else { return unspecified }
        return result { () throws(SystemSoundError) in
            id.pointee = try soundClient().register(path)
        }
    }

    /// Forgets a registered sound, which stops. The corresponding C function is `AudioServicesDisposeSystemSoundID`.
    package static func disposeSound(_ id: UInt32) -> Int32 {
        result { () throws(SystemSoundError) in
            try soundClient().dispose(id)
        }
    }

    /// Plays a sound. The corresponding C functions are `AudioServicesPlaySystemSound`, `AudioServicesPlayAlertSound`, and the
    /// same with completions.
    ///
    /// - Parameters:
    ///   - id: A registered or a predefined sound.
    ///   - asAlert: Whether it is an alert, which also vibrates.
    ///   - completion: A callback, once for this call, with any outcome; after the completion of the ID.
    package static func playSound(
        _ id: UInt32, asAlert: Bool = false, completion: (@Sendable () -> Void)? = nil
    ) {
        guard let client = try? soundClient() else {
            if let completion { callBackWithoutDevice(completion) }
            return
        }
        let (device, completions) = (client.device, client.completions)
        let callBack = callBack(on: device)
        device.sounds.start(SystemSoundID(rawValue: id), as: asAlert ? .alert : .sound) { result in
            note(result.outcome, result.fallback)
            callBack(result.outcome, result.position, result.endedAt) {
                completions.perform(id)
                completion?()
            }
        }
    }

    /// A function that runs the completion of a sound as a callback: ``outputLatency`` after a sound that was heard to its end,
    /// or when the device is closed before that; at once after any other.
    package static func callBack(
        on device: Device
    )
        -> @Sendable (
            _ outcome: SoundOutcome, _ position: StreamPosition, _ end: MonotonicTime,
            _ completion: @escaping @Sendable () -> Void
        ) -> Void
    {
        { [clock = device.clock, weak device] outcome, position, end, completion in
            let run: @Sendable () -> Void = { callbacks.run(on: clock, completion) }
            // A device that is gone was closed.
            guard let device, outcome == .finished, position.played > 0 else { return run() }
            device.call(atCloseOr: end + outputLatency, run)
        }
    }

    /// Runs a completion as a callback where no device can be opened. A loop of plays makes 20 rounds a second.
    private static func callBackWithoutDevice(_ completion: @escaping @Sendable () -> Void) {
        guard let loop = withoutDevice else { return }
        let pause = UserCode.isRunning ? Duration.milliseconds(50) : .zero
        _ = loop.schedule(at: loop.now + pause) { callbacks.run(on: loop, completion) }
    }

    /// Runs callbacks of a process without a device; nil, and no callback, if the system has no thread left.
    private static let withoutDevice = try? EventLoop(name: "ringer-callback")

    /// Sets the completion of an ID, which replaces the one before. It is a callback after each play of the ID. The
    /// corresponding C function is `AudioServicesAddSystemSoundCompletion`.
    ///
    /// - Parameters:
    ///   - id: The sound.
    ///   - place: Hands the callback over to another thread, such as that of a run loop; nil for none.
    ///   - completion: The callback.
    package static func setCompletion(
        of id: UInt32, in place: CallbackPlace? = nil, _ completion: @escaping @Sendable () -> Void
    ) -> Int32 {
        result { () throws(SystemSoundError) in
            let client = try soundClient()
            // Throws where there is no such sound.
            _ = try client.device.sounds.isUISound(SystemSoundID(rawValue: id))
            client.completions.set(completion, in: place, of: id)
        }
    }

    /// Removes the completion of an ID. It is not called any more once this returns, unless it runs already. The
    /// corresponding C function is `AudioServicesRemoveSystemSoundCompletion`.
    package static func removeCompletion(of id: UInt32) {
        _ = try? soundClient().completions.remove(id)
    }

    // MARK: - Properties

    /// The size of a property's value, and whether it can be set. The corresponding C function is
    /// `AudioServicesGetPropertyInfo`.
    package static func soundPropertyInfo(
        _ property: UInt32, _ specifierSize: UInt32, _ specifier: UnsafeRawPointer?,
        _ size: UnsafeMutablePointer<UInt32>?, _ isWritable: UnsafeMutablePointer<UInt8>?
    ) -> Int32 {
        result { () throws(SystemSoundError) in
            let info = try soundClient().device.sounds.propertyInfo(
                SystemSoundProperty(rawValue: property), specifier: bytes(specifier, specifierSize))
            size?.pointee = UInt32(info.size)
            isWritable?.pointee = info.isWritable ? 1 : 0
        }
    }

    /// Reads a property. The corresponding C function is `AudioServicesGetProperty`.
    package static func soundProperty(
        _ property: UInt32, _ specifierSize: UInt32, _ specifier: UnsafeRawPointer?,
        _ size: UnsafeMutablePointer<UInt32>?, _ data: UnsafeMutableRawPointer?
    ) -> Int32 {
        result { () throws(SystemSoundError) in
            let value = try soundClient().device.sounds.value(
                of: SystemSoundProperty(rawValue: property), specifier: bytes(specifier, specifierSize),
                size: Int(clamping: size?.pointee ?? 0))
            size?.pointee = UInt32(value.count)
            data?.copyMemory(from: value, byteCount: value.count)
        }
    }

    /// Sets a property. The corresponding C function is `AudioServicesSetProperty`.
    package static func setSoundProperty(
        _ property: UInt32, _ specifierSize: UInt32, _ specifier: UnsafeRawPointer?, _ size: UInt32,
        _ data: UnsafeRawPointer?
    ) -> Int32 {
        result { () throws(SystemSoundError) in
            try soundClient().device.sounds.set(
                SystemSoundProperty(rawValue: property), specifier: bytes(specifier, specifierSize),
                to: bytes(data, size))
        }
    }

    /// The bytes at `pointer`; none for a null pointer, which every size is wrong for. At most 16: no value is larger.
    private static func bytes(_ pointer: UnsafeRawPointer?, _ size: UInt32) -> [UInt8] {
        guard let pointer else { return [] }
        // SAFETY: the caller passes the address of `size` bytes, as the C function demands.
        return Array(UnsafeRawBufferPointer(start: pointer, count: Int(min(size, 16))))
    }

    // MARK: - Results

    private static let unspecified = SystemSoundError.Code.unspecified.rawValue

    private static func soundClient() throws(SystemSoundError) -> Client {
        do throws(RingerError) {
            return try client
        } catch {
            throw SystemSoundError(error)
        }
    }

    private static func result(_ body: () throws(SystemSoundError) -> Void) -> Int32 {
        do throws(SystemSoundError) {
            try body()
            return 0
        } catch {
            note(error.cause)
            return error.code.rawValue
        }
    }
}

/// The completions of sound IDs. One is looked up where it runs: a removed one is not called. Any thread.
final class SoundCompletions: Sendable {
    struct Completion: Sendable {
        fileprivate var place: ProcessDevice.CallbackPlace?
        fileprivate var body: @Sendable () -> Void
    }

    private let completions = Mutex<[UInt32: Completion]>([:])

    func set(_ body: @escaping @Sendable () -> Void, in place: ProcessDevice.CallbackPlace?, of id: UInt32) {
        // What the one before captures ends outside the lock.
        _ = completions.withLock { $0.updateValue(Completion(place: place, body: body), forKey: id) }
    }

    @discardableResult
    func remove(_ id: UInt32) -> Completion? {
        completions.withLock { $0.removeValue(forKey: id) }
    }

    /// Sets a removed completion again, unless there is another by now.
    func restore(_ completion: Completion?, of id: UInt32) {
        completions.withLock { completions in
            if completions[id] == nil { completions[id] = completion }
        }
    }

    func removeAll() {
        let all = completions.withLock { completions in
            defer { completions = [:] }
            return completions
        }
        _ = all
    }

    /// Runs the completion of `id`, if there is one, in its place.
    func perform(_ id: UInt32) {
        guard let completion = completions.withLock({ $0[id] }) else { return }
        guard let place = completion.place else { return completion.body() }
        place { [weak self] in self?.completions.withLock { $0[id] }?.body() }
    }
}
