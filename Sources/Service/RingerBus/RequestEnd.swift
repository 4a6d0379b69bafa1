import RingerCore

/// How a request ended, as the signal Ended has it. What the service writes of a result and what its clients read of it stand
/// side by side.
package struct RequestEnd: Sendable, Hashable {
    /// `finished`, `silenced`, `stopped`, `timedOut` or `failed`; of a detector its verdict.
    package var outcome: String
    /// Why; empty where there is no reason.
    package var reason: String
    package var details: [String: BusValue]

    package init(_ outcome: String, _ reason: String = "", _ details: [String: BusValue] = [:]) {
        (self.outcome, self.reason, self.details) = (outcome, reason, details)
    }

    /// A request that failed with an error of any of the library's types.
    package init(_ error: any Error) {
        if error is CancellationError {
            self.init("stopped", "caller")
        } else {
            let error = BusError(error)
            self.init("failed", "error", ["error": .string(error.name), "message": .string(error.message)])
        }
    }
}

extension RingerError {
    /// The error with which a request ended.
    init(_ end: RequestEnd, _ operation: String) {
        self.init(
            BusError(end.details["error"]?.string ?? "", end.details["message"]?.string ?? end.reason), operation)
    }
}

// MARK: - Sounds, alerts and vibrations

extension RequestEnd {
    package init(_ outcome: SoundOutcome) {
        switch outcome {
        case .finished: self.init("finished")
        case .silenced(let reason): self.init("silenced", reason.rawValue)
        case .stopped(let cause): self.init("stopped", cause.rawValue)
        case .failed(let error): self.init(error)
        }
    }
}

extension SoundOutcome {
    /// The outcome of a request; `operation` is what it was to do, in its error.
    package init(_ end: RequestEnd, _ operation: String) {
        switch end.outcome {
        case "finished": self = .finished
        case "silenced": self = .silenced(by: Decision.Reason(rawValue: end.reason) ?? .ringSilentSwitch)
        case "stopped": self = .stopped(StopCause(rawValue: end.reason) ?? .caller)
        case "timedOut": self = .stopped(.limited)
        default: self = .failed(RingerError(end, operation))
        }
    }
}

extension RequestEnd {
    package init(_ result: SoundResult) {
        self.init(result.outcome)
        details["elapsed"] = .double(result.elapsed.inSeconds)
        details["started"] = result.startedAt.map { .time($0) }
        details["ended"] = .time(result.endedAt)
        details["played"] = .uint64(UInt64(clamping: result.position.played))
        details["frames"] = .uint64(UInt64(clamping: result.position.total))
        details["fallback"] = result.fallback.map { .string("\($0)") }
    }

    /// When the first frame of a sound was accepted; nil if none was.
    package var startedAt: MonotonicTime? { details["started"]?.time }
    /// When a sound was over.
    package var endedAt: MonotonicTime? { details["ended"]?.time }
    /// How much of a sound was played.
    package var framesPlayed: Int64 { Int64(clamping: details["played"]?.uint64 ?? 0) }

    package init(_ result: SystemSoundResult) {
        self.init(result.outcome)
        details["elapsed"] = .double(result.elapsed.inSeconds)
        details["vibration"] = result.vibration.map { .string($0.vibrationWords) }
        details["fallback"] = result.fallback.map { .string("\($0)") }
    }

    package init(_ result: AlertResult) {
        self.init(result.outcome)
        if result.outcome == .stopped(.limited) { (outcome, reason) = ("timedOut", "") }
        details["elapsed"] = .double(result.elapsed.inSeconds)
        details["rounds"] = .uint32(UInt32(clamping: result.rounds))
        details["sounded"] = .boolean(result.sounded)
        details["vibrated"] = .boolean(result.vibrated)
        details["fallback"] = result.fallback.map { .string("\($0)") }
        details["soundError"] = result.soundError.map { .string("\($0)") }
    }
}

// MARK: - The detector

extension RequestEnd {
    package init(_ reading: MuteReading) {
        self.init(reading.verdict.rawValue, reading.cause.map { "\($0)" } ?? "")
        details["elapsed"] = .double(reading.elapsed.inSeconds)
        details["threshold"] = .double(reading.threshold.inSeconds)
        details["route"] = .string(reading.route.rawValue)
        details["attempts"] = .uint32(UInt32(clamping: reading.attempts))
    }
}

extension MuteReading {
    package init(_ end: RequestEnd, _ switchPosition: SwitchPosition?, _ now: MonotonicTime) {
        let verdict = Verdict(rawValue: end.outcome) ?? .unknown
        self.init(
            verdict: verdict, elapsed: .seconds(end.details["elapsed"]?.double ?? 0),
            threshold: .seconds(end.details["threshold"]?.double ?? 0),
            route: end.details["route"]?.string.flatMap(AudioRoute.init(rawValue:)) ?? .speaker,
            switchPosition: switchPosition, cause: end.reason.isEmpty ? nil : Cause(end), way: .service,
            attempts: Int(clamping: end.details["attempts"]?.uint32 ?? 1), at: now)
    }
}

extension MuteReading.Cause {
    /// The cause of this description.
    init(_ end: RequestEnd) {
        let silenced = "silenced: "
        let plain: [MuteReading.Cause] = [
            .recording, .interruption, .streamDisturbed, .streamStalled, .timingDoubtful, .deadline, .stopped,
            .nothingKnows, .volume,
        ]
        if let cause = plain.first(where: { "\($0)" == end.reason }) {
            self = cause
        } else if end.reason.hasPrefix(silenced),
            let reason = Decision.Reason(rawValue: String(end.reason.dropFirst(silenced.count)))
        {
            self = .silenced(by: reason)
        } else {
            self = .outputFailed(RingerError(end, "measure"))
        }
    }
}
