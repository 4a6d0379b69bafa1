public import Ringer
import RingerCore
import Synchronization

/// The one device of a process whose sources use Apple's names, in Swift or C: those names have no parameter for it.
///
/// It is opened at the first use, as the environment variable `RINGER_BOARD` says (``Board``), or handed in before with
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

    private static let state = Mutex(State())
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

    /// Why the device could not be opened when it was last tried, or the newest failure since then to register a sound or to play
    /// one; nil if there was none. Apple's result codes do not say.
    public static var failure: RingerError? {
        process.isCurrent ? state.withLock { $0.failure } : process.error("use it", "device")
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
            let result: Result<Client, RingerError> = state.withLock { state in
                if let client = state.client { return .success(client) }
                do throws(RingerError) {
                    let client = Client(try Board.open(), isOwned: true)
                    state = State(client: client)
                    return .success(client)
                } catch {
                    state.failure = error
                    return .failure(error)
                }
            }
            return try result.get()
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

    init(_ device: Device, isOwned: Bool) {
        self.device = device
        self.isOwned = isOwned
        session = ProcessSession(device)
    }

    /// Registers the sound file at `path`, and returns its ID.
    func register(_ path: String) throws(SystemSoundError) -> UInt32 {
        let id = try device.sounds.register(path).rawValue
        registered.withLock { _ = $0.insert(id) }
        return id
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
