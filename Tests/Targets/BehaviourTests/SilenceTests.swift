import RingerLinux
import RingerTestKit
import ServiceSupport
import Testing

/// Every source of silence against every kind of sound, in the process and over the service.
@Suite struct SilenceTests {
    @Test(
        "each kind is decided, heard and felt as the table has it", arguments: Connection.allCases,
        SilenceTable.Source.allCases)
    func table(_ connection: Connection, _ source: SilenceTable.Source) async throws {
        let bench = try await DeviceBench(connection)
        let (board, device) = (bench.board, bench.device)
        bench.clock.setWallTime(.seconds(SilenceTable.wallTime(source)))
        device.preferences = try SilenceTable.preferences(source)
        bench.advance(.zero)
        board.surroundings.set(.inputAvailable(true))
        bench.flip(to: SilenceTable.position(source))
        if let kept = SilenceTable.keptPosition(source) { try await bench.run { try await $0.setPosition(kept) } }
        if source == .button { board.button.press(for: .milliseconds(40)) }
        if source == .lostAtSilent { board.ringSilent.becomeUnreadable() }
        bench.advance(.milliseconds(200))
        let container = ApplicationContainer("/", allowsCriticalAlerts: true)
        let tone = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000))
        for kind in SilenceTable.Kind.allCases {
            let expected = SilenceTable.expected(source, kind)
            let decision = device.decide(kind.request)
            #expect(
                SilenceTable.letter(heard: decision.isHeard, felt: decision.vibrates) == expected, "\(kind) is decided")
            switch kind {
            case .click: device.sounds.start(1104)
            case .system:
                let id = try device.sounds.register(tone)
                try device.sounds.setIsUISound(false, of: id)
                device.sounds.start(id)
            case .alert: device.alerts.start(1005)
            case .notification: device.notifications.start(.standard, in: nil)
            case .critical: device.notifications.start(.standardCritical(), in: container)
            case .alarm: device.alerts.start(1005, kind: .alarm)
            case .announcement: try device.announcements.add(Announcement(tone))
            default: try device.start(tone, category: kind.category ?? .playback, options: kind.options)
            }
            bench.advance(.milliseconds(20))
            let seen = SilenceTable.letter(heard: !board.speaker.playing.isEmpty, felt: board.motor.isOn)
            #expect(seen == expected, "\(kind) is heard")
            device.alerts.stop()
            device.announcements.clear()
            device.sounds.stopAll()
            device.stopAll()
            bench.advance(.seconds(2))
            #expect(bench.atRest == ["motor false", "sounds 0"], "\(kind) ends")
        }
    }
}
