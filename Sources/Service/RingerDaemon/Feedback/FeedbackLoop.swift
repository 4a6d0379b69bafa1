import RingerCore

/// The rounds of an event's feedback: one, or as many as fit until the event ends.
extension FeedbackEvents {
    /// From the end of an event's vibration to its next one: without a rest, the rounds of a loop would be one long turn.
    private static let rest = Duration.milliseconds(500)
    /// From the beginning of a loop's round to the next one, at least: a round may be silenced at once, or have an empty file.
    private static let shortestRound = Duration.milliseconds(50)

    /// Gives an event's feedback until it is over.
    func give(_ event: Running) async {
        guard !event.isOver else { return }
        if let pattern = event.event.light, device.statusLight != nil {
            do throws(RingerError) {
                event.light = try service.light.push(pattern, in: event.event.color)
            } catch {
                service.publisher.reportDegraded(error)
            }
        }
        if event.timeout > 0 {
            event.timer = device.clock.schedule(at: device.clock.now + .seconds(event.timeout)) { [self] in
                service.loop.execute { [self] in end(event.id, .natural) }
            }
        }
        var samples: PCMBuffer?
        var hasFailed = false
        while !event.isOver {
            let began = device.clock.now
            var (isHeard, isFelt) = parts(of: event)
            // A sound that cannot be had does not keep the motor from turning.
            if hasFailed {
                if isHeard && !isFelt { return end(event.id, .natural) }
                isHeard = false
            }
            // A light alone lasts until the event is ended.
            if event.light != nil && !isHeard && !isFelt { return }
            // The profile or the switch forbid all that is left.
            if !isHeard && !isFelt { return end(event.id, .explicit) }
            if isHeard && samples == nil {
                samples = await load(event)
                hasFailed = samples == nil
                // The profile may have been lowered meanwhile.
                continue
            }
            async let felt = isFelt ? turn(event) : false
            let heard = isHeard ? await play(samples, of: event) : false
            let wasGiven = await felt || heard
            // What could not be given would fail for ever.
            if !event.repeats || !wasGiven { return end(event.id, .natural) }
            if device.clock.now - began < Self.shortestRound {
                // It fails where the event has ended.
                try? await device.sleep(until: began + Self.shortestRound)
            }
        }
    }

    /// The samples of an event's sound, which stands in for a caller's file that cannot be played; nil where there are none that
    /// can be read.
    private func load(_ event: Running) async -> PCMBuffer? {
        if let file = event.hints.soundFile {
            do {
                guard file.hasPrefix("/") else {
                    throw RingerError(.invalid, "play", "sound-file \"\(file)\"", detail: "it is no absolute path")
                }
                return try await event.reads.load(file, for: event.share)
            } catch {
                if event.isOver { return nil }
                reportFailure(error, to: event)
            }
        }
        guard let sound = event.event.sound else { return nil }
        do {
            return try await event.reads.samples(of: sound, device.sounds, for: nil)
        } catch {
            reportFailure(error, to: event)
            return nil
        }
    }

    private func reportFailure(_ error: any Error, to event: Running) {
        let subject = event.hints.soundFile ?? "the event's sound"
        service.clients.report(
            error as? RingerError ?? RingerError(.system, "play", subject, detail: "\(error)"), to: event.client)
    }

    /// Plays an event's sound once; returns whether it was heard to its end.
    private func play(_ samples: PCMBuffer?, of event: Running) async -> Bool {
        guard let samples, !event.isOver else { return false }
        let result: SoundResult = await withCheckedContinuation { continuation in
            event.sound = device.player.startOutsideSessions(samples, as: event.event.kind) {
                continuation.resume(returning: $0)
            }
        }
        event.sound = nil
        if case .silenced = result.outcome { return true }
        return result.outcome == .finished
    }

    /// Turns the motor in an event's pattern once, and rests where another round follows. The first round replaces what runs;
    /// later ones leave the motor to the vibrations of other events. Returns whether another round may follow.
    private func turn(_ event: Running) async -> Bool {
        guard let vibrator = device.vibrator, let pattern = event.event.vibration, !event.isOver else { return false }
        var end = SoundOutcome.stopped(.replaced)
        if !event.hasTurned || !isVibrating {
            event.hasTurned = true
            haptic.end()
            end = await withCheckedContinuation { continuation in
                event.vibration = vibrator.start(pattern) { continuation.resume(returning: $0) }
            }
            event.vibration = nil
        }
        guard event.repeats else { return false }
        var rest = Self.rest
        switch end {
        case .finished, .stopped(.limited): break
        // Two loops that replaced each other at once would do nothing else. The other rests in time.
        case .stopped(.replaced) where isVibrating: rest = Self.rest / 2
        // What replaced it is not an event's, and its end is not known.
        case .stopped(.replaced): rest += pattern.duration ?? .zero
        case .stopped, .silenced, .failed: return false
        }
        do {
            try await device.sleep(for: rest)
            return true
        } catch {
            // The event has ended, or the device is closed.
            return false
        }
    }
}
