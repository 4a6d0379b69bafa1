import Ringer
import RingerBus
import RingerCore

/// This process's sessions at the service. Used on the loop's thread alone.
final class ServiceSessions {
    /// A session at the service.
    private struct Session {
        /// What the service was told last.
        var state: SessionState
        /// The session's object; nil until the service has answered.
        var path: String?
        /// Why the service did not make it.
        var refusal: RingerError?
        var isActive = false
        /// What waits for the object.
        var waiting: [(Result<String, RingerError>) -> Void] = []
    }

    private let link: ServiceLink
    /// Called with what the service decided about a session.
    var onVerdict: (@Sendable (SessionID, SessionVerdict) -> Void)?
    private var sessions: [SessionID: Session] = [:]
    /// The sessions by their objects' paths.
    private var ids: [String: SessionID] = [:]

    init(_ link: ServiceLink) {
        self.link = link
    }

    /// Makes the session there at the first call, and tells the service what changed at later ones.
    func update(_ session: SessionState) {
        let id = session.id
        guard let last = sessions[id]?.state else {
            sessions[id] = Session(state: session)
            // A service that returns gets every session.
            return link.isPresent ? create(id) : ()
        }
        sessions[id]?.state = session
        if let path = sessions[id]?.path { return tell(session, last, path) }
        // Not made yet: told once it is.
        if last.settings == session.settings && last.isInBackground == session.isInBackground { return }
        whenMade(id) { [self] result in
            if case .success(let path) = result { tell(session, last, path) }
        }
    }

    /// Tells the service what changed.
    private func tell(_ session: SessionState, _ last: SessionState, _ path: String) {
        let (new, old) = (session.settings, last.settings)
        if new.category != old.category || new.sentOptions != old.sentOptions
            || session.isCategorySet != last.isCategorySet
        {
            link.send(
                "SetCategory", [.string(new.category.rawValue), .strings(new.sentOptions.names)], path: path,
                interface: RingerNames.sessionInterface)
        }
        if new.isSpoken != old.isSpoken { set("Spoken", new.isSpoken, path) }
        if session.isInBackground != last.isInBackground { set("Background", session.isInBackground, path) }
    }
    func remove(_ id: SessionID) {
        guard let removed = sessions.removeValue(forKey: id) else { return }
        if let path = removed.path {
            ids[path] = nil
            release(path)
        }
        for body in removed.waiting { body(.failure(Self.isRemoved(id))) }
    }

    func activate(_ id: SessionID, completion: @escaping (SessionError?) -> Void) {
        call(id, "Activate") { [self] error in
            if error == nil { sessions[id]?.isActive = true }
            completion(error.map { SessionError($0, "activate", id) })
        }
    }

    func deactivate(_ id: SessionID, notifyOthers: Bool, completion: @escaping () -> Void) {
        sessions[id]?.isActive = false
        call(id, "Deactivate", [.boolean(notifyOthers)]) { _ in completion() }
    }

    /// The service is gone, and its objects with it.
    func lost(_ error: RingerError) {
        ids = [:]
        for id in sessions.keys {
            sessions[id]?.path = nil
            // Nobody ducks it any more, or plays beside it.
            onVerdict?(id, .ducked(false))
            onVerdict?(id, .otherAudio(isPlaying: false))
            answer(id, .failure(error))
        }
    }

    /// The service is back: makes every session there, and activates those that were active.
    func returned() {
        for id in sessions.keys.sorted() {
            create(id)
            guard sessions[id]?.isActive == true else { continue }
            call(id, "Activate") { [self] error in
                guard let error else {
                    // What interrupted it went with the service, or is activated later and interrupts it anew.
                    onVerdict?(id, .interruptionEnded(shouldResume: true))
                    return
                }
                // A service that is gone again has refused nothing: the next one is asked.
                if !link.isPresent || [.disconnected, .closed].contains(error.code) { return }
                sessions[id]?.isActive = false
                // It was active, and is not any more.
                onVerdict?(id, .interrupted)
                onVerdict?(id, .interruptionEnded(shouldResume: false))
                link.onDegraded?(
                    RingerError(
                        .busy, "activate again", "session \(id.rawValue)",
                        detail: "\(SessionError(error, "activate", id))"))
            }
        }
    }

    /// Takes in a signal of a session's object.
    func take(_ path: String, _ member: String, _ arguments: [BusValue]) {
        guard let id = ids[path] else { return }
        let argument = arguments.first
        switch member {
        case "InterruptionBegan": onVerdict?(id, .interrupted)
        case "InterruptionEnded":
            let shouldResume = argument?.boolean ?? false
            sessions[id]?.isActive = shouldResume
            onVerdict?(id, .interruptionEnded(shouldResume: shouldResume))
        case "RefusalEnded": onVerdict?(id, .refusalEnded)
        case "Ducked": onVerdict?(id, .ducked(argument?.boolean ?? false))
        case "PropertiesChanged" where arguments.count > 1:
            guard let isPlaying = arguments[1].dictionary?["OtherAudioPlaying"]?.boolean else { break }
            onVerdict?(id, .otherAudio(isPlaying: isPlaying))
        default: break
        }
    }

    /// Makes the session there.
    private func create(_ id: SessionID) {
        guard let state = sessions[id]?.state else { return }
        sessions[id]?.refusal = nil
        var options: [String: BusValue] = [
            "name": .string(state.name), "priority": .int32(Int32(clamping: state.priority.rawValue)),
        ]
        if state.isCategorySet {
            options["category"] = .string(state.settings.category.rawValue)
            options["options"] = .strings(state.settings.sentOptions.names)
        }
        link.call(RingerNames.path, RingerNames.interface, "CreateSession", [.dictionary(options)]) { [self] result in
            let made = result.map { $0.first?.string ?? "" }
            // It was removed meanwhile: the service need not keep it.
            guard sessions[id] != nil else {
                if case .success(let path) = made { release(path) }
                return
            }
            switch made {
            case .success(let path):
                sessions[id]?.path = path
                ids[path] = id
                if state.isInBackground { set("Background", true, path) }
                if state.settings.isSpoken { set("Spoken", true, path) }
            case .failure(let error):
                sessions[id]?.refusal = error
            }
            answer(id, made)
        }
    }

    /// Calls what waits for the session's object.
    private func answer(_ id: SessionID, _ result: Result<String, RingerError>) {
        let waiting = sessions[id]?.waiting ?? []
        sessions[id]?.waiting = []
        for body in waiting { body(result) }
    }

    /// Calls `body` with the path of the session's object once there is one, or with why there is none.
    func whenMade(_ id: SessionID, _ body: @escaping (Result<String, RingerError>) -> Void) {
        guard let session = sessions[id] else { return body(.failure(Self.isRemoved(id))) }
        if let path = session.path { return body(.success(path)) }
        if let refusal = session.refusal { return body(.failure(refusal)) }
        if !link.isPresent {
            return body(
                .failure(RingerError(.disconnected, "use session \(id.rawValue)", "service \(RingerNames.service)")))
        }
        sessions[id]?.waiting.append(body)
    }

    private static func isRemoved(_ id: SessionID) -> RingerError {
        RingerError(.closed, "use the session", "session \(id.rawValue)", detail: "it was removed")
    }

    private func set(_ property: String, _ value: Bool, _ path: String) {
        link.set(property, to: .boolean(value), path: path, interface: RingerNames.sessionInterface)
    }

    private func release(_ path: String) {
        link.send("Release", [], path: path, interface: RingerNames.sessionInterface)
    }

    /// Calls a method of the session's object. `completion` is called once, with why that failed.
    private func call(
        _ id: SessionID, _ member: String, _ arguments: [BusValue] = [],
        _ completion: @escaping (RingerError?) -> Void
    ) {
        whenMade(id) { [self] result in
            switch result {
            case .success(let path):
                link.call(path, RingerNames.sessionInterface, member, arguments) { completion($0.error) }
            case .failure(let error): completion(error)
            }
        }
    }
}
