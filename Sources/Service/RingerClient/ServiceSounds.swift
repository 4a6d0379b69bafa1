import RingerCore
import RingerBus

/// This process's sounds at the service. Used on the loop's thread alone.
final class ServiceSounds {
    private let link: ServiceLink
    private let sessions: ServiceSessions
    private var playing: [ObjectIdentifier: ServicePlayback] = [:]
    /// Whether it was reported that this service has no alarms.
    private var isReportedOld = false

    init(_ link: ServiceLink, _ sessions: ServiceSessions) {
        self.link = link
        self.sessions = sessions
    }

    func play(
        _ sound: PCMBuffer, _ terms: SoundTerms?, _ playback: ServicePlayback,
        _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) {
        let request = terms?.request ?? .systemSound(isUISound: false)
        let total = playback.manner.frames(of: sound)
        if case .session = request, let id = terms?.session {
            return sessions.whenMade(id) { [self] result in
                switch result {
                case .success(let path):
                    begin(sound, path, RingerNames.sessionInterface, [:], playback, handler)
                case .failure(let error):
                    handler(.ended(.failed(error), at: link.clock.now, .init(played: 0, total: total)))
                }
            }
        }
        var options = Self.options(request)
        if case .alarm = request, !knowsAlarms {
            // It would refuse one. An alert is never louder, and ends as silenced where it was not heard.
            options = Self.options(.alert)
            reportOld()
        }
        if terms?.outlivesProcess == true { options["completePlaybackIfAppDies"] = .boolean(true) }
        begin(sound, RingerNames.path, RingerNames.interface, options, playback, handler)
    }

    private var knowsAlarms: Bool { link.properties["Preferences"]?.dictionary?["alarmsIgnoreSilence"] != nil }

    private func reportOld() {
        if isReportedOld { return }
        isReportedOld = true
        link.onDegraded?(
            RingerError(
                .unsupported, "play an alarm", RingerNames.service,
                detail: "the service is too old for alarms: they are alerts there, which the switch silences"))
    }

    /// Another service may have what this one had not.
    func lost() { isReportedOld = false }

    /// The options of the method Play for a sound of no session.
    private static func options(_ request: SoundRequest) -> [String: BusValue] {
        switch request {
        case .session(let category, let options, _, _, _, _):
            ["category": .string(category.rawValue), "options": .strings(options.names)]
        case .systemSound(let isUISound):
            ["as": .string("systemSound"), "uiSound": .boolean(isUISound)]
        case .notification(let volume, let isCritical):
            ["as": .string("notification"), "volume": .double(Double(volume)), "critical": .boolean(isCritical)]
        case .alert, .vibration:
            ["as": .string("alert")]
        case .alarm:
            ["as": .string("alarm")]
        }
    }

    private func begin(
        _ sound: PCMBuffer, _ path: String, _ interface: String, _ options: [String: BusValue],
        _ playback: ServicePlayback, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) {
        let key = ObjectIdentifier(playback)
        let total = playback.manner.frames(of: sound)
        func end(_ end: PlaybackEnd, _ request: RequestEnd? = nil) {
            playing[key] = nil
            let played = min(request?.framesPlayed ?? 0, total)
            handler(.ended(end, at: request?.endedAt ?? link.clock.now, StreamPosition(played: played, total: total)))
            for body in playback.whenEnded { body() }
            playback.whenEnded = []
        }
        if playback.isStopped { return end(.stopped) }
        playing[key] = playback
        var options = options.merging(playback.manner.options) { option, _ in option }
        // An older service knows no volumes by kind, and refuses the option; it knows the sound's own volume.
        if link.properties["Preferences"]?.dictionary?["announcementVolume"] == nil,
            let own = options.removeValue(forKey: "announcement")?.double, own >= 0
        {
            options["volume"] = .double((options["volume"]?.double ?? 1) * own)
        }
        do throws(RingerError) {
            playback.request = try sound.withFile { file in
                link.request(path, interface, "Play", [.variant(.descriptor(file)), .dictionary(options)]) { event in
                    switch event {
                    case .started(let time): handler(.started(at: time))
                    case .ended(let outcome): end(PlaybackEnd(outcome), outcome)
                    case .failed(let error): end(error.code == .closed ? .stopped : .failed(error))
                    }
                }
            }
        } catch {
            end(.failed(error))
        }
    }

    func stop() {
        for playback in playing.values { playback.stopNow() }
    }

    /// Has the service close its PCMs once the stopped sounds of this process have ended. `completion` is called when they
    /// are closed, or the service is gone.
    func releaseOutput(stoppingSounds: Bool, _ completion: @escaping @Sendable () -> Void) {
        if stoppingSounds { stop() }
        let stopped = playing.values.filter(\.isStopped)
        var left = stopped.count
        func release() {
            if !link.isPresent { return completion() }
            link.call(RingerNames.path, RingerNames.interface, "ReleaseOutput") { _ in completion() }
        }
        if stopped.isEmpty { return release() }
        for playback in stopped {
            playback.whenEnded.append {
                left -= 1
                if left == 0 { release() }
            }
        }
    }
}

extension SoundManner {
    /// The options of Play, for a sound in a session or a category. Others are played in the standard manner, which needs none.
    fileprivate var options: [String: BusValue] {
        var options: [String: BusValue] = [:]
        if first != 0 { options["from"] = .uint32(UInt32(clamping: first)) }
        if rounds != 1 { options["rounds"] = .uint32(UInt32(clamping: rounds)) }
        if volume != 1 { options["volume"] = .double(Double(volume)) }
        switch announcement {
        case .own(let volume)?: options["announcement"] = .double(Double(volume.isNaN ? 0 : min(max(volume, 0), 1)))
        case .preferred?: options["announcement"] = .double(-1)
        case nil: break
        }
        return options
    }
}
