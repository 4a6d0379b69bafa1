import RingerCore
import RingerBus

/// The methods of the interface `org.ringer.Ringer1`: their arguments, and what they ask of the device. It runs on the event
/// loop's thread.
struct ServiceMethods: Sendable {
    let device: Device
    let connection: BusConnection
    let clients: ServiceClients
    let requests: ServiceRequests
    let sessions: ServiceSessions
    let light: ServiceLight
    let kept: DeferredReplies

    /// Answers a method for a client that may play.
    func call(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) throws {
        switch message.member {
        case "CreateSession":
            try sessions.make(message, BusOptions(arguments[0], of: message.member), for: client)
        case "Play": try play(message, arguments, for: client)
        case "Alert": try alert(message, arguments, for: client)
        case "Notify": try notify(message, arguments, for: client)
        case "Announce": try announce(message, arguments, for: client)
        case "Vibrate": try vibrate(message, arguments, for: client)
        case "Light": try light(message, arguments, for: client)
        case "Detect":
            try requests.begin(message, for: client) { [device] _, _ in
                RequestEnd(await device.muteDetector.measure())
            }
        case "SetVolume":
            guard let request = arguments[0].uint32, let volume = arguments[1].double, (0...1).contains(volume) else {
                throw BusError.invalidArguments("SetVolume: the volume is no number from 0.0 to 1.0")
            }
            try requests.setVolume(Float(volume), of: request, for: client)
            connection.reply(to: message)
        case "ReleaseOutput":
            let done = kept.add(message)
            device.player.releaseOutput { done(nil) }
        default: throw BusError.unknownMethod("\(RingerNames.interface) has no method \(message.member)")
        }
    }

    // MARK: - Sounds

    private func play(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) throws {
        let sound = try SoundArgument(arguments[0], of: "Play", for: client)
        var options = BusOptions(arguments[1], of: "Play")
        let category = try options.name("category", of: AudioCategory.self)
        let categoryOptions = try options.categoryOptions() ?? []
        let manner = try category.map { _ in try MannerOptions(&options) }
        let isAlert = try options.boolean("alert") ?? false
        let isUISound = try options.boolean("uiSound") ?? true
        let outlivesClient = try options.boolean("completePlaybackIfAppDies") ?? false
        let kind = try options.string("as").map {
            try soundRequest($0, isUISound: isUISound, &options, of: "Play")
        }
        try options.finish()
        guard [isAlert, kind != nil, category != nil].count(where: { $0 }) <= 1 else {
            throw BusError.invalidArguments("Play: alert, as and category exclude each other")
        }
        guard !(outlivesClient && manner?.isRepeated == true) else {
            throw BusError.invalidArguments("Play: completePlaybackIfAppDies and rounds exclude each other")
        }
        if case .notification(_, true)? = kind { try clients.check(.control, of: client, message) }
        let sounds = client.sounds
        try requests.begin(message, for: client, outlivesClient: outlivesClient, hasVolume: manner != nil) {
            [device, requests, reads = client.reads] request, share in
            if category != nil || kind != nil {
                let samples = try await sound.samples(sounds, reads, for: share)
                return try await requests.play(request) { volume, completion in
                    if let kind {
                        return device.player.startOutsideSessions(samples, as: kind, completion: completion)
                    }
                    let id = device.player.reserve()
                    try device.start(
                        samples, in: manner?.manner(of: samples, volume: volume) ?? SoundManner(), reserved: id,
                        category: category ?? .default, options: categoryOptions, completion: completion)
                    return id
                }
            }
            return try await sound.withSystemSound(sounds, reads, for: share, isAlert: isAlert) {
                id throws(SystemSoundError) in
                do throws(SystemSoundError) {
                    // Properties stay with the number: each play sets its own.
                    try sounds.setIsUISound(isUISound, of: id)
                    // An earlier play may still count on it; a play without the option is stopped with its request.
                    if outlivesClient { try sounds.setCompletesPlaybackIfAppDies(true, of: id) }
                } catch {
                    throw SystemSoundError(RingerError(.notFound, "play", "system sound \(id)"))
                }
                return RequestEnd(isAlert ? await sounds.playAlert(id) : await sounds.play(id))
            }
        }
    }

    private func alert(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) throws {
        let sound = try SoundArgument(arguments[0], of: "Alert", for: client)
        var options = BusOptions(arguments[1], of: "Alert")
        let kind = try options.name("kind", of: AlertKind.self) ?? .alert
        let way = try options.name("way", of: AlertWay.self) ?? .both
        let seconds = try options.seconds("limit") ?? Alerts.standardLimit
        let pattern = try options.string("pattern")
        let pause = try options.seconds("pause") ?? .zero
        try options.finish()
        let vibration = try pattern.map { try VibrationPattern(milliseconds: $0) }
        let sounds = client.sounds
        try requests.begin(message, for: client) { [device, reads = client.reads] _, share in
            try await sound.withSystemSound(sounds, reads, for: share, isAlert: true) { id in
                RequestEnd(
                    await device.alerts.alert(
                        id, of: sounds, kind: kind, way: way, limit: seconds == .zero ? nil : seconds,
                        vibration: vibration,
                        pause: pause))
            }
        }
    }

    private func notify(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) throws {
        let sound = try SoundArgument(arguments[0], of: "Notify", for: client)
        var options = BusOptions(arguments[1], of: "Notify")
        let volume = Float(try options.number("volume", in: 0...1) ?? 1)
        let isCritical = try options.boolean("critical") ?? false
        try options.finish()
        if isCritical { try clients.check(.control, of: client, message) }
        let (notifications, sounds) = (device.notifications, client.sounds)
        try requests.begin(message, for: client) { [reads = client.reads] _, share in
            if case .standard = sound {
                return RequestEnd(await notifications.play(nil, volume: volume, isCritical: isCritical))
            }
            return try await sound.withSystemSound(sounds, reads, for: share) { error in
                RequestEnd(
                    await notifications.play(nil, insteadOf: error, volume: volume, isCritical: isCritical))
            } body: { id in
                RequestEnd(await notifications.play(id, of: sounds, volume: volume, isCritical: isCritical))
            }
        }
    }

    private func announce(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) throws {
        // Clips may name the same descriptor.
        var files: [CInt: CallerFile] = [:]
        let clips = try (arguments[0].elements ?? []).map { try SoundArgument($0, of: "Announce", for: client, &files) }
        guard !clips.isEmpty else { throw BusError.invalidArguments("Announce: there is no clip") }
        var options = BusOptions(arguments[1], of: "Announce")
        let category = try options.name("category", of: AudioCategory.self) ?? .playback
        let categoryOptions = try options.categoryOptions() ?? []
        let priority = Int(try options.int32("priority") ?? 0)
        let expiry = try options.seconds("expiry")
        let volume = try options.number("volume", in: 0...1).map { Float($0) }
        try options.finish()
        let (announcements, sounds) = (device.announcements, client.sounds)
        let time = { @Sendable [clock = device.clock] in clock.now + clock.timeAsleep }
        let calledAt = time()
        try requests.begin(message, for: client) {
            [arrivals = requests.arrivals, reads = client.reads, name = client.name] request, share in
            let sound = try await arrivals.inTurn(request, of: name) {
                try await reads.joined(clips, sounds, for: share)
            }
            let left = expiry.map { $0 - (time() - calledAt) }
            if let left, left <= .zero { return RequestEnd(SoundOutcome.stopped(.expired)) }
            let announcement = Announcement(
                sound, category: category, options: categoryOptions, priority: priority, expiry: left,
                volume: volume)
            return RequestEnd(try await announcements.announce(announcement))
        }
    }

    private func vibrate(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) throws {
        var options = BusOptions(arguments[1], of: "Vibrate")
        let strength = Float(try options.number("strength", in: 0...1) ?? 1)
        let times = try options.uint32("times") ?? 1
        try options.finish()
        let text = arguments[0].string ?? ""
        let pattern = try VibrationPattern(
            milliseconds: text.isEmpty ? "400" : text, strength: strength,
            repetition: times == 0 ? .untilStopped : .times(Int(clamping: times)))
        try requests.begin(message, for: client) { [device] _, _ in RequestEnd(await device.vibrate(pattern)) }
    }

    private func light(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) throws {
        let text = arguments[0].string ?? ""
        guard let pattern = LightPattern(text), pattern != .off else {
            throw BusError.invalidArguments(
                "Light: \"\(text)\" is neither on nor two times in milliseconds, such as 500,500")
        }
        guard device.statusLight != nil else {
            throw RingerError(.notFound, "light", "status light", detail: "the device has none")
        }
        try requests.begin(message, for: client) { [light] _, _ in await light.show(pattern) }
    }

    // MARK: - Rules

    /// A sound outside sessions, by the name of its kind.
    private func soundRequest(
        _ name: String, isUISound: Bool, _ options: inout BusOptions, of member: String
    ) throws -> SoundRequest {
        switch name {
        case "systemSound": return .systemSound(isUISound: isUISound)
        case "alert": return .alert
        case "alarm": return .alarm
        case "notification":
            return .notification(
                volume: Float(try options.number("volume", in: 0...1) ?? 1),
                isCritical: try options.boolean("critical") ?? false)
        default:
            let others = member == "Decide" ? ["session", "announcement", "vibration"] : []
            let names = (others + ["systemSound", "alert", "alarm", "notification"]).joined(separator: ", ")
            throw BusError.invalidArguments("\(member): the kind of sound \"\(name)\" is none of \(names)")
        }
    }

    /// Sets the kept position, also until a time, and replies once it is kept.
    func setPosition(_ message: BusMessage, _ arguments: [BusValue]) throws {
        let word = arguments[0].string ?? ""
        let position = SwitchPosition(rawValue: word)
        let until = arguments.dropFirst().first.map { Int64(($0.uint64 ?? 0) / 1_000_000) }
        guard position != nil || (word == "toggle" && until == nil) else {
            let words = until == nil ? "ring, vibrate, silent or toggle" : "ring, vibrate or silent"
            throw BusError.invalidArguments("\(message.member): a position is \(words), not \"\(word)\"")
        }
        device.setPosition(position, until: until, completion: kept.add(message))
    }

    /// Answers `Decide`, which everybody may call.
    func decide(_ message: BusMessage, _ arguments: [BusValue]) throws {
        var options = BusOptions(arguments[1], of: "Decide")
        let request: SoundRequest
        switch arguments[0].string {
        case "session", "announcement":
            let isAnnouncement = arguments[0].string == "announcement"
            let standard = isAnnouncement ? AudioCategory.playback : .default
            let category = try options.name("category", of: AudioCategory.self) ?? standard
            let categoryOptions = try options.categoryOptions() ?? []
            guard category.allowedOptions.isSuperset(of: categoryOptions) else {
                throw BusError.invalidArguments(
                    "Decide: the category \(category.rawValue) does not allow these options")
            }
            let volume = isAnnouncement ? try options.number("volume", in: 0...1) : nil
            request = .session(
                category, options: categoryOptions,
                isInBackground: isAnnouncement ? false : try options.boolean("background") ?? false,
                announcement: isAnnouncement ? volume.map { .own(Float($0)) } ?? .preferred : nil)
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
