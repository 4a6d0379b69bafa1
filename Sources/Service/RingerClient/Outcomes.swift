import RingerBus
import RingerCore

extension PlaybackEnd {
    init(_ end: RequestEnd) {
        switch SoundOutcome(end, "play") {
        case .finished: self = .drained
        case .failed(let error): self = .failed(error)
        case let outcome: self = .ended(outcome)
        }
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
