import RingerCore
import RingerBus

// What the service's signal Ended says, as the library's own results.

extension PlaybackEnd {
    init(_ end: ServiceLink.RequestOutcome) {
        switch end.outcome {
        case "finished": self = .drained
        case "silenced":
            self = .ended(.silenced(by: Decision.Reason(rawValue: end.reason) ?? .ringSilentSwitch))
        case "stopped": self = .ended(.stopped(SoundOutcome.StopCause(rawValue: end.reason) ?? .caller))
        default: self = .failed(RingerError(end, "play"))
        }
    }
}

extension VibrationEnd {
    init(_ end: ServiceLink.RequestOutcome) {
        switch (end.outcome, end.reason) {
        case ("finished", _): self = .finished
        case ("stopped", "replaced"): self = .replaced
        case ("stopped", "limited"): self = .limited
        case ("stopped", _): self = .stopped
        default: self = .failed(RingerError(end, "vibrate"))
        }
    }
}

extension MuteReading {
    init(_ end: ServiceLink.RequestOutcome, _ switchPosition: SwitchPosition?, _ now: MonotonicTime) {
        let verdict = Verdict(rawValue: end.outcome) ?? .unknown
        self.init(
            verdict: verdict, elapsed: .seconds(end.details["elapsed"]?.double ?? 0),
            threshold: .seconds(end.details["threshold"]?.double ?? 0),
            route: end.details["route"]?.string.flatMap(AudioRoute.init(rawValue:)) ?? .speaker,
            switchPosition: switchPosition, cause: end.reason.isEmpty ? nil : Cause(end), way: .service,
            attempts: Int(end.details["attempts"]?.uint32 ?? 1), at: now)
    }
}

extension MuteReading.Cause {
    /// The cause of this description.
    init(_ end: ServiceLink.RequestOutcome) {
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

extension RingerError {
    /// The error with which a request ended.
    init(_ end: ServiceLink.RequestOutcome, _ operation: String) {
        self.init(
            BusError(end.details["error"]?.string ?? "", end.details["message"]?.string ?? end.reason), operation)
    }
}

extension SessionError {
    /// The service's refusal of a request of a session.
    init(_ error: RingerError, _ operation: String, _ id: SessionID) {
        let code: Code =
            switch error.code.rawValue {
            case "noHardware": .noHardware
            case "incompatibleCategory": .incompatibleCategory
            case "noCategorySet": .noCategorySet
            // The service has made none.
            case "closed", "permissionDenied", "busy": .notInitialized
            case "invalid": .badParameter
            default: .notActive
            }
        var detail = error.detail ?? "\(error)"
        // The service's sentence: "session 1: cannot activate: '!act' (the reason)". This error has all but the reason itself.
        let parts = detail.split(separator: "'", maxSplits: 2)
        if parts.count > 1, parts[1] == "\(code)" {
            detail = parts.count > 2 ? String(parts[2].dropFirst(2).dropLast()) : ""
        }
        self.init(code, operation, session: id, detail: detail.isEmpty ? nil : detail)
    }
}

extension SessionSettings {
    /// The options to set at the service: those in force that the category allows.
    var sentOptions: CategoryOptions { effectiveOptions.intersection(category.allowedOptions) }
}

extension VibrationPattern {
    /// Its turns and rests in milliseconds, as the service takes them.
    var text: String {
        func milliseconds(_ duration: Duration) -> String { "\(Int64((duration / .milliseconds(1)).rounded()))" }
        return pulses.flatMap { [milliseconds($0.on), milliseconds($0.off)] }.joined(separator: ",")
    }
}
