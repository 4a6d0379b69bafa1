import RingerCore
import RingerBus

/// Sets the preferences for clients, and keeps them in their file. Where the file could not be read at the start, it is read
/// later, and is not written until then. It runs on the event loop's thread; the file is read and written on threads of
/// their own.
// SAFETY: all state is used on the loop's thread alone.
final class ServicePreferences: @unchecked Sendable {
    private let device: Device
    private let connection: BusConnection
    private let file: PreferencesFile?
    private let publisher: ServicePublisher
    /// What clients have set while the file could not be read; nil where it was read.
    private var setUnread: [String: BusValue]?
    /// The calls that set preferences which are being written.
    private let kept: DeferredReplies
    private var isStopped = false
    /// The preferences that are kept, or being written.
    private var known: UserPreferences
    /// Whether a thread reads the file.
    private(set) var isReading = false

    /// - Parameter file: Where the preferences are kept; nil for nowhere.
    init(
        _ device: Device, _ connection: BusConnection, _ file: PreferencesFile?,
        _ publisher: ServicePublisher
    ) {
        (self.device, self.connection, self.file, self.publisher) = (device, connection, file, publisher)
        kept = DeferredReplies(connection)
        known = device.preferences
    }

    /// Begins to read a file that could not be read.
    func start() {
        guard file?.unreadable != nil else { return }
        setUnread = [:]
        read(after: .seconds(1))
    }

    /// Waits for the disk: who set preferences is informed that they are kept.
    func stop() {
        keepChanges()
        isStopped = true
        file?.finish()
        kept.answerAll()
    }

    /// Sets the preferences that `value` names, and replies once they are kept.
    func set(_ value: BusValue, _ message: BusMessage) throws {
        keepChanges()
        var preferences = device.preferences
        try preferences.set(value)
        device.preferences = preferences
        known = preferences
        guard let file else { return connection.reply(to: message) }
        guard setUnread == nil else {
            setUnread?.merge(value.dictionary ?? [:]) { $1 }
            return connection.reply(
                to: message, BusError(file.unreadable ?? RingerError(.busy, "keep the preferences", file.path)))
        }
        file.write(preferences, kept.add(message))
    }

    /// Keeps what the volume keys have changed.
    func keepChanges() {
        let preferences = device.preferences
        guard let file, preferences != known else { return }
        let before = known.busValues
        known = preferences
        guard setUnread == nil else {
            setUnread?.merge(preferences.busValues.filter { before[$0.key] != $0.value }) { $1 }
            return
        }
        write(preferences, to: file)
    }

    private func write(_ preferences: UserPreferences, to file: PreferencesFile) {
        file.write(preferences) { [publisher, loop = connection.loop] error in
            guard let error else { return }
            loop.execute { publisher.reportDegraded(error) }
        }
    }

    /// Reads the file after `delay`, and then ever more rarely: what clients have set by then stays as it is.
    private func read(after delay: Duration) {
        _ = device.clock.schedule(at: device.clock.now + delay) { [weak self, loop = connection.loop] in
            loop.execute { [weak self] in
                guard let self, let file, !isStopped else { return }
                isReading = true
                Task(executorPreference: loop) { [self] in
                    let result = try? await DetachedThread.run {
                        var errors: [RingerError] = []
                        let preferences = file.read { errors.append($0) }
                        return (preferences, errors)
                    }
                    isReading = false
                    take(result?.0, result?.1 ?? [], after: delay, from: file)
                }
            }
        }
    }

    private func take(
        _ read: UserPreferences?, _ errors: [RingerError], after delay: Duration, from file: PreferencesFile
    ) {
        // The reason was reported at the start.
        guard var preferences = read else { return self.read(after: min(delay * 2, .seconds(30))) }
        for error in errors { publisher.reportDegraded(error) }
        keepChanges()
        let changes = setUnread ?? [:]
        setUnread = nil
        // It does not fail: each was accepted when it was set.
        try? preferences.set(.dictionary(changes))
        device.preferences = preferences
        known = preferences
        publisher.publishSoon()
        if !changes.isEmpty, !isStopped { write(preferences, to: file) }
    }
}
