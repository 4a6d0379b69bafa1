import RingerCore

/// Finds the level at which bouncing contacts come to rest.
///
/// A level has settled once it has stood for ``duration`` without an edge. The change has the timestamp of the edge
/// that led to it: the last edge of the burst. A burst that ends at the level at which it began is not a change.
///
/// Edges are judged by their timestamps, not by when they are read, so a delayed reader still finds every change. But
/// queues overflow (some kernels drop the newest edges), so the level is read again after every burst; a level that no
/// edge explains has to settle too, from the time of reading.
package struct Debouncer<Level: Hashable & Sendable>: Sendable {
    /// What can happen.
    package enum Event: Sendable, Hashable {
        /// The contacts changed to a level.
        case edge(Level, at: MonotonicTime)
        /// Edges after the last one were lost: how long its level stood is unknown.
        case missed
        /// The timer requested by ``Action/schedule(at:)`` expired. An early one is ignored.
        case timer(at: MonotonicTime)
        /// The level that ``Action/readLevel`` asked for.
        case level(Level, at: MonotonicTime)
    }

    /// What to do.
    package enum Action: Sendable, Hashable {
        /// Send ``Event/timer(at:)`` at this time. Replaces the previous timer.
        case schedule(at: MonotonicTime)
        /// Take in the queued edges, then read the level and send ``Event/level(_:at:)``.
        case readLevel
        /// The level changed and has settled.
        case changed(Level, at: MonotonicTime)
    }

    private struct Candidate: Sendable, Hashable {
        var level: Level
        var since: MonotonicTime
    }

    /// How long a level must stand to count. With zero every edge is a change.
    package let duration: Duration
    /// The level that settled last.
    package private(set) var settled: Level
    /// The level since the last edge, until it has settled.
    private var candidate: Candidate?
    /// When to read the level.
    private var deadline: MonotonicTime?

    /// - Parameters:
    ///   - level: The level at rest.
    ///   - duration: How long a level must stand. Contacts bounce for at most 5 to 20 ms, most of them less than 7 ms.
    ///     A negative duration counts as zero.
    package init(level: Level, duration: Duration = .milliseconds(10)) {
        settled = level
        self.duration = max(duration, .zero)
    }

    /// Takes in an event and returns what to do, in order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        handle(event) { actions.append($0) }
        return actions
    }

    /// Takes in an event and calls `perform` with what to do, in order.
    mutating func handle(_ event: Event, perform: (Action) -> Void) {
        switch event {
        case .edge(let level, let at):
            if let candidate, candidate.since + duration <= at { settle(perform) }
            stand(at: level, since: at, perform)
        case .missed:
            candidate = nil
        case .timer(let at):
            guard let deadline, deadline <= at else { return }
            self.deadline = nil
            perform(.readLevel)
        case .level(let level, let at):
            // An edge that came between the request and the reading is timed on its own.
            if deadline != nil { return }
            if level == candidate?.level ?? settled { return settle(perform) }
            stand(at: level, since: at, perform)
        }
    }

    /// The contacts are at `level` since `since`, and have not settled yet.
    private mutating func stand(at level: Level, since: MonotonicTime, _ perform: (Action) -> Void) {
        candidate = Candidate(level: level, since: since)
        let isSettled = duration == .zero
        let deadline = isSettled ? since : since + duration
        self.deadline = deadline
        if isSettled { settle(perform) }
        perform(.schedule(at: deadline))
    }

    /// The candidate has settled.
    private mutating func settle(_ perform: (Action) -> Void) {
        defer { candidate = nil }
        guard let candidate, candidate.level != settled else { return }
        settled = candidate.level
        perform(.changed(candidate.level, at: candidate.since))
    }
}
