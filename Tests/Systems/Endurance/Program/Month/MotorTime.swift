import RingerLinux

/// How long the motor must have turned: computed from the patterns alone.
struct MotorTime {
    private(set) var total = Duration.zero
    private var running: (pattern: VibrationPattern, start: MonotonicTime)?
    /// How long it turned since its last rest of 0.1 s.
    private var turned = Duration.zero
    private var offSince: MonotonicTime?

    /// A vibration begins, and replaces one that runs.
    mutating func begin(_ pattern: VibrationPattern, at time: MonotonicTime) {
        end(at: time)
        running = (pattern, time)
    }

    /// What runs is over at `time`, if it has not ended before.
    mutating func end(at time: MonotonicTime) {
        guard let (pattern, start) = running else { return }
        running = nil
        var on = start
        for pulse in pattern.pulses where on < time {
            if let offSince, on - offSince >= .milliseconds(100) { turned = .zero }
            let wanted = min(pulse.on, time - on)
            let granted = min(wanted, .seconds(10) - turned)
            total += granted
            turned += granted
            offSince = on + granted
            if granted < wanted { return }
            on = on + pulse.on + pulse.off
        }
    }

    /// The firmware starts again.
    mutating func restart(at time: MonotonicTime) {
        end(at: time)
        (turned, offSince) = (.zero, nil)
    }
}
