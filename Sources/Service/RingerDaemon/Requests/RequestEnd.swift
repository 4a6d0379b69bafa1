import RingerCore
import RingerBus

/// How a request ended, as its Ended signal reports it.
struct RequestEnd: Sendable {
    var outcome: String
    var reason = ""
    var details: [String: BusValue] = [:]

    init(_ outcome: String, _ reason: String = "", _ details: [String: BusValue] = [:]) {
        self.outcome = outcome
        self.reason = reason
        self.details = details
    }

    /// A request that failed with an error of any of the library's types.
    init(_ error: any Error) {
        if error is CancellationError {
            self.init("stopped", "caller")
        } else {
            let error = BusError(error)
            self.init("failed", "error", ["error": .string(error.name), "message": .string(error.message)])
        }
    }

    init(_ outcome: SoundOutcome) {
        switch outcome {
        case .finished: self.init("finished")
        case .silenced(let reason): self.init("silenced", reason.rawValue)
        case .stopped(let cause): self.init("stopped", cause.rawValue)
        case .failed(let error): self.init(error)
        }
    }

    init(_ result: SoundResult) {
        self.init(result.outcome)
        details["elapsed"] = .double(result.elapsed.inSeconds)
        if let started = result.startedAt { details["started"] = .uint64(UInt64(clamping: started.nanoseconds)) }
        details["ended"] = .uint64(UInt64(clamping: result.endedAt.nanoseconds))
        details["played"] = .uint64(UInt64(clamping: result.position.played))
        details["frames"] = .uint64(UInt64(clamping: result.position.total))
        if let fallback = result.fallback { details["fallback"] = .string("\(fallback)") }
    }

    init(_ result: SystemSoundResult) {
        self.init(result.outcome)
        details["elapsed"] = .double(result.elapsed.inSeconds)
        if let vibration = result.vibration { details["vibration"] = .string("\(vibration)") }
        if let fallback = result.fallback { details["fallback"] = .string("\(fallback)") }
    }

    init(_ result: AlertResult) {
        switch result.outcome {
        case .stopped(let cause): self.init("stopped", cause.rawValue)
        case .timedOut: self.init("timedOut")
        case .failed(let error): self.init(error)
        }
        details["elapsed"] = .double(result.elapsed.inSeconds)
        details["rounds"] = .uint32(UInt32(clamping: result.rounds))
        details["sounded"] = .boolean(result.sounded)
        details["vibrated"] = .boolean(result.vibrated)
        if let fallback = result.fallback { details["fallback"] = .string("\(fallback)") }
        if let error = result.soundError { details["soundError"] = .string("\(error)") }
    }

    init(_ end: VibrationEnd) {
        switch end {
        case .finished: self.init("finished")
        case .stopped: self.init("stopped", "caller")
        case .replaced: self.init("stopped", "replaced")
        case .limited: self.init("stopped", "limited")
        case .failed(let error): self.init(error)
        }
    }

    init(_ reading: MuteReading) {
        self.init(reading.verdict.rawValue, reading.cause.map { "\($0)" } ?? "")
        details["elapsed"] = .double(reading.elapsed.inSeconds)
        details["threshold"] = .double(reading.threshold.inSeconds)
        details["route"] = .string(reading.route.rawValue)
        details["attempts"] = .uint32(UInt32(clamping: reading.attempts))
    }
}

extension BusError {
    /// An error of a session: its code is the name's last part, as far as it has characters.
    init(_ error: SessionError) {
        let name =
            switch error.code {
            case .notActive: "NotActive"
            case .noHardware: "NoHardware"
            case .incompatibleCategory: "IncompatibleCategory"
            case .noCategorySet: "NoCategorySet"
            case .notInitialized: "Closed"
            case .badParameter: "Invalid"
            default: "Session"
            }
        self.init("org.ringer.Error." + name, "\(error)")
    }

    /// An error of any of the library's types.
    init(_ error: any Error) {
        switch error {
        case let error as BusError: self = error
        case let error as RingerError: self.init(error)
        case let error as SystemSoundError: self.init(error.cause)
        case let error as SessionError: self.init(error)
        default: self.init(RingerError(.system, "play", "a sound", detail: "\(error)"))
        }
    }
}
