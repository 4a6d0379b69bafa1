/// Decides which sounds of an output may open their PCM, and which wait for another sound of this process or for
/// another process.
///
/// A PCM that is busy while a sound of this process plays on it does not mix. Later sounds wait for the end of that
/// sound without limit, first come, first served, and without a timer. A PCM that is busy while no sound of this
/// process plays on it is held by another process, whose release of it cannot be observed: the first sound in line
/// tries again every ``retryInterval``, and each sound waits for at most ``patience``.
///
/// PCMs of different names share a line once they are known to be the same hardware.
package struct PCMQueue: StateMachine {
    /// A sound, by the output's number.
    package typealias Sound = UInt64

    /// What can happen.
    package enum Event: Sendable {
        /// A sound is to be played on a PCM. If `waits` is false, it fails instead of waiting.
        case add(Sound, pcm: String, waits: Bool, now: MonotonicTime)
        /// The PCM of a sound is open. `hardware` names the device that it leads to; nil if unknown.
        case opened(Sound, hardware: String?)
        /// The PCM of a sound could not be opened.
        case refused(Sound, RingerError, now: MonotonicTime)
        /// The sound is over and no longer holds its PCM.
        case removed(Sound)
        /// The timer of ``Action/retry(at:)`` expired.
        case retry(now: MonotonicTime)
    }

    /// What to do.
    package enum Action: Sendable, Hashable {
        /// Open the sound's PCM, and send ``Event/opened(_:hardware:)`` or ``Event/refused(_:_:now:)``.
        case open(Sound)
        /// The sound begins to wait; the error gives the reason.
        case waiting(Sound, RingerError)
        /// The sound failed and was removed.
        case fail(Sound, RingerError)
        /// Send ``Event/retry(now:)`` at this time. Replaces the previous timer.
        case retry(at: MonotonicTime)
        /// The sound's PCM plays one sound at a time. Sent once for each PCM.
        case doesNotMix(Sound)
    }

    private enum Phase {
        case opening
        case playing
        /// For another process, until ``Entry/deadline``, or for a sound of this one.
        case waiting
    }

    private struct Entry {
        let sound: Sound
        let pcm: String
        let waits: Bool
        var phase = Phase.opening
        /// Whether it had to wait before.
        var hasWaited = false
        /// When it stops waiting for another process; nil if it does not wait for one.
        var deadline: MonotonicTime?

        /// Whether later sounds have to wait too.
        var isInLine: Bool { phase == .waiting || (phase == .opening && hasWaited) }
    }

    /// The pause between two attempts of the first sound in line: 20 ms.
    package static let retryInterval = Duration.milliseconds(20)

    /// How long a sound waits for another process; zero to fail at once.
    package var patience: Duration

    /// In order of arrival.
    private var entries: [Entry] = []
    /// The devices that PCMs lead to, by the PCM's name.
    private var hardware: [String: String] = [:]
    /// The PCMs that do not mix.
    private var unmixed: Set<String> = []
    private var nextRetry: MonotonicTime?

    package init(patience: Duration = .seconds(2)) {
        self.patience = patience
    }

    package mutating func handle(_ event: Event, _ actions: inout [Action]) {
        switch event {
        case .add(let sound, let pcm, let waits, let now):
            add(Entry(sound: sound, pcm: pcm, waits: waits), now, &actions)
        case .opened(let sound, let hardware):
            opened(sound, hardware, &actions)
        case .refused(let sound, let error, let now):
            refused(sound, error, now, &actions)
        case .removed(let sound):
            guard let index = index(of: sound) else { break }
            let entry = entries.remove(at: index)
            advance(line(of: entry.pcm), hasRoom: entry.phase != .waiting, &actions)
        case .retry(let now):
            retry(now, &actions)
        }
    }

    private mutating func add(_ entry: Entry, _ now: MonotonicTime, _ actions: inout [Action]) {
        let line = line(of: entry.pcm)
        let first = entries.first { self.line(of: $0.pcm) == line && $0.isInLine }
        entries.append(entry)
        guard let first else { return actions.append(.open(entry.sound)) }
        let error = RingerError(.busy, "open", "PCM \(entry.pcm)", detail: "other sounds wait for it")
        hold(entries.count - 1, error, forProcess: first.deadline != nil, now, &actions)
    }

    private mutating func opened(_ sound: Sound, _ hardware: String?, _ actions: inout [Action]) {
        guard let index = index(of: sound) else { return }
        entries[index].phase = .playing
        entries[index].deadline = nil
        let pcm = entries[index].pcm
        let before = line(of: pcm)
        self.hardware[pcm] = hardware
        let line = line(of: pcm)
        // They wait for a sound of this process now.
        for index in entries.indices where entries[index].phase == .waiting {
            if self.line(of: entries[index].pcm) == line { entries[index].deadline = nil }
        }
        if !unmixed.contains(pcm) { advance(line, hasRoom: true, &actions) }
        // Others may have waited there for a sound of this PCM.
        if line != before { advance(before, hasRoom: false, &actions) }
    }

    private mutating func refused(
        _ sound: Sound, _ error: RingerError, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let index = index(of: sound) else { return }
        let pcm = entries[index].pcm
        let line = line(of: pcm)
        guard error.code == .busy else {
            entries.remove(at: index)
            actions.append(.fail(sound, error))
            return advance(line, hasRoom: true, &actions)
        }
        let ours = entries.count { self.line(of: $0.pcm) == line && $0.phase == .playing }
        // With several sounds the PCM mixes, and has no room for another.
        if ours == 1, unmixed.insert(pcm).inserted { actions.append(.doesNotMix(sound)) }
        hold(index, error, forProcess: ours == 0, now, &actions)
    }

    /// Makes a sound wait; fails it if it does not wait, or has waited for long enough.
    private mutating func hold(
        _ index: Int, _ error: RingerError, forProcess: Bool, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        var entry = entries[index]
        entry.phase = .waiting
        entry.deadline = forProcess ? entry.deadline ?? now + patience : nil
        guard entry.waits, entry.deadline.map({ $0 > now }) ?? true else {
            entries.remove(at: index)
            actions.append(.fail(entry.sound, error))
            return advance(line(of: entry.pcm), hasRoom: false, &actions)
        }
        if !entry.hasWaited {
            entry.hasWaited = true
            actions.append(.waiting(entry.sound, error))
        }
        entries[index] = entry
        scheduleRetry(now, &actions)
    }

    /// Lets the first waiting sound in `line` try.
    ///
    /// - Parameter hasRoom: Whether a PCM was closed or opened, so that there may be room. If not, only a sound that
    ///   nothing else would wake tries.
    private mutating func advance(_ line: String, hasRoom: Bool, _ actions: inout [Action]) {
        let inLine = entries.indices.filter { self.line(of: entries[$0].pcm) == line }
        guard let first = inLine.first(where: { entries[$0].isInLine }), entries[first].phase == .waiting else {
            return
        }
        let isStranded = entries[first].deadline == nil && inLine.allSatisfy { entries[$0].phase == .waiting }
        guard hasRoom || isStranded else { return }
        entries[first].phase = .opening
        actions.append(.open(entries[first].sound))
    }

    private mutating func retry(_ now: MonotonicTime, _ actions: inout [Action]) {
        nextRetry = nil
        var tried: Set<String> = []
        for entry in entries where entry.isInLine {
            let line = line(of: entry.pcm)
            if tried.insert(line).inserted {
                if entry.phase == .waiting, entry.deadline != nil { advance(line, hasRoom: true, &actions) }
            } else if let deadline = entry.deadline, deadline <= now {
                let error = RingerError(.busy, "open", "PCM \(entry.pcm)", detail: "other sounds wait for it")
                entries.removeAll { $0.sound == entry.sound }
                actions.append(.fail(entry.sound, error))
            }
        }
        scheduleRetry(now, &actions)
    }

    private mutating func scheduleRetry(_ now: MonotonicTime, _ actions: inout [Action]) {
        let waiting = entries.filter { $0.phase == .waiting }
        guard let deadline = waiting.compactMap(\.deadline).min() else { return }
        let time = max(min(now + Self.retryInterval, deadline), now)
        if let nextRetry, nextRetry <= time { return }
        nextRetry = time
        actions.append(.retry(at: time))
    }

    /// Sounds of the same line play on the same hardware.
    private func line(of pcm: String) -> String { hardware[pcm] ?? pcm }

    private func index(of sound: Sound) -> Int? { entries.firstIndex { $0.sound == sound } }
}
