import Synchronization

/// The announcement queue: plays announcements one at a time, each whole, in one audio session. Any thread.
///
/// An interruption, such as a call or an exclusive session, pauses the queue, and so does a recording beside which an
/// announcement is silent; the announcement that it cut off is played again from its beginning afterwards. One whose
/// headphones are pulled out is played again at once. A session of higher priority, such as ``SessionPriority/call``, makes
/// the queue wait until that session is deactivated. An announcement that the Ring/Silent switch or the screen lock
/// silences ends as silenced, and the next one follows. System sounds and notifications never replace an announcement.
public final class Announcements: Sendable {
    /// Identifies an announcement.
    public struct ID: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    private let clock: any DeviceClock
    let runner: StateMachineRunner<AnnouncementMachine>
    /// The announcements that have not ended.
    private let queued = TransitionState<[UInt64: QueuedAnnouncement]>([:])
    /// The announcement that began last.
    private let last = TransitionState<Announcement?>(nil)
    private let nextNumber = Atomic<UInt64>(0)

    package init(_ sessions: AudioSessions) {
        let clock = sessions.clock
        let session = sessions.make(name: "announcements", category: .playback)
        let core = sessions.core
        let timer = TimerSlot(clock, core)
        let (queued, last) = (queued, last)
        self.clock = clock
        let runner = StateMachineRunner(AnnouncementMachine(), in: core) { action, runner in
            switch action {
            case .activate(let category, let options):
                sessions.activate(session.id, as: category, options) { [weak runner] error in
                    runner?.send(.activated(error, now: clock.now, asleep: clock.timeAsleep))
                }
            case .play(let id):
                let number = sessions.player.reserve()
                guard let announcement = queued.value[id]?.announcement else { return }
                queued.value[id]?.sound = number
                core.release(last.value)
                last.value = announcement
                let manner = SoundManner(announcement: announcement.volume.map { .own($0) } ?? .preferred)
                sessions.play(announcement.sound, manner: manner, reserved: number, in: session.id) {
                    [weak runner] result in
                    runner?.send(.ended(id, result, now: clock.now))
                }
            case .stop(let id):
                if let number = queued.value[id]?.sound { sessions.player.stop(number) }
            case .expire(let id):
                // It may wait for its speaker.
                if let number = queued.value[id]?.sound, !sessions.player.hasBegun(number) {
                    runner.send(.remove(id, .expired, now: clock.now))
                }
            case .deactivate:
                sessions.send(.deactivate(session.id, notifyOthers: true)) { _ in }
            case .setTimer(let time):
                guard let time else { return timer.cancel() }
                timer.set(at: time + (.zero - clock.timeAsleep)) { [weak runner] in
                    runner?.send(.timer(now: clock.now, asleep: clock.timeAsleep))
                }
            case .complete(let id, let result):
                guard let entry = queued.value.removeValue(forKey: id) else { return }
                entry.completion(result)
                core.release(entry)
            case .proceedLater:
                core.perform { [weak runner] in runner?.send(.proceed) }
            }
        }
        self.runner = runner
        // What the queue itself changes, such as the category of its session, is no reason to ask for it again.
        sessions.whenSettled { [weak runner] in if runner?.isAtWork == false { runner?.send(.sessionsChanged) } }
    }

    /// Ends the announcements whose time is over: the machine has slept.
    package func wakes() {
        runner.send(.timer(now: clock.now, asleep: clock.timeAsleep))
    }

    // MARK: - Adding

    /// Adds an announcement after those of equal or higher priority.
    ///
    /// - Parameter completion: Called once with the outcome: played to its end, silenced, expired, removed or failed. Called
    ///   before the call returns, on the caller's thread, if the outcome is known by then; else on the callback thread
    ///   (``DeviceClock/callBack(_:)``).
    /// - Returns: Identifies the announcement, for ``remove(_:)``.
    /// - Throws: ``SessionError/Code/incompatibleCategory`` if the category does not allow one of the options.
    @discardableResult
    public func add(
        _ announcement: Announcement, completion: (@Sendable (SoundResult) -> Void)? = nil
    ) throws(SessionError) -> ID {
        let id = try newID(announcement)
        withUserCompletion(completion, on: clock, runner.core) { insert(id, announcement, $0) }
        return id
    }

    /// Adds an announcement and waits for its outcome. Cancelling the task removes it.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` if the category does not allow one of the options.
    public func announce(_ announcement: Announcement) async throws(SessionError) -> SoundResult {
        let id = try newID(announcement)
        return await outcome(runner.core, { insert(id, announcement, $0) }, onCancel: { remove(id) })
    }

    /// Adds the announcement that began last once more, before all waiting ones.
    ///
    /// - Parameter completion: As in ``add(_:completion:)``.
    /// - Returns: Identifies the announcement, for ``remove(_:)``; nil if none has begun yet.
    @discardableResult
    public func repeatLast(completion: (@Sendable (SoundResult) -> Void)? = nil) -> ID? {
        guard var last = runner.core.read({ last.value }) else { return nil }
        last.priority = .max
        last.expiry = nil
        // It was added before, so its options fit its category.
        return try? add(last, completion: completion)
    }

    /// A number for `announcement`, whose category has to allow its options.
    private func newID(_ announcement: Announcement) throws(SessionError) -> ID {
        _ = try SessionSettings(category: announcement.category, options: announcement.options)
        return ID(number: nextNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    private func insert(
        _ id: ID, _ announcement: Announcement, _ completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        let now = clock.now
        if announcement.sound.shortfall?.isPartial == true, let error = SoundFallback(announcement.sound)?.error {
            return runner.core.transition {
                completion(
                    SoundResult(
                        unplayed: .failed(error), frames: Int64(announcement.sound.frames), requestedAt: now,
                        endedAt: now))
            }
        }
        let item = AnnouncementMachine.Item(
            id: id.number, category: announcement.category, options: announcement.options,
            priority: announcement.priority, expiresAt: announcement.expiry.map { now + clock.timeAsleep + $0 },
            frames: announcement.sound.frames, addedAt: now)
        runner.core.transition {
            queued.value[id.number] = QueuedAnnouncement(announcement: announcement, completion: completion)
            runner.send(.add(item))
        }
    }

    // MARK: - Control

    /// How many announcements have not ended, including the playing one.
    public var count: Int { runner.read { $0.count } }

    /// The playing announcement; nil if there is none.
    public var playing: ID? { runner.read { $0.playing }.map { ID(number: $0) } }

    /// Whether the player's sound of this number is the announcement.
    package func plays(_ id: ID, as sound: UInt64) -> Bool {
        runner.core.read { queued.value[id.number]?.sound?.number == sound }
    }

    /// Whether the queue is paused by ``pause()``.
    public var isPaused: Bool { runner.read { $0.isPaused } }

    /// Pauses the queue. The playing announcement is stopped, and plays again from its beginning after ``resume()``.
    public func pause() {
        runner.send(.pause)
    }

    /// Continues after ``pause()``.
    public func resume() {
        runner.send(.resume)
    }

    /// Ends the playing announcement as ``SoundOutcome/StopCause/skipped``; the next one follows.
    public func skip() {
        runner.send(.remove(nil, .skipped, now: clock.now))
    }

    /// Ends an announcement, playing or waiting, as ``SoundOutcome/StopCause/caller``. Does nothing if it has ended.
    public func remove(_ id: ID) {
        runner.send(.remove(id.number, .caller, now: clock.now))
    }

    /// Ends every announcement, including the playing one.
    public func clear(because cause: SoundOutcome.StopCause = .caller) {
        runner.send(.removeAll(cause, now: clock.now))
    }
}

/// An announcement that has not ended.
private struct QueuedAnnouncement: Sendable {
    var announcement: Announcement
    var completion: @Sendable (SoundResult) -> Void
    /// The player's number of the announcement while it plays.
    var sound: SoundPlayer.ID?
}
