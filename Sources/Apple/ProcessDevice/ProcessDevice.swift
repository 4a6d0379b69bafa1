public import RingerCore
import Synchronization

/// The one device of a process whose sources use Apple's names, in Swift or C: those names have no parameter for it.
///
/// It is opened at the first use, as the environment variable `RINGER_BOARD` says (`Board`), or handed in before with
/// ``use(_:)``. Both languages share it: the rules of sounds, completions, properties and sessions are in this module,
/// on plain types, and each language adds its own spelling.
///
/// A child of `fork` has no device where its parent used one before: what plays is not heard, other calls fail, and the exit of
/// the child leaves the parent's device alone.
public enum ProcessDevice {
    struct State {
        var client: Client?
        var failure: RingerError?
    }

    /// What follows the device in use.
    package struct Follower: Sendable {
        /// Called when another device has come into use, ``inUse``.
        package var follow: @Sendable () -> Void = {}
    }

    private static let state = Mutex(State())
    package static let follower = Mutex(Follower())
    /// The process that used this first.
    static let process = OwningProcess()

    /// Runs callbacks: on a thread of their own, or where the program dispatches them.
    package static let callbacks = Callbacks()

    /// Uses `device` from now on. Sounds that were registered, completions, listeners and the session of the device before
    /// are forgotten.
    ///
    /// - Parameter device: The device, which its owner closes; nil to open one at the next use. A device that was opened
    ///   here is closed.
    public static func use(_ device: Device?) {
        if !process.isCurrent { return }
        let client = device.map { Client($0, isOwned: false) }
        let before = state.withLock { state in
            defer { state = State(client: client) }
            return state.client
        }
        before?.close()
        if device != nil { follower.withLock { $0 }.follow() }
    }

    /// Closes a device that was opened here. It stays the process's, so that a callback that plays opens no other.
    static func closeAtExit() {
        guard process.isCurrent, let client = state.withLock({ $0.client }), client.isOwned else { return }
        client.close()
    }

    /// The device, which the first use opens.
    ///
    /// - Throws: ``RingerError`` if it cannot be opened: an unknown word in `RINGER_BOARD` or `RINGER_POSITION`, no service
    ///   where one was asked for, a motor that cannot be used. The next use tries again.
    public static var device: Device {
        get throws(RingerError) { try client.device }
    }

    /// The device, if there is one already.
    package static var inUse: Device? { process.isCurrent ? state.withLock { $0.client?.device } : nil }

    /// Why the device could not be opened when it was last tried, or the newest failure since then to register a sound, to play one,
    /// or to play all of it and no other; nil if there was none. Apple's result codes do not say.
    public static var failure: RingerError? {
        process.isCurrent ? state.withLock { $0.failure } : process.error("use it", "device")
    }

    /// Keeps for ``failure`` why a sound was not played, or another one, or not all of it.
    package static func note(_ outcome: SoundOutcome, _ fallback: SoundFallback?) {
        if case .failed(let error) = outcome { note(error) } else if let error = fallback?.error { note(error) }
    }

    /// Keeps a failure for ``failure``.
    static func note(_ failure: RingerError) {
        if process.isCurrent { state.withLock { $0.failure = failure } }
    }

    /// What the process has on its device. The lock is held while the device is opened: other threads wait for it.
    static var client: Client {
        get throws(RingerError) {
            // Before the lock, which a thread of the parent may have had.
            try process.check("use it", "device")
            var isNew = false
            let result: Result<Client, RingerError> = state.withLock { state in
                if let client = state.client { return .success(client) }
                isNew = true
                do throws(RingerError) {
                    let client = Client(try open(), isOwned: true)
                    state = State(client: client)
                    return .success(client)
                } catch {
                    state.failure = error
                    return .failure(error)
                }
            }
            let client = try result.get()
            if isNew { follower.withLock { $0 }.follow() }
            return client
        }
    }
}

/// What the process has on one device. Any thread.
final class Client: Sendable {
    let device: Device
    let isOwned: Bool
    let completions = SoundCompletions()
    let session: ProcessSession
    /// The sounds that were registered here: a device that was handed in has others.
    private let registered = Mutex<Set<UInt32>>([])
    private let isRehearsed = Atomic(false)

    init(_ device: Device, isOwned: Bool) {
        self.device = device
        self.isOwned = isOwned
        session = ProcessSession(device)
    }

    /// Where a phone has the files of the predefined sounds.
    private static let predefined = "/System/Library/Audio/UISounds/"

    /// Registers the sound file at `path`, or the predefined sound whose file that is on a phone, and returns its ID.
    func register(_ path: String) throws(SystemSoundError) -> UInt32 {
        let id: UInt32
        do throws(SystemSoundError) {
            id = try device.sounds.register(unrehearsed: path).rawValue
        } catch {
            let name = String(path.dropFirst(Self.predefined.count))
            guard path.hasPrefix(Self.predefined), error.cause.code == .notFound,
                let sound = PredefinedSound.all.first(where: { $0.filePhone == name || $0.filePlayer == name })
            else { throw error }
            id = try device.sounds.register(sound).rawValue
        }
        registered.withLock { _ = $0.insert(id) }
        rehearse(id)
        return id
    }

    /// Goes the way of a silenced sound once, to the callbacks' thread: what a program times to learn the switch's position is
    /// not the start of a thread, nor code that has never run. A callback that registers a sound is on that thread.
    private func rehearse(_ id: UInt32) {
        guard !UserCode.isRunning, !isRehearsed.exchange(true, ordering: .relaxed) else { return }
        let isAwake = Latch()
        device.sounds.rehearse(SystemSoundID(rawValue: id)) { [clock = device.clock] _ in
            let callbacks = ProcessDevice.callbacks
            if callbacks.areDispatched { isAwake.open() } else { callbacks.run(on: clock) { isAwake.open() } }
        }
        // The device's thread has other work. Not for ever: what is called back before may be waiting for this thread.
        if device.clock.thread?.isCurrentThread == true { return }
        isAwake.wait(until: .now + .seconds(1))
    }

    /// Forgets a sound, which stops, and its completion, which is not called any more.
    func dispose(_ id: UInt32) throws(SystemSoundError) {
        // First: the stopped sound would complete.
        let completion = completions.remove(id)
        do throws(SystemSoundError) {
            try device.sounds.dispose(SystemSoundID(rawValue: id))
        } catch {
            completions.restore(completion, of: id)
            throw error
        }
        registered.withLock { _ = $0.remove(id) }
    }

    func close() {
        completions.removeAll()
        session.close()
        let registered = registered.withLock { registered in
            defer { registered = [] }
            return registered
        }
        if !isOwned {
            // Fails for a device that its owner has closed.
            for id in registered { try? device.sounds.dispose(SystemSoundID(rawValue: id)) }
        }
        if isOwned { device.close() }
    }
}
