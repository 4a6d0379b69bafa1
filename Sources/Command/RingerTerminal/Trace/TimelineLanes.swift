import RingerCore

/// A trace, divided into the lanes of a picture.
struct TimelineLanes {
    /// Something that lasts from one time to another.
    struct Span<Value> {
        var value: Value
        var from: MonotonicTime
        var to: MonotonicTime
    }

    /// Something that happens at one time.
    struct Label {
        var text: String
        var at: MonotonicTime
    }

    private(set) var positions: [Span<SwitchPosition>] = []
    private(set) var sounds: [Span<UInt64>] = []
    private(set) var turns: [Span<Float>] = []
    private(set) var decisions: [Label] = []
    private(set) var outcomes: [Label] = []
    private(set) var marks: [Label] = []

    init(_ trace: SignalTrace) {
        var position: (value: SwitchPosition, from: MonotonicTime)?
        var turn: (strength: Float, from: MonotonicTime)?
        var sounding: [(sound: UInt64, from: MonotonicTime)] = []
        for change in trace.changes {
            switch change.signal {
            case .ringSilent(let new):
                if let before = position, before.from < change.at {
                    positions.append(Span(value: before.value, from: before.from, to: change.at))
                }
                position = (new, change.at)
            case .sound(let sound, isOn: true):
                sounding.append((sound, change.at))
            case .sound(let sound, isOn: false):
                guard let index = sounding.firstIndex(where: { $0.sound == sound }) else { continue }
                sounds.append(Span(value: sound, from: sounding.remove(at: index).from, to: change.at))
            case .motor(let strength):
                if let before = turn, before.strength > 0 {
                    turns.append(Span(value: before.strength, from: before.from, to: change.at))
                }
                turn = (strength, change.at)
            case .decision(let decision): decisions.append(Label(text: Self.text(decision), at: change.at))
            case .outcome(let outcome): outcomes.append(Label(text: Self.text(outcome), at: change.at))
            case .mark(let text): marks.append(Label(text: text, at: change.at))
            }
        }
        let end = trace.lastInstant
        if let position { positions.append(Span(value: position.value, from: position.from, to: end)) }
        if let turn, turn.strength > 0 { turns.append(Span(value: turn.strength, from: turn.from, to: end)) }
        for open in sounding { sounds.append(Span(value: open.sound, from: open.from, to: end)) }
        sounds.sort { ($0.from, $0.value) < ($1.from, $1.value) }
    }

    private static func text(_ decision: Decision) -> String {
        switch decision {
        case .play(_, _, let vibrates, let reason): "play\(vibrates ? " + vibrate" : "") (\(reason.rawValue))"
        case .vibrate(let reason): "vibrate (\(reason.rawValue))"
        case .silence(let reason): "silence (\(reason.rawValue))"
        }
    }

    private static func text(_ outcome: SoundOutcome) -> String {
        switch outcome {
        case .finished: "finished"
        case .silenced(let reason): "silenced (\(reason.rawValue))"
        case .stopped(let cause): "stopped (\(cause.rawValue))"
        case .failed(let error): "failed (\(error.code.rawValue))"
        }
    }
}
