import RingerServices

/// Finds the level at which bouncing contacts come to rest.
///
/// A level has settled once it stood for ``duration`` without an edge. Its change then carries the stamp of the edge
/// that brought it: the last edge of the burst, after which the contacts bounced no more. A burst that ends at the level
/// at which it began is no change.
///
/// Edges are judged by their stamps, not by when they are read: a reader that was held up still finds every change. But
/// queues overflow, the newest edges first on some kernels; therefore the level is read again after every burst, and
/// one that no edge accounts for has to settle too, from the time of reading.
package struct Debouncer<Level: Hashable & Sendable>: StateMachine {
    /// What happens to the contacts.
    package enum Event: Sendable, Hashable {
        /// They came to a level.
        case edge(Level, at: MonotonicTime)
        /// Edges after the last one were lost: how long its level stood is not known.
        case missed
        /// The time for which ``Action/schedule(at:)`` asked has come. An early one is ignored.
        case timer(at: MonotonicTime)
        /// They were found at a level, as ``Action/readLevel`` asked.
        case level(Level, at: MonotonicTime)
    }

    /// What is to be done.
    package enum Action: Sendable, Hashable {
        /// Send ``Event/timer(at:)`` at this time. It replaces the one asked for before.
        case schedule(at: MonotonicTime)
        /// Take in the edges that wait, then read the level and send ``Event/level(_:at:)``.
        case readLevel
        /// The level changed, and has settled.
        case changed(Level, at: MonotonicTime)
    }

    private struct Candidate: Sendable, Hashable {
        var level: Level
        var since: MonotonicTime
    }

    /// How long a level has to stand. At zero every edge is a change.
    package let duration: Duration
    /// The level that settled last.
    package private(set) var settled: Level
    /// The level since the last edge, until it has settled.
    private var candidate: Candidate?
    /// When the level is to be read.
    private var deadline: MonotonicTime?

    /// Contacts that rest at `level`.
    ///
    /// - Parameters:
    ///   - level: Where they rest.
    ///   - duration: How long a level has to stand; contacts chatter 5 to 20 ms at most, most of them less than 7. A
    ///     negative duration counts as zero.
    package init(level: Level, duration: Duration = .milliseconds(10)) {
        settled = level
        self.duration = max(duration, .zero)
    }

    /// Takes in what happened, and says what is to be done, in order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        handle(event) { actions.append($0) }
        return actions
    }

    /// Takes in what happened, and has `perform` do what is to be done, in order.
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
            // An edge that came between asking and reading has a time of its own.
            if deadline != nil { return }
            if level == candidate?.level ?? settled { return settle(perform) }
            stand(at: level, since: at, perform)
        }
    }

    /// The contacts stand at `level` since `since`; whether they stay is to be seen.
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
