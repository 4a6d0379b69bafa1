/// When a play that came to nothing completes: at once, or later where plays of its ID follow each other in a loop.
///
/// A program plays a sound again as soon as it has completed. Where each play is silenced or fails, the loop would take
/// the whole processor. It runs freely for its first second, or its first 1,000 rounds, then at 20 rounds a second.
struct LoopPace {
    /// Rounds of a loop are so far apart, from request to completion. A play that took longer is no part of a loop.
    static let interval = Duration.milliseconds(50)
    /// A loop runs freely for so long.
    static let freeTime = Duration.seconds(1)
    /// A loop runs freely for so many rounds. A loop that awaits takes no time on a clock that stands still.
    static let freeRounds = 1000
    /// A free round that was begun in a completion lasts so long, so that time passes in a loop of completions.
    static let shortestRound = Duration.milliseconds(1)

    struct Loop {
        var since: MonotonicTime
        /// When its last round completes.
        var last: MonotonicTime
        var rounds = 0
    }

    /// Few: one for each ID that came to nothing within the last ``interval``.
    private(set) var loops: [SystemSoundQueue.Sound: Loop] = [:]

    /// Counts a round that came to nothing, and says when it completes, not before `now`.
    mutating func completion(
        of sound: SystemSoundQueue.Sound, requestedAt: MonotonicTime, isFromCompletion: Bool, now: MonotonicTime
    ) -> MonotonicTime {
        loops = loops.filter { $0.value.last + Self.interval >= requestedAt || $0.value.last >= now }
        var loop = loops[sound] ?? Loop(since: now, last: now)
        loop.rounds += 1
        let isFree = loop.rounds <= Self.freeRounds && now - loop.since < Self.freeTime
        let shortest = isFree ? (isFromCompletion ? Self.shortestRound : .zero) : Self.interval
        loop.last = max(now, requestedAt + shortest)
        loops[sound] = loop
        return loop.last
    }

    /// A round was heard or felt: the next one that comes to nothing is the first of a loop.
    mutating func reset(_ sound: SystemSoundQueue.Sound) {
        loops[sound] = nil
    }
}
