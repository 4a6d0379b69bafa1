import Ringer
import RingerBus

extension Service {
    /// Answers a method of the native interface.
    func call(_ message: BusMessage, _ arguments: [BusValue]) throws(BusError) {
        switch message.member {
        case "Decide": try decide(message, arguments)
        case "Detect":
            admit(message, .read) { [self] client throws(BusError) in
                let detector = device.muteDetector
                try begin(message, for: client) { _ in RequestEnd(await detector.measure()) }
            }
        case "Stop":
            // Those who may not play have nothing to stop but a detection.
            identify(message, .read) { [self] caller throws(BusError) in
                try stopRequest(arguments[0].uint32 ?? 0, for: message.sender, caller)
                connection.reply(to: message)
            }
        case "CreateSession":
            admit(message, .play) { [self] client throws(BusError) in
                try makeSession(message, BusOptions(arguments[0], of: message.member), for: client)
            }
        case "Play": try play(message, arguments)
        case "Alert": try alert(message, arguments)
        case "Notify": try notify(message, arguments)
        case "Announce": try announce(message, arguments)
        case "Vibrate": try vibrate(message, arguments)
        case "Light": try light(message, arguments)
        case "ReleaseOutput":
            admit(message, .play) { [self] _ in
                device.player.releaseOutput { [self] in loop.execute { [self] in connection.reply(to: message) } }
            }
        default: throw .unknownMethod("\(RingerNames.interface) has no method \(message.member)")
        }
    }

    // MARK: - Sounds

    private func play(_ message: BusMessage, _ arguments: [BusValue]) throws(BusError) {
        let sound = try SoundArgument(arguments[0], of: "Play")
        var options = BusOptions(arguments[1], of: "Play")
        let category = try options.name("category", of: AudioCategory.self)
        let categoryOptions = try options.categoryOptions() ?? []
        let isAlert = try options.boolean("alert") ?? false
        let isUISound = try options.boolean("uiSound") ?? true
        let outlivesClient = try options.boolean("completePlaybackIfAppDies") ?? false
        let kind = try options.string("as").map { name throws(BusError) in
            try soundRequest(name, isUISound: isUISound, &options, of: "Play")
        }
        try options.finish()
        guard [isAlert, kind != nil, category != nil].count(where: { $0 }) <= 1 else {
            throw .invalidArguments("Play: alert, as and category exclude each other")
        }
        let device = device
        var isCritical = false
        if case .notification(_, true)? = kind { isCritical = true }
        admit(message, isCritical ? .control : .play) { [self] client throws(BusError) in
            let sounds = client.sounds
            try begin(message, for: client, outlivesClient: outlivesClient) { [self] request in
                do {
                    if category != nil || kind != nil {
                        let samples = try await sound.samples(sounds, in: self)
                        return try await play(request) { completion in
                            if let kind {
                                return device.player.startOutsideSessions(samples, as: kind, completion: completion)
                            }
                            return try device.start(
                                samples, category: category ?? .default, options: categoryOptions,
                                completion: completion)
                        }
                    }
                    return try await sound.withSystemSound(sounds, in: self) { id throws(SystemSoundError) in
                        // Properties stay with the number: each play sets its own.
                        try sounds.setIsUISound(isUISound, of: id)
                        // An earlier play may still count on it; a play without the option is stopped with its request.
                        if outlivesClient { try sounds.setCompletesPlaybackIfAppDies(true, of: id) }
                        return RequestEnd(isAlert ? await sounds.playAlert(id) : await sounds.play(id))
                    }
                } catch {
                    return RequestEnd(error)
                }
            }
        }
    }

    private func alert(_ message: BusMessage, _ arguments: [BusValue]) throws(BusError) {
        let sound = try SoundArgument(arguments[0], of: "Alert")
        var options = BusOptions(arguments[1], of: "Alert")
        let way = try options.name("way", of: AlertWay.self) ?? .both
        let seconds = try options.seconds("limit") ?? Alerts.standardLimit
        let pattern = try options.string("pattern")
        let pause = try options.seconds("pause") ?? .zero
        try options.finish()
        let vibration: VibrationPattern?
        do throws(RingerError) {
            vibration = try pattern.map { text throws(RingerError) in try VibrationPattern(milliseconds: text) }
        } catch {
            throw BusError(error)
        }
        let device = device
        admit(message, .play) { [self] client throws(BusError) in
            let sounds = client.sounds
            try begin(message, for: client) { [self] _ in
                do {
                    return try await sound.withSystemSound(sounds, in: self) { id in
                        RequestEnd(
                            await device.alerts.alert(
                                id, way: way, limit: seconds == .zero ? nil : seconds, vibration: vibration,
                                pause: pause))
                    }
                } catch {
                    return RequestEnd(error)
                }
            }
        }
    }

    private func notify(_ message: BusMessage, _ arguments: [BusValue]) throws(BusError) {
        let sound = try SoundArgument(arguments[0], of: "Notify")
        var options = BusOptions(arguments[1], of: "Notify")
        let volume = Float(try options.number("volume", in: 0...1) ?? 1)
        let isCritical = try options.boolean("critical") ?? false
        try options.finish()
        let notifications = device.notifications
        admit(message, isCritical ? .control : .play) { [self] client throws(BusError) in
            let sounds = client.sounds
            try begin(message, for: client) { [self] _ in
                if case .standard = sound {
                    return RequestEnd(await notifications.play(nil, volume: volume, isCritical: isCritical))
                }
                do {
                    return try await sound.withSystemSound(sounds, in: self) { id in
                        RequestEnd(
                            await notifications.play(id, of: sounds, volume: volume, isCritical: isCritical))
                    }
                } catch {
                    return RequestEnd(error)
                }
            }
        }
    }

    private func announce(_ message: BusMessage, _ arguments: [BusValue]) throws(BusError) {
        // Clips may name the same descriptor.
        var files: [CInt: CallerFile] = [:]
        let clips = try (arguments[0].elements ?? []).map { clip throws(BusError) in
            try SoundArgument(clip, of: "Announce", &files)
        }
        guard !clips.isEmpty else { throw .invalidArguments("Announce: there is no clip") }
        var options = BusOptions(arguments[1], of: "Announce")
        let category = try options.name("category", of: AudioCategory.self) ?? .playback
        let categoryOptions = try options.categoryOptions() ?? []
        let priority = Int(try options.int32("priority") ?? 0)
        let expiry = try options.seconds("expiry")
        try options.finish()
        let announcements = device.announcements
        admit(message, .play) { [self] client throws(BusError) in
            let sounds = client.sounds
            try begin(message, for: client) { [self] request in
                do {
                    let announcement = try await inTurn(request) {
                        var buffers: [PCMBuffer] = []
                        for clip in clips { buffers.append(try await clip.samples(sounds, in: self)) }
                        return try Announcement(
                            joining: buffers, category: category, options: categoryOptions, priority: priority,
                            expiry: expiry)
                    }
                    return RequestEnd(try await announcements.announce(announcement))
                } catch {
                    return RequestEnd(error)
                }
            }
        }
    }

    private func vibrate(_ message: BusMessage, _ arguments: [BusValue]) throws(BusError) {
        var options = BusOptions(arguments[1], of: "Vibrate")
        let strength = Float(try options.number("strength", in: 0...1) ?? 1)
        let times = try options.uint32("times") ?? 1
        try options.finish()
        let text = arguments[0].string ?? ""
        let pattern: VibrationPattern
        do throws(RingerError) {
            pattern = try VibrationPattern(
                milliseconds: text.isEmpty ? "400" : text, strength: strength,
                repetition: times == 0 ? .untilStopped : .times(Int(times)))
        } catch {
            throw BusError(error)
        }
        let device = device
        admit(message, .play) { [self] client throws(BusError) in
            try begin(message, for: client) { _ in RequestEnd(await device.vibrate(pattern)) }
        }
    }

    private func light(_ message: BusMessage, _ arguments: [BusValue]) throws(BusError) {
        let text = arguments[0].string ?? ""
        guard let pattern = LightPattern(text), pattern != .off else {
            throw .invalidArguments("Light: \"\(text)\" is neither on nor two times in milliseconds, such as 500,500")
        }
        guard device.statusLight != nil else {
            throw BusError(RingerError(.notFound, "light", "status light", detail: "the device has none"))
        }
        admit(message, .play) { [self] client throws(BusError) in
            try begin(message, for: client) { [self] _ in await light.show(pattern) }
        }
    }

    // MARK: - Rules

    /// A sound outside sessions, by the name of its kind.
    private func soundRequest(
        _ name: String, isUISound: Bool, _ options: inout BusOptions, of member: String
    ) throws(BusError) -> SoundRequest {
        switch name {
        case "systemSound": return .systemSound(isUISound: isUISound)
        case "alert": return .alert
        case "notification":
            return .notification(
                volume: Float(try options.number("volume", in: 0...1) ?? 1),
                isCritical: try options.boolean("critical") ?? false)
        default:
            let others = member == "Decide" ? ["session", "vibration"] : []
            let names = (others + ["systemSound", "alert", "notification"]).joined(separator: ", ")
            throw .invalidArguments("\(member): the kind of sound \"\(name)\" is none of \(names)")
        }
    }

    private func decide(_ message: BusMessage, _ arguments: [BusValue]) throws(BusError) {
        var options = BusOptions(arguments[1], of: "Decide")
        let request: SoundRequest
        switch arguments[0].string {
        case "session":
            let category = try options.name("category", of: AudioCategory.self) ?? .default
            let categoryOptions = try options.categoryOptions() ?? []
            guard category.allowedOptions.isSuperset(of: categoryOptions) else {
                throw .invalidArguments("Decide: the category \(category.rawValue) does not allow these options")
            }
            request = .session(
                category, options: categoryOptions, isInBackground: try options.boolean("background") ?? false)
        case "vibration": request = .vibration
        case let name:
            request = try soundRequest(
                name ?? "", isUISound: try options.boolean("uiSound") ?? true, &options, of: "Decide")
        }
        try options.finish()
        let decision = device.decide(request)
        var details: [String: BusValue] = ["vibrates": .boolean(decision.vibrates)]
        var name = "silence"
        switch decision {
        case .play(let gain, let route, _, _):
            name = "play"
            details["gain"] = .double(Double(gain))
            details["route"] = .string(route.rawValue)
        case .vibrate: name = "vibrate"
        case .silence: break
        }
        connection.reply(to: message, [.string(name), .string(decision.reason.rawValue), .dictionary(details)])
    }
}

extension SoundArgument {
    /// The sound's samples.
    func samples(_ sounds: SystemSoundServices, in service: Service) async throws -> PCMBuffer {
        switch self {
        case .file(let file): return try await service.load(file)
        case .number(let id):
            guard let samples = try sounds.samples(of: id) else {
                throw RingerError(.notFound, "look for the sound", "system sound \(id)")
            }
            return samples
        case .standard: throw RingerError(.invalid, "play", "a sound without a name")
        }
    }

    /// Calls `body` with the sound as a system sound: a file is registered meanwhile.
    func withSystemSound(
        _ sounds: SystemSoundServices, in service: Service, _ body: (SystemSoundID) async throws -> RequestEnd
    ) async throws -> RequestEnd {
        switch self {
        case .number(let id): return try await body(id)
        case .file(let file):
            let id = try sounds.register(try await service.load(file, maximumDuration: .seconds(30)))
            defer { try? sounds.dispose(id) }
            return try await body(id)
        case .standard: throw RingerError(.invalid, "play", "a sound without a name")
        }
    }
}

extension RequestEnd {
    /// A request that failed with an error of any of the library's types.
    init(_ error: any Error) {
        switch error {
        case let error as RingerError: self.init(error)
        case let error as SystemSoundError: self.init(error.cause)
        case let error as SessionError: self.init(BusError(error))
        case is CancellationError: self.init("stopped", "caller")
        default: self.init(RingerError(.system, "play", "a sound", detail: "\(error)"))
        }
    }

    private init(_ error: BusError) {
        self.init("failed", "error", ["error": .string(error.name), "message": .string(error.message)])
    }
}

extension Service {
    /// Answers a method of a session.
    func call(
        _ message: BusMessage, _ arguments: [BusValue], of target: (owner: ServiceClient, session: ServiceSession)
    ) throws(BusError) {
        let session = target.session.session
        switch message.member {
        case "Activate":
            device.sessions.lookForOtherAudio()
            target.session.isRefused = false
            reply(to: message) { () throws(SessionError) in
                try await session.activate()
            } refused: { [self] in
                self.session(at: message.path)?.session.isRefused = true
                // What refused it may be over already.
                publishSoon()
            }
        case "Deactivate":
            target.session.isRefused = false
            let notifyOthers = arguments[0].boolean ?? true
            reply(to: message) { () throws(SessionError) in try await session.deactivate(notifyOthers: notifyOthers) }
        case "SetCategory":
            guard let category = arguments[0].string.flatMap(AudioCategory.init(rawValue:)),
                let options = arguments[1].strings.flatMap({ CategoryOptions(names: $0) })
            else { throw .invalidArguments("SetCategory: there is no such category or option") }
            do throws(SessionError) {
                try session.setCategory(category, options: options)
            } catch {
                throw BusError(error)
            }
            connection.reply(to: message)
        case "Release":
            release(target)
            connection.reply(to: message)
        case "Play":
            let sound = try SoundArgument(arguments[0], of: "Play")
            var options = BusOptions(arguments[1], of: "Play")
            let frame = Int(try options.uint32("from") ?? 0)
            try options.finish()
            let sounds = target.owner.sounds
            try begin(message, for: target.owner) { [self] request in
                do {
                    let samples = try await sound.samples(sounds, in: self)
                    return try await play(request) { session.start(samples, from: frame, completion: $0) }
                } catch {
                    return RequestEnd(error)
                }
            }
        default: throw .unknownMethod("\(RingerNames.sessionInterface) has no method \(message.member)")
        }
    }

    /// Replies to a call once `body` has returned; `refused` is called after the reply with its error.
    private func reply(
        to message: BusMessage, _ body: @escaping @Sendable () async throws(SessionError) -> Void,
        refused: @escaping @Sendable () -> Void = {}
    ) {
        Task(executorPreference: loop) { [self] in
            do throws(SessionError) {
                try await body()
                // Who activated the session has what the hardware granted before it goes on.
                publish()
                connection.reply(to: message)
            } catch {
                connection.reply(to: message, BusError(error))
                refused()
            }
        }
    }
}

extension ServiceSession {
    func value(of property: String) -> BusValue {
        switch property {
        case "Name": .string(session.name)
        case "Priority": .int32(Int32(clamping: session.priority.rawValue))
        case "Category": .string(session.category.rawValue)
        case "Options": .strings(session.options.names)
        case "Background": .boolean(session.isInBackground)
        case "Spoken": .boolean(session.state?.settings.isSpoken ?? false)
        case "Phase": .string(session.state?.phase.rawValue ?? "inactive")
        case "Route": .string(session.route?.output?.rawValue ?? "")
        case "Ducked": .boolean(session.state?.isDucked ?? false)
        case "OtherAudioPlaying": .boolean(session.service.facts(of: session.id)?.isOtherAudioPlaying ?? false)
        default: .string("")
        }
    }

    func set(_ property: String, _ value: BusValue) throws(BusError) {
        do throws(SessionError) {
            switch property {
            case "Category":
                guard let category = value.string.flatMap(AudioCategory.init(rawValue:)) else { break }
                return try session.setCategory(category)
            case "Options":
                guard let options = value.strings.flatMap({ CategoryOptions(names: $0) }) else { break }
                return try session.setOptions(options)
            case "Background": return try session.setInBackground(value.boolean ?? false)
            case "Spoken": return try session.setSpoken(value.boolean ?? false)
            default: break
            }
        } catch {
            throw BusError(error)
        }
        throw .invalidArguments("\(property) cannot have this value")
    }
}
