import RingerCore
import RingerBus

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
        /// Whether it was activated, and is not inactive since.
        var isActive = false
        /// Whether the service has interrupted it since its last activation was asked for.
        var isInterrupted = false
        /// Whether an activation was asked for and not answered.
        var isActivating = false
        /// When the service activated it last.
        var since: UInt64 = 0
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
        let wasInterrupted = sessions[id]?.isInterrupted ?? false
        sessions[id]?.isInterrupted = false
        sessions[id]?.isActivating = true
        call(id, "Activate") { [self] result in
            sessions[id]?.isActivating = false
            if let error = result.error {
                if wasInterrupted, sessions[id]?.isActive == true { sessions[id]?.isInterrupted = true }
                return completion(SessionError(error, "activate", id))
            }
            sessions[id]?.isActive = true
            completion(nil)
            // It may be interrupted before it is known here to be active.
            if sessions[id]?.isInterrupted == true { onVerdict?(id, .interrupted) }
        }
    }

    func confirmActive(_ id: SessionID, completion: @escaping (SessionError?) -> Void) {
        let question: [BusValue] = [.string(RingerNames.sessionInterface), .string("Phase")]
        call(id, "Get", question, interface: BusInterface.properties) { [self] result in
            if let error = result.error { return completion(SessionError(error, "activate", id)) }
            switch (try? result.get().first?.contents.string).flatMap(SessionState.Phase.init(rawValue:)) {
            case .active: completion(nil)
            case .interrupted: completion(SessionError(.notActive, "activate", session: id))
            case .inactive, nil: activate(id, completion: completion)
            }
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

    /// The service is back: makes every session there, and those that were active or interrupted resume with their ages:
    /// whichever program finds the service first, the same sessions interrupt the same others.
    func returned() {
        for id in sessions.keys.sorted() {
            create(id)
            guard let session = sessions[id], session.isActive else {
                // One that is interrupted here: the service was lost before it said that it is inactive.
                onVerdict?(id, .interruptionEnded(shouldResume: false))
                continue
            }
            resume(id, since: session.since) { [self] result in
                guard let error = result.error else {
                    // What interrupted it went with the service, or comes later and interrupts it anew. If it is interrupted,
                    // a signal says so.
                    if (try? result.get()) == true { onVerdict?(id, .interruptionEnded(shouldResume: true)) }
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

    /// Has the service activate a session that was active with one before. `completion` is called with whether it is active,
    /// rather than interrupted.
    private func resume(_ id: SessionID, since: UInt64, _ completion: @escaping (Result<Bool, RingerError>) -> Void) {
        call(id, "Resume", [.uint64(since)]) { [self] result in
            guard case .failure(let error) = result, error.code == .unsupported else {
                return completion(result.map { $0.first?.boolean == true })
            }
            // An older service, which knows no ages.
            call(id, "Activate") { completion($0.map { _ in true }) }
        }
    }

    /// Takes in a signal of a session's object.
    func take(_ path: String, _ member: String, _ arguments: [BusValue]) {
        guard let id = ids[path] else { return }
        let argument = arguments.first
        switch member {
        case "InterruptionBegan":
            sessions[id]?.isInterrupted = true
            onVerdict?(id, .interrupted)
        case "InterruptionEnded":
            let shouldResume = argument?.boolean ?? false
            // The end of an interruption before its last activation means nothing, once that has succeeded.
            if !shouldResume, let session = sessions[id], session.isInterrupted || session.isActivating {
                sessions[id]?.isActive = false
            }
            sessions[id]?.isInterrupted = false
            onVerdict?(id, .interruptionEnded(shouldResume: shouldResume))
        case "RefusalEnded": onVerdict?(id, .refusalEnded)
        case "Ducked": onVerdict?(id, .ducked(argument?.boolean ?? false))
        case "PropertiesChanged" where arguments.count > 1:
            let changed = arguments[1].dictionary ?? [:]
            if let since = changed["ActiveSince"]?.uint64, since != 0 { sessions[id]?.since = since }
            if let isPlaying = changed["OtherAudioPlaying"]?.boolean {
                onVerdict?(id, .otherAudio(isPlaying: isPlaying))
            }
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

    /// Calls a method of the session's object. `completion` is called once, with its values or why it failed.
    private func call(
        _ id: SessionID, _ member: String, _ arguments: [BusValue] = [],
        interface: String = RingerNames.sessionInterface,
        _ completion: @escaping (Result<[BusValue], RingerError>) -> Void
    ) {
        whenMade(id) { [self] result in
            switch result {
            case .success(let path): link.call(path, interface, member, arguments, completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}
