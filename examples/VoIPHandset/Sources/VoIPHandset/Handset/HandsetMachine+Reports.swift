import Ringer

// What is reported of calls that ring, and of those that are over.
extension HandsetMachine {
    /// What the present alert does to its calls; nil while that is about to change.
    private var shown: (kind: HandsetEvent.Kind, isFelt: Bool)? {
        guard let alert else { return nil }
        if !openAlerts.contains(alert.number) { return (.silent, false) }
        let mayBeHeard = alert.attention == .ring && observation.mayBeHeard && observation.failure == nil
        let mayBeFelt = rules.hasMotor && observation.mayBeFelt
        switch (mayBeHeard, mayBeFelt) {
        case (true, _): return observation.isHeard ? (.ringing, mayBeFelt) : nil
        case (false, true): return !observation.isHeard && observation.isFelt ? (.vibrating, true) : nil
        case (false, false): return isObserved && !observation.isHeard && !observation.isFelt ? (.silent, false) : nil
        }
    }

    mutating func show(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard let shown else { return }
        let failure = alert?.attention == .ring && observation.mayBeHeard ? observation.failure : nil
        for index in calls.indices where calls[index].phase == .ringing && calls[index].shown != shown.kind {
            let isNew = calls[index].shown == nil
            calls[index].shown = shown.kind
            actions.append(
                .report(
                    HandsetEvent(
                        call: calls[index].name, kind: shown.kind, sound: shown.kind == .ringing, motor: shown.isFelt,
                        at: now, peer: isNew ? calls[index].peer : nil,
                        ring: isNew ? calls[index].ring?.name : nil, reason: failure)))
        }
    }

    /// Reports what happened within an answered call.
    func report(
        _ number: CallNumber, _ kind: HandsetEvent.Kind, _ now: MonotonicTime, _ actions: inout [Action],
        _ complete: (inout HandsetEvent) -> Void
    ) {
        guard let call = calls.first(where: { $0.number == number }) else { return }
        var event = HandsetEvent(call: call.name, kind: kind, at: now)
        complete(&event)
        actions.append(.report(event))
    }

    /// Reports what waited for silence. Where another call goes on ringing, there is none to wait for.
    mutating func reportQuiet(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard openAlerts.isEmpty || alert != nil else { return }
        for index in calls.indices where calls[index].phase == .silenced && calls[index].shown != .silent {
            calls[index].shown = .silent
            actions.append(.report(HandsetEvent(call: calls[index].name, kind: .silent, at: now)))
        }
        for var event in whenQuiet {
            event.at = now
            actions.append(.report(event))
        }
        whenQuiet = []
    }
}
