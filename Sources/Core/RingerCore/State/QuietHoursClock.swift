/// Follows the quiet hours of the preferences: publishes what they ask for, and looks again at each boundary and when the wall clock
/// is set. Without quiet hours it has no timer, and follows no zone.
// SAFETY: all state is used inside transitions of the core.
final class QuietHoursClock: @unchecked Sendable {
    /// The beginning of 2026, in seconds of UTC: a clock before it was never set.
    static let earliest: Int64 = 1_767_225_600

    private let clock: any DeviceClock
    private let zone: any TimeZoneSource
    private let publisher: StatePublisher
    private let report: @Sendable (DeviceEvent) -> Void
    private var preferences = UserPreferences()
    /// Nil while the zone cannot be read.
    private var rules: TimeZoneRules?
    private var followsZone = false
    /// Whether the zone has reported its rules, or why there are none.
    private var knowsZone = false
    private var timer: (any DeviceTimer)?
    private var isReportedUnset = false
    private var isClosed = false

    init(
        _ clock: any DeviceClock, _ zone: any TimeZoneSource, _ publisher: StatePublisher,
        report: @escaping @Sendable (DeviceEvent) -> Void
    ) {
        (self.clock, self.zone, self.publisher, self.report) = (clock, zone, publisher, report)
    }

    /// Takes in the preferences, the newest of those that several threads set. Called outside of a transition: the first quiet
    /// hours read the zone's file.
    func follow(_ newest: () -> UserPreferences) {
        let startsZone = publisher.core.transition {
            preferences = newest()
            let startsZone = !preferences.quietHours.spans.isEmpty && !followsZone
            if startsZone { followsZone = true } else { settle() }
            return startsZone
        }
        if startsZone { zone.start { [weak self] in self?.take($0) } }
    }

    /// Looks at the wall clock anew: after a sleep, before anything sounds.
    func look() {
        publisher.core.transition { settle() }
    }

    func close() {
        let endsZone = publisher.core.transition {
            isClosed = true
            timer.take()?.cancel()
            return followsZone
        }
        if endsZone { zone.close() }
    }

    private func take(_ result: Result<TimeZoneRules, RingerError>) {
        publisher.core.transition {
            knowsZone = true
            switch result {
            case .success(let rules): self.rules = rules
            case .failure(let error):
                rules = nil
                report(.degraded(error, at: clock.now))
            }
            settle()
        }
    }

    /// Publishes what the quiet hours ask for now, and schedules the next look.
    private func settle() {
        timer.take()?.cancel()
        if isClosed { return }
        guard !preferences.quietHours.spans.isEmpty else {
            publish(.ring, until: nil)
            return publish(volume: nil, until: nil)
        }
        guard knowsZone else { return }
        let now = clock.wallTime.components.seconds
        guard now >= Self.earliest else {
            if !isReportedUnset {
                isReportedUnset = true
                let position = preferences.whenClockUnset
                let isLowered = preferences.quietHours.silencing.spans.isEmpty && position.silences
                let counting = isLowered ? "their lowest volume" : position.rawValue
                report(
                    .degraded(
                        RingerError(
                            .unsupported, "follow the quiet hours", "wall clock",
                            detail: "it was never set; until it is, \(counting) counts"), at: clock.now))
            }
            publishUnknown()
            return look(at: Self.earliest)
        }
        isReportedUnset = false
        // What cannot be known counts as a clock that was never set.
        guard let rules else { return publishUnknown() }
        let silence = preferences.quietHours.silencing.answer(at: now, in: rules)
        let isQuiet = silence.effect != nil
        publish(isQuiet ? preferences.quietHoursPosition : .ring, until: isQuiet ? silence.until : nil)
        let lower = preferences.quietHours.withVolumes.answer(at: now, in: rules)
        if case .volume(let volume) = lower.effect {
            publish(volume: volume, until: lower.until)
        } else {
            publish(volume: nil, until: nil)
        }
        if let until = [silence.until, lower.until].compactMap(\.self).min() { look(at: until) }
        // It may have been set back before the timer was.
        if clock.wallTime.components.seconds < now { settle() }
    }

    /// Publishes what counts while the time is not known: every span does, unless the user wants ring.
    private func publishUnknown() {
        let (quietHours, position) = (preferences.quietHours, preferences.whenClockUnset)
        publish(quietHours.silencing.spans.isEmpty ? .ring : position, until: nil)
        publish(volume: position.silences ? quietHours.spans.compactMap(\.volume).min() : nil, until: nil)
    }

    private func publish(volume: Float?, until: Int64?) {
        publisher.change(.quietHoursVolume(volume, until: until), from: "quiet hours", at: clock.now)
    }

    private func publish(_ position: SwitchPosition, until: Int64?) {
        let change: DeviceStateChange =
            position.silences ? .quietHours(position, until: until) : .quietHours(nil, until: nil)
        publisher.change(change, from: "quiet hours", at: clock.now)
    }

    private func look(at second: Int64) {
        timer = clock.schedule(atWallTime: .seconds(second)) { [weak self] in
            self?.look()
        }
    }
}
