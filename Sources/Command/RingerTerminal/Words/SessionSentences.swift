import RingerCore

extension RouteChange {
    /// The change in words.
    package var sentence: String { "\(old.words) -> \(new.words) (\(reason))" }
}

extension SessionRoute {
    /// The route's name, or "none".
    package var words: String { name.isEmpty ? "none" : name }
}

extension SessionEvent {
    /// The event's name, as JSON has it.
    package var word: String {
        switch self {
        case .activated: "activated"
        case .deactivated: "deactivated"
        case .interruptionBegan: "interruptionBegan"
        case .interruptionEnded: "interruptionEnded"
        case .interruptionDropped: "interruptionDropped"
        case .soundStopped: "soundStopped"
        case .ducked: "ducked"
        case .unducked: "unducked"
        case .settingsChanged: "settingsChanged"
        case .routeChanged: "routeChanged"
        case .audible: "audible"
        case .silenced: "silenced"
        }
    }

    /// Details of the event, in words; nil if there are none.
    package var detail: String? {
        switch self {
        case .activated, .deactivated, .ducked, .unducked, .audible: nil
        case .interruptionBegan(by: .session(let id)): "by session \(id.rawValue)"
        case .interruptionBegan(by: .outside): "from outside"
        case .interruptionBegan(by: .service): "by a session at the service"
        case .interruptionEnded(let shouldResume): shouldResume ? "should resume" : "should not resume"
        case .interruptionDropped(let reason): reason.rawValue
        case .soundStopped(let reason): reason.rawValue
        case .settingsChanged(let settings): settings.category.rawValue
        case .routeChanged(let change): change.sentence
        case .silenced(let reason): reason.rawValue
        }
    }

    /// The event in words.
    package var sentence: String { detail.map { "\(word): \($0)" } ?? word }
}
