import RingerCore
import Synchronization
import SystemPackage

/// Reports whether sound can be recorded, that is, whether a capture PCM exists.
///
/// A capture PCM is a file `pcmC0D0c` in the cards' directory. It is not opened, so this works while another process
/// records; whether this process may open it shows only when recording. Any thread may use it; it reports on the
/// event loop's, or on that of a microphone source. The corresponding kernel interface is inotify(7).
package final class InputAvailability: DeviceStateSource {
    /// "capture PCMs in /dev/snd".
    package let name: String

    private struct State {
        var watch: DirectoryWatch?
        var handler: (@Sendable (DeviceStateChange) -> Void)?
        var hasCapture = false
        /// By microphone source: whether a microphone is plugged in, as last reported.
        var inserted: [Int: Bool] = [:]
        var told: Bool?
        var isStarted = false
    }

    private let loop: EventLoop
    private let directory: FilePath
    private let microphones: [any DeviceStateSource]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - microphones: For a device without a microphone of its own: the sources that report that one is plugged in.
    ///     Sound can be recorded only while one is. They are started and closed with this object, and used for nothing
    ///     else. Empty if the device has its own microphone.
    ///   - loop: The thread that it runs on.
    ///   - paths: Where the cards' files come and go.
    package init(microphones: [any DeviceStateSource] = [], loop: EventLoop, paths: HardwarePaths = .standard) {
        self.loop = loop
        self.microphones = microphones
        directory = paths.sound
        name = "capture PCMs in \(paths.sound)"
    }

    deinit {
        state.withLock { $0.watch }?.closeSoon()
    }

    /// Starts watching. Reports whether sound can be recorded now before it returns.
    package func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try loop.syncThrowing { () throws(RingerError) in try self.begin(handler) }
    }

    /// Ends watching. May be called from the handler; elsewhere it waits for a running call of the handler, so the
    /// caller must not hold a lock that the handler takes.
    package func close() {
        loop.sync { self.tearDown() }
        for microphone in microphones { microphone.close() }
    }

    // MARK: - On the loop's thread

    private func begin(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { throw RingerError(.invalid, "watch", name, detail: "it was watched already") }
        // Watch the directory first: a change after the first look must not be missed.
        let watch = try DirectoryWatch(directory, loop: loop) { [weak self] in self?.look() }
        state.withLock { $0.watch = watch }
        do throws(RingerError) {
            for (index, microphone) in microphones.enumerated() {
                try microphone.start { [weak self] change in self?.microphone(index, told: change) }
            }
        } catch {
            close()
            throw error
        }
        state.withLock { $0.handler = handler }
        look()
    }

    private func microphone(_ index: Int, told change: DeviceStateChange) {
        switch change {
        case .microphoneInserted(let isInserted): state.withLock { $0.inserted[index] = isInserted }
        case .lost: state.withLock { $0.inserted[index] = false }
        default: return
        }
        tell()
    }

    private func look() {
        let hasCapture = DirectoryListing.names(in: directory).contains { ALSASoundInput.device(ofFile: $0) != nil }
        state.withLock { $0.hasCapture = hasCapture }
        tell()
    }

    private func tell() {
        let needsMicrophone = !microphones.isEmpty
        let news: (handler: @Sendable (DeviceStateChange) -> Void, isAvailable: Bool)? = state.withLock { state in
            guard let handler = state.handler else { return nil }
            let isAvailable = state.hasCapture && (!needsMicrophone || state.inserted.values.contains(true))
            guard isAvailable != state.told else { return nil }
            state.told = isAvailable
            return (handler, isAvailable)
        }
        if let news { news.handler(.inputAvailable(news.isAvailable)) }
    }

    private func tearDown() {
        let watch = state.withLock { state in
            state.isStarted = true
            state.handler = nil
            return state.watch.take()
        }
        watch?.close()
    }
}
