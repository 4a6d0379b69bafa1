/// The order of announcements: one at a time, by priority, each played whole.
///
/// An announcement that was cut off, by an interruption, a recording, a pause or the loss of its route, is played again
/// from its beginning.
struct AnnouncementMachine: StateMachine {
    typealias ID = UInt64

    /// `asleep` is how long the machine has slept so far.
    enum Event: Sendable {
        case add(Item)
        /// The session was activated for the next announcement, or refused with an error: it is not active, or silenced.
        case activated(SessionError?, now: MonotonicTime, asleep: Duration)
        /// The device's sessions changed, but not by the queue: one that was refused may be admitted now.
        case sessionsChanged
        /// The sound of the announcement ended.
        case ended(ID, SoundResult, now: MonotonicTime)
        case pause
        case resume
        /// End one announcement, playing or waiting; nil for the playing one.
        case remove(ID?, SoundOutcome.StopCause, now: MonotonicTime)
        /// End all announcements.
        case removeAll(SoundOutcome.StopCause, now: MonotonicTime)
        /// The earliest expiry has come.
        case timer(now: MonotonicTime, asleep: Duration)
        /// The next announcement may begin.
        case proceed
    }

    enum Action: Sendable, Equatable {
        /// Activate the session with this category and these options, and send `.activated`.
        case activate(AudioCategory, CategoryOptions)
        /// Play the announcement, and send `.ended`.
        case play(ID)
        /// Stop the playing announcement, which then sends `.ended`.
        case stop(ID)
        /// Send `.remove` with this announcement, which was to begin by now, if it has not begun.
        case expire(ID)
        case deactivate
        /// Send `.timer` when the machine has been on for so long, asleep or not; nil for never. Replaces the previous timer.
        case setTimer(MonotonicTime?)
        /// The announcement is over.
        case complete(ID, SoundResult)
        /// Send `.proceed` in a later transition.
        case proceedLater
    }

    /// An announcement, as far as that decides when it is played.
    struct Item {
        var id: ID
        var category: AudioCategory
        var options: CategoryOptions
        var priority: Int
        /// The time when it was added, what the machine had slept by then, and the expiry.
        var expiresAt: MonotonicTime?
        var frames: Int
        var addedAt: MonotonicTime
    }

    enum Phase: Equatable {
        /// Nothing to play.
        case idle
        /// The session is being activated for this item.
        case activating(ID)
        /// The session was refused: the first item waits until the sessions change.
        case refused
        /// The first item is playing.
        case playing
        /// The first item is being stopped, and ends for this cause; nil if it is to be played again.
        case stopping(SoundOutcome.StopCause?)
    }

    private(set) var phase = Phase.idle
    private(set) var isPaused = false
    /// The announcements; the one that is playing, or next, is first.
    private(set) var items: [Item] = []
    /// Whether the session may be active.
    private(set) var usesSession = false
    /// Whether the sessions changed while one was being activated.
    private(set) var changedMeanwhile = false
    private(set) var timer: MonotonicTime?

    /// How many announcements have not ended.
    var count: Int { items.count }
    /// The playing announcement.
    var playing: ID? {
        switch phase {
        case .playing, .stopping: items.first?.id
        case .idle, .activating, .refused: nil
        }
    }

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        switch event {
        case .add(let item):
            insert(item)
            // What was refused to the one before may be granted to this one.
            if phase == .refused, items.first?.id == item.id { phase = .idle }
            proceed(&actions)
        case .activated(let error, let now, let asleep):
            expire(now, asleep, &actions)
            activated(error, now, &actions)
        case .sessionsChanged:
            changedMeanwhile = true
            if phase == .refused {
                phase = .idle
                proceed(&actions)
            }
        case .ended(let id, let result, let now):
            ended(id, result, now, &actions)
        case .pause:
            isPaused = true
            if phase == .playing, let first = items.first {
                phase = .stopping(nil)
                actions.append(.stop(first.id))
            } else if phase == .refused {
                phase = .idle
                proceed(&actions)
            }
        case .resume:
            isPaused = false
            proceed(&actions)
        case .remove(let id, let cause, let now):
            if let id = id ?? playing { remove(id, cause, now, &actions) }
            proceed(&actions)
        case .removeAll(let cause, let now):
            for item in items.reversed() { remove(item.id, cause, now, &actions) }
            proceed(&actions)
        case .timer(let now, let asleep):
            // It is over, or late, where the machine has slept: the next one is set anew.
            timer = now + asleep
            expire(now, asleep, &actions)
            proceed(&actions)
        case .proceed:
            proceed(&actions)
        }
        setTimer(&actions)
    }

    /// Inserts `item` after those of equal or higher priority, and never before the playing one.
    private mutating func insert(_ item: Item) {
        let first = phase == .idle || phase == .refused ? 0 : min(1, items.count)
        var index = items.endIndex
        while index > first, items[index - 1].priority < item.priority { index -= 1 }
        items.insert(item, at: index)
    }

    /// Begins the first item if nothing else is in progress.
    private mutating func proceed(_ actions: inout [Action]) {
        guard phase == .idle else { return }
        guard !isPaused, let first = items.first else {
            if usesSession {
                usesSession = false
                actions.append(.deactivate)
            }
            return
        }
        phase = .activating(first.id)
        changedMeanwhile = false
        usesSession = true
        actions.append(.activate(first.category, first.options))
    }

    private mutating func activated(_ error: SessionError?, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard case .activating(let id) = phase else { return }
        // The item may have been removed meanwhile, and the next one may need another category.
        let isWanted = !isPaused && items.first?.id == id
        if isWanted, error == nil {
            phase = .playing
            actions.append(.play(id))
        } else if isWanted, let error, error.code == .notInitialized {
            // There is no session, and no change of others makes one.
            let first = items[0]
            finish(
                SoundResult(
                    unplayed: .failed(RingerError(error)), frames: Int64(first.frames), requestedAt: first.addedAt,
                    endedAt: now), &actions)
            actions.append(.proceedLater)
        } else if isWanted, !changedMeanwhile {
            phase = .refused
        } else {
            phase = .idle
            proceed(&actions)
        }
    }

    private mutating func ended(_ id: ID, _ result: SoundResult, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let first = items.first, first.id == id else { return }
        var result = result
        result.requestedAt = first.addedAt
        // A started announcement does not expire, though it is played again.
        if result.startedAt != nil { items[0].expiresAt = nil }
        let isCutOff = isCutOff(result.outcome)
        switch phase {
        case .stopping(nil) where result.outcome != .finished:
            phase = .idle
        case .stopping(let cause?) where result.outcome == .stopped(.caller) || isCutOff:
            result.outcome = .stopped(cause)
            finish(result, &actions)
        case .playing where isCutOff:
            // What cut it off may be over already: whether the queue waits is decided by asking for the session.
            phase = .idle
        case .playing, .stopping:
            finish(result, &actions)
        case .idle, .activating, .refused:
            return
        }
        // The next one may be silenced at once as well, and so may all others: each has a transition of its own.
        if result.startedAt == nil && !items.isEmpty {
            actions.append(.proceedLater)
        } else {
            proceed(&actions)
        }
    }

    /// Whether an announcement that ended this way is to be played again: something else took its session or its route.
    private func isCutOff(_ outcome: SoundOutcome) -> Bool {
        switch outcome {
        case .silenced(by: .interruption), .silenced(by: .sessionSilencesPlayback): true
        case .stopped(.oldDeviceUnavailable): true
        case .failed(let error): error.code == .sessionNotActive
        default: false
        }
    }

    /// The first item is over.
    private mutating func finish(_ result: SoundResult, _ actions: inout [Action]) {
        phase = .idle
        actions.append(.complete(items.removeFirst().id, result))
    }

    private mutating func remove(
        _ id: ID, _ cause: SoundOutcome.StopCause, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        // All are removed from the end on.
        guard let index = items.lastIndex(where: { $0.id == id }) else { return }
        if id == playing {
            phase = .stopping(cause)
            actions.append(.stop(id))
            return
        }
        let item = items.remove(at: index)
        let result = SoundResult(
            unplayed: .stopped(cause), frames: Int64(item.frames), requestedAt: item.addedAt, endedAt: now)
        actions.append(.complete(id, result))
        if phase == .refused && index == 0 { phase = .idle }
    }

    /// Ends the announcements whose time is over. The timer of one is late where the machine slept.
    private mutating func expire(_ now: MonotonicTime, _ asleep: Duration, _ actions: inout [Action]) {
        for item in items.reversed() {
            guard let expiry = item.expiresAt, expiry <= now + asleep else { continue }
            if item.id == playing {
                items[0].expiresAt = nil
                actions.append(.expire(item.id))
            } else {
                remove(item.id, .expired, now, &actions)
            }
        }
    }

    private mutating func setTimer(_ actions: inout [Action]) {
        let next = items.lazy.compactMap(\.expiresAt).min()
        guard next != timer else { return }
        timer = next
        actions.append(.setTimer(next))
    }
}
