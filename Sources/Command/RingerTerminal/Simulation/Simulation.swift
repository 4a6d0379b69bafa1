import RingerCore
import RingerTestKit
import Synchronization
import SystemPackage
import SystemSounds

/// A simulated board and its device, and the steps that can be performed on them.
struct Simulation: Sendable {
    let board: SimulatedBoard
    let device: Device
    /// What was begun, and its outcomes.
    let observations: Observations
    /// Where events are written.
    let log: SimulationLog
    /// The folder that relative paths in steps start from.
    var folder: FilePath = ""

    /// Performs `step`. The caller moves the clock for `wait` and `expect`.
    ///
    /// - Throws: ``RingerError`` if a sound cannot be read, ``SessionError`` where a session cannot be made.
    func perform(_ step: SimulationStep) throws {
        switch step {
        case .move(let position): board.ringSilent.position = position
        case .flip: board.ringSilent.position = board.ringSilent.position == .ring ? .silent : .ring
        case .plug(let isPlugged): isPlugged ? board.ringSilent.plug() : board.ringSilent.unplug()
        case .readable(let isReadable):
            isReadable ? board.ringSilent.becomeReadable() : board.ringSilent.becomeUnreadable()
        case .lock(let isLocked): device.setScreenLocked(isLocked)
        case .keep(let position, let length):
            // A full second: never earlier than written.
            let until = length.map { (device.clock.wallTime + $0 + .nanoseconds(999_999_999)).components.seconds }
            let failure = Mutex<RingerError?>(nil)
            device.setPosition(position, until: until) { error in failure.withLock { $0 = error } }
            // Nothing keeps it in a file: it is over by now.
            if let error = failure.withLock({ $0 }) { throw error }
        case .button(let button): board.button.behaviour = button
        case .press(let length): board.button.press(for: length)
        case .release: board.button.release()
        case .volumeKey(let key, let repeated):
            board.keys.press(key)
            for _ in 0..<repeated { board.keys.repeatHeld(key) }
            board.keys.release(key)
        case .surroundings(let change): board.surroundings.set(change)
        case .wallClock(let time):
            let seconds = time.map { board.timeZone.utc(atLocalTime: $0) } ?? 0
            (board.clock as? VirtualClock)?.setWallTime(.seconds(seconds))
        case .timeZone(let rules): try board.timeZone.set(rules)
        case .output(let output): board.speaker.fault = output.fault
        case .motor(let works):
            board.motor.failTurnOn(with: works ? nil : RingerError(.disconnected, "turn on", board.motor.name))
        case .prefer(let name, let value):
            var preferences = device.preferences
            // The value was checked when the script was read.
            _ = name.set(value, in: &preferences)
            device.preferences = preferences
        case .play(let playing, let category, let options, let name):
            try play(playing, category, options, name)
        case .playIn(let session, let playing, let name): try play(playing, in: session, name)
        case .session(let playing, let session, let name): try begin(session, playing, name)
        case .activate(let session, let name): try begin(session, nil, name)
        case .deactivate(let name): observations.request(named: name)?.session?.deactivate { _ in }
        case .background(let isInBackground, let name):
            guard let session = observations.request(named: name, where: { $0.session != nil })?.session else {
                throw RingerError(.notFound, "move to the background", name ?? "session", detail: "it is no session")
            }
            try session.setInBackground(isInBackground)
        case .call: if device.sessions.interruptions.isEmpty { _ = device.sessions.interruptionBegan() }
        case .answer:
            for call in device.sessions.interruptions { device.sessions.interruptionAnswered(call) }
        case .hangUp:
            for call in device.sessions.interruptions { device.sessions.interruptionEnded(call) }
        case .sound(let sound, let asAlert, let name): try play(sound, asAlert: asAlert, name)
        case .alert(let sound, let kind, let way, let limit, let name): try alert(sound, kind, way, limit, name)
        case .notify(let sound, let container, let name): notify(sound, container, name)
        case .announce(let playing, let terms, let expiry, let volume, let name):
            try announce(playing, terms, expiry, volume, name)
        case .announcements(let control): self.control(control)
        case .vibrate(let pattern, let name): vibrate(pattern, name)
        case .detect:
            device.muteDetector.measure { [log, observations] reading in
                observations.note(reading)
                log.note(reading)
            }
        case .stop(nil): device.stopAll()
        case .stop(let name?): observations.request(named: name)?.stop?()
        case .wait, .expect: break
        }
    }

    // MARK: - What the firmware does

    private func play(
        _ playing: SimulationStep.Playing, _ category: AudioCategory, _ options: CategoryOptions, _ name: String?
    ) throws {
        let samples = try samples(playing)
        let number = observations.begin(.init(name: name, title: category.rawValue))
        let sound = try device.start(samples, category: category, options: options) { [observations] result in
            observations.end(number, Ending(result.outcome, after: result.elapsed))
        }
        observations.change(number) { request in
            request.sound = sound.number
            request.stop = { [device] in device.player.stop(sound) }
        }
    }

    private func play(_ playing: SimulationStep.Playing, in name: String, _ ownName: String?) throws {
        let samples = try samples(playing)
        guard let session = observations.request(named: name)?.session else {
            throw RingerError(.notFound, "play in", name, detail: "it is no session")
        }
        let number = observations.begin(.init(name: ownName, title: "sound in \(name)"))
        start(samples, in: session, number) {}
    }

    /// Makes and activates a session; with a sound it is deactivated when the sound is over.
    private func begin(_ wanted: SimulationStep.Session, _ playing: SimulationStep.Playing?, _ name: String?) throws {
        let samples: PCMBuffer? = if let playing { try self.samples(playing) } else { nil }
        let session = try device.sessions.make(
            name: name ?? wanted.category.rawValue, category: wanted.category, options: wanted.options,
            priority: wanted.priority)
        let number = observations.begin(
            .init(
                name: name, title: wanted.category.rawValue, isBareSession: samples == nil, session: session,
                stop: { session.deactivate { _ in } }))
        session.activate { [observations] refusal in
            if let refusal { return observations.end(number, Ending(refusal)) }
            if let samples { start(samples, in: session, number) { session.deactivate { _ in } } }
        }
    }

    private func start(
        _ samples: PCMBuffer, in session: AudioSession, _ number: Int, whenOver: @escaping @Sendable () -> Void
    ) {
        let sound = session.start(samples) { [observations] result in
            observations.end(number, Ending(result.outcome, after: result.elapsed))
            whenOver()
        }
        observations.change(number) { request in
            request.sound = sound.number
            request.stop = { session.stop(sound) }
        }
    }

    private func play(_ sound: NamedSound, asAlert: Bool, _ name: String?) throws {
        let id = try id(of: sound)
        let number = observations.begin(.init(name: name, title: "system sound \(sound)"))
        let call = device.sounds.start(id, as: asAlert ? .alert : .sound) { [observations] result in
            observations.end(number, Ending(result.outcome, after: result.elapsed))
        }
        observations.change(number) { request in
            request.sound = call.id.number
            request.stop = { [device] in device.sounds.stop(call) }
        }
    }

    private func alert(
        _ sound: NamedSound, _ kind: AlertKind, _ way: AlertWay, _ limit: Duration?, _ name: String?
    ) throws {
        let id = try id(of: sound)
        let number = observations.begin(
            .init(
                name: name, title: "\(kind.rawValue) \(sound)", isAlert: true,
                stop: { [device] in device.alerts.stop() }))
        device.alerts.start(id, kind: kind, way: way, limit: limit ?? Alerts.standardLimit) { [observations] result in
            observations.end(number, Ending(result))
        }
    }

    private func notify(_ sound: NotificationSound, _ container: String?, _ name: String?) {
        let application = ApplicationContainer(
            container.map { folder.pushing(FilePath($0)).string } ?? "", allowsCriticalAlerts: true)
        let number = observations.begin(.init(name: name, title: "notification"))
        let call = device.notifications.start(sound, in: application) { [observations] result in
            observations.end(number, Ending(result.outcome, after: result.elapsed))
        }
        observations.change(number) { request in
            request.sound = call.id.number
            request.stop = { [device] in device.sounds.stop(call) }
        }
    }

    private func announce(
        _ playing: SimulationStep.Playing, _ terms: SimulationStep.Session, _ expiry: Duration?, _ volume: Float?,
        _ name: String?
    ) throws {
        let announcement = Announcement(
            try samples(playing), category: terms.category, options: terms.options, priority: terms.priority.rawValue,
            expiry: expiry, volume: volume)
        let number = observations.begin(.init(name: name, title: "announcement"))
        let queue = device.announcements
        let id = try queue.add(announcement) { [observations] result in
            observations.end(number, Ending(result.outcome, after: result.elapsed))
        }
        observations.change(number) { request in
            request.isAnnounced = { queue.playing == id }
            request.stop = { queue.remove(id) }
        }
    }

    private func control(_ control: SimulationStep.QueueControl) {
        let queue = device.announcements
        switch control {
        case .pause: queue.pause()
        case .resume: queue.resume()
        case .skip: queue.skip()
        case .clear: queue.clear()
        case .repeat:
            let number = observations.begin(.init(title: "announcement"))
            let id = queue.repeatLast { [observations] result in
                observations.end(number, Ending(result.outcome, after: result.elapsed))
            }
            observations.change(number) { request in
                request.isAnnounced = { id != nil && queue.playing == id }
                request.stop = { if let id { queue.remove(id) } }
            }
        }
    }

    private func vibrate(_ pattern: VibrationPattern, _ name: String?) {
        guard let vibrator = device.vibrator else { return }
        let start = board.clock.now
        let number = observations.begin(.init(name: name, title: "vibration"))
        let vibration = vibrator.start(pattern) { [observations, board] end in
            observations.end(number, Ending(end, after: board.clock.now - start, limited: "limited"))
        }
        observations.change(number) { $0.stop = { vibrator.stop(vibration) } }
    }

    // MARK: - Sounds

    private func id(of sound: NamedSound) throws -> SystemSoundID {
        try sound.check(in: folder.isEmpty ? "." : folder.string)
        return switch sound {
        case .id(let id): id
        case .file(let path): try device.sounds.register(folder.pushing(FilePath(path)).string)
        }
    }

    /// The samples that a step plays: its clips joined, then cut or repeated to the length that it says.
    private func samples(_ playing: SimulationStep.Playing) throws -> PCMBuffer {
        let clips = try playing.sounds.map { try clip($0) }
        var sound = clips.isEmpty ? Self.melody : try Announcement(joining: clips).sound
        guard let length = playing.length, sound.frames > 0 else { return sound }
        let whole = sound.samples
        let count = Int((length.inSeconds * sound.sampleRate).rounded()) * sound.channels
        // The sound stays the file's, or what stands in for it.
        sound.samples = (0..<count).map { whole[$0 % whole.count] }
        return sound
    }

    private func clip(_ sound: NamedSound) throws -> PCMBuffer {
        try sound.check(in: folder.isEmpty ? "." : folder.string)
        switch sound {
        case .file(let path): return try SoundLoader.load(folder.pushing(FilePath(path)).string)
        case .id(let id):
            guard let samples = try device.sounds.samples(of: id) else {
                throw RingerError(.unsupported, "play in a category", "system sound \(id)", detail: "it has no sound")
            }
            return samples
        }
    }

    /// One of the predefined melodies.
    private static let melody =
        SoundRecipe.predefined(stem: "Fanfare").map { SoundSynthesizer.render($0) } ?? .silence(duration: .seconds(1))
}
