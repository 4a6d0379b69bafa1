import Glibc
import RingerLinux
import RingerBus
import RingerDaemon
import RingerTestKit
import ServiceSupport
import Testing

/// The command over the service.
@Suite struct ServiceCommandTests {
    private func command(_ bus: TestBus) throws -> Command {
        try Command(environment: ["RINGER_BUS": "session", "DBUS_SESSION_BUS_ADDRESS": bus.address])
    }

    @Test("the service is used where there is one and no option names a part, and status says which device it is")
    func auto() throws {
        let bus = try TestBus()
        let command = try command(bus)
        #expect(try command("status").output.hasPrefix("board           hardware\n"))
        let service = try ServiceBench(isRealTime: true, bus: bus)
        service.board.ringSilent.position = .silent
        let status = try command("status")
        #expect(status.output.hasPrefix("board           service\nringSilent      silent\n"))
        #expect(try command("status", "--board", "service", "--json").output.hasPrefix(#"{"board":"service""#))
        #expect(try command("status", "--board", "simulated").output.hasPrefix("board           simulated\n"))
        #expect(try command("status", "--position", "ring").output.hasPrefix("board           hardware\n"))
        #expect(try command("status", "--board", "hardware").output.hasPrefix("board           hardware\n"))
    }

    @Test("sounds and vibrations go to the service, and its silence is reported")
    func play() throws {
        let service = try ServiceBench(isRealTime: true)
        let command = try command(service.bus)
        let sound = try command("play", "1057")
        #expect(sound.status == 0 && sound.output.hasPrefix("finished after "))
        #expect(service.board.speaker.recordings.map(\.outcome) == [.drained])
        #expect(try command("vibrate", "--pattern", "50").status == 0)
        #expect(service.board.motor.turns.count == 1)
        service.board.ringSilent.position = .silent
        #expect(try command("play", "1057").output.hasPrefix("silenced"))
        #expect(service.board.speaker.recordings.count == 1)
    }

    @Test("silent sets the position that the service keeps, shows it, and refuses without a service")
    func silent() throws {
        let service = try ServiceBench(isRealTime: true)
        let command = try command(service.bus)
        #expect(try command("silent").output == "none\n")
        #expect(try command("silent", "on").output == "silent\n")
        #expect(service.device.state.keptPosition == .silent && !service.device.decide(.systemSound()).isHeard)
        #expect(try command("play", "1057").output.contains("softwareSilent"))
        #expect(
            try command("silent", "--json").output
                == #"{"keptPosition":"silent","keptPositionUntil":null,"ringSilent":"ring"}"# + "\n")
        #expect(try command("silent", "toggle").output == "ring\n")
        #expect(try command("silent", "vibrate").output == "vibrate\n")
        #expect(try command("status").output.contains("\nkeptPosition    vibrate\n"))
        #expect(try command("silent", "toggle").output == "ring\n")
        #expect(try command("silent", "off").output == "ring\n")
        let wrong = try command("silent", "loud")
        #expect(wrong.status == 64 && wrong.errors.contains("'on', 'off', 'vibrate'"))
        let before = Int64(time(nil))
        let timed = try command("silent", "vibrate", "--for", "2h", "--json").output
        let until = try #require(service.device.state.keptPositionUntil)
        #expect(until >= before + 7_200 && until <= Int64(time(nil)) + 7_201)
        #expect(timed == #"{"keptPosition":"vibrate","keptPositionUntil":\#(until),"ringSilent":"ring"}"# + "\n")
        #expect(try command("status", "--json").output.contains(#""keptPositionUntil":\#(until),"#))
        #expect(try command("silent", "on", "--until", "07:00").output.hasSuffix(" 07:00\n"))
        let morning = try #require(service.device.state.keptPositionUntil)
        #expect(morning > before && morning <= before + 25 * 3_600)
        #expect(try command("silent", "off").output == "ring\n")
        let mistakes = [
            ["on", "--for", "0"], ["on", "--for", "-1h"], ["on", "--for", "soon"], ["on", "--for", "9999999d"],
            ["on", "--for", "1e99h"], ["on", "--for", "2w"], ["on", "--until", "25:00"], ["on", "--until", "7"],
            ["on", "--for", "1h", "--until", "07:00"], ["toggle", "--for", "1h"], ["--for", "1h"],
        ]
        for words in mistakes {
            let refused = try command(["silent"] + words)
            #expect(refused.status == 64 && refused.errors.contains(words.contains("--for") ? "--for" : "--until"))
        }
        #expect(service.device.state.keptPosition == .ring)
        let alone = try command("silent", "on", "--board", "simulated")
        #expect(alone.status == 1 && alone.errors.contains("start ringerd"))
    }

    @Test("quiet shows, adds and removes the quiet hours that the service keeps, and names the place of a mistake")
    func quiet() throws {
        let service = try ServiceBench(isRealTime: true)
        let command = try command(service.bus)
        #expect(try command("quiet").output == "none\n")
        #expect(try command("quiet", "add", "mon..fri 22:00-07:00").output == "Mon..Fri 22:00-07:00\n")
        let both = "Mon..Fri 22:00-07:00\ndaily 13:00-14:00\n"
        #expect(try command("quiet", "add", "daily", "13:00-14:00").output == both)
        #expect(try command("quiet", "add", "Mon..Fri 22:00-07:00").output == both)
        #expect(service.device.preferences.quietHours == (try QuietHours("Mon..Fri 22:00-07:00; daily 13:00-14:00")))
        let missing = try command("quiet", "remove", "Sun 01:00-02:00")
        #expect(missing.status == 1 && missing.errors.contains("Mon..Fri 22:00-07:00; daily 13:00-14:00"))
        #expect(try command("quiet", "remove", "daily 13:00-14:00").output == "Mon..Fri 22:00-07:00\n")
        for (span, place) in [
            ("Fry 22:00-07:00", "\"Fry\", character 1"), ("Mon 22:00-24:00", "\"24:00\", character 11"),
            ("Mon 22:00-07:00 volume=1.3", "\"1.3\", character 24"),
        ] {
            let wrong = try command("quiet", "add", span)
            #expect(wrong.status == 64 && wrong.errors.contains(place), "\(wrong.errors)")
        }
        #expect(try command("quiet", "add").status == 64)
        #expect(try command("quiet", "clear").output == "none\n")
        // A day and its night: it is quiet now.
        #expect(try command("quiet", "add", "daily 00:00-00:00").status == 0)
        #expect(try command("quiet").output == "daily 00:00-00:00\nsilent now\n")
        #expect(try command("quiet", "--json").output.contains(#""now":"silent","until":null,"volume":null"#))
        let status = try command("status").output
        #expect(
            status.contains("\neffectivePosition silent\nsilencedBy      quietHours\nsilencedUntil   none\n"),
            "\(status)")
        #expect(try command("play", "1057").output.contains("quietHours"))
        #expect(service.device.preferences.quietHours == (try QuietHours("daily 00:00-00:00")))
        #expect(try command("quiet", "clear").output == "none\n")
        // With a volume it is lower now, and nothing is silenced.
        let span = "daily 00:00-00:00 volume=0.25"
        #expect(try command("quiet", "add", span).output == span + "\n")
        #expect(try command("quiet").output == "\(span)\nvolume 0.25 now\n")
        let lower = #""now":null,"until":null,"volume":0.25,"volumeUntil":null}"#
        #expect(try command("quiet", "--json").output.hasSuffix(lower + "\n"))
        #expect(try command("status").output.contains("\nquietHoursVolume 0.25\n"))
        #expect(try command("announce", "1104").output.contains("finished"))
        #expect(try command("announce", "1104", "1105", "--volume", "0.5").output.contains("finished"))
        #expect(service.board.speaker.recordings.map(\.gains) == [[0.25], [0.125]])
        #expect(try command("announce", "1104", "--volume", "2").status == 64)
        #expect(try command("announce").status == 64)
        let alone = try command("quiet", "clear", "--board", "simulated")
        #expect(alone.status == 1 && alone.errors.contains("start ringerd"))
    }

    @Test("without a service --board service fails, and with a part of the device it is bad usage")
    func missing() throws {
        let bus = try TestBus()
        let command = try command(bus)
        let missing = try command("status", "--board", "service")
        #expect(missing.status == 1 && missing.errors.contains("org.ringer.Ringer1"))
        #expect(try command("status", "--board", "service", "--pcm", "x").status == 64)
    }

    @Test("doctor reports a service that does not listen for the ALSA plug-in")
    func plugIn() throws {
        let bus = try TestBus()
        let command = try command(bus)
        let socket = command.folder.path + "/pcm"
        #expect(try !command("doctor", "--pcm-socket", socket).output.contains("plug-in"))
        let service = try ServiceBench(isRealTime: true, bus: bus)
        // The plug-in's service is the system bus's, unless a socket is named.
        #expect(try !command("doctor").output.contains("plug-in"))
        let missing = try command("doctor", "--pcm-socket", socket)
        #expect(missing.output.contains("missing  plug-in  \(socket): cannot connect to: No such file or directory\n"))
        #expect(missing.status == 1)
        let server = PCMServer(
            service.device, loop: service.loop, path: socket, authorization: Authorization(),
            budget: ServiceBudget(Budget.Limits(), clock: service.device.clock))
        try service.loop.syncThrowing { () throws(RingerError) in try server.start() }
        defer { service.loop.sync { server.stop() } }
        #expect(try command("doctor", "--pcm-socket", socket).output.contains("ok       plug-in"))
    }

    // decide used to know the rules alone: it said "play" beside a service that silences alerts.
    @Test("decide agrees with the service in what no option says, and an option changes that alone")
    func decide() async throws {
        let service = try ServiceBench(isRealTime: true)
        let command = try command(service.bus)
        let client = try BusClient(service.bus.address)
        func agrees(_ kind: String, _ name: String) async throws -> Bool {
            let answer = try await client.call("Decide", [.string(name), .dictionary([:])])
            let word = try command("decide", "--kind", kind, "--json").output
            return word.hasPrefix(
                #"{"decision":"\#(answer[0].string ?? "")","reason":"\#(answer[1].string ?? "")","#)
        }
        let kinds = [
            ("session", "session"), ("system", "systemSound"), ("alert", "alert"), ("notification", "notification"),
            ("vibration", "vibration"),
        ]
        service.device.preferences.doNotDisturb = true
        for (kind, name) in kinds { #expect(try await agrees(kind, name), "\(kind)") }
        #expect(try command("decide", "--kind", "alert").output == "silence (doNotDisturb)\n")
        #expect(try command("decide", "--kind", "alert", "--position", "silent").output == "silence (doNotDisturb)\n")
        service.device.preferences.doNotDisturb = false
        service.board.ringSilent.position = .silent
        service.device.setScreenLocked(true)
        for (kind, name) in kinds { #expect(try await agrees(kind, name), "\(kind)") }
        #expect(try command("decide", "--kind", "alert").output == "vibrate (ringSilentSwitch)\n")
        #expect(
            try command("decide", "--kind", "alert", "--no-vibrate-on-silent").output == "silence (ringSilentSwitch)\n")
        #expect(try command("decide", "--position", "ring").output == "silence (screenLock)\n")
    }

    @Test("doctor shows the service's quiet hours, and until when they last")
    func doctorOfQuietHours() throws {
        let service = try ServiceBench(isRealTime: true)
        let command = try command(service.bus)
        #expect(try command("doctor").output.contains("ok       quiet    no quiet hours\n"))
        service.device.preferences.quietHours = try QuietHours("daily 00:00-00:00")
        #expect(try command("doctor").output.contains("ok       quiet    daily 00:00-00:00: silent now\n"))
        service.device.preferences.quietHours = try QuietHours("daily 00:00-12:00; daily 12:01-00:00")
        let parts = try command("doctor", "--json").output.split(separator: "\n").filter {
            $0.contains(#""part":"quiet""#)
        }
        #expect(parts.count == 1 && parts.first?.contains(#""found":true"#) == true)
    }

    @Test("status, watch and doctor show the service's do-not-disturb, and why an alert is silenced")
    func doNotDisturb() throws {
        let service = try ServiceBench(isRealTime: true)
        let command = try command(service.bus)
        #expect(try command("doctor").output.contains("ok       alerts   play on speaker and vibrate (switchAtRing); "))
        service.device.preferences.doNotDisturb = true
        let status = try command("status").output
        #expect(status.contains("\ndoNotDisturb    yes\n"), "\(status)")
        #expect(status.hasSuffix("\nalert           silence\nalertReason     doNotDisturb\n"), "\(status)")
        #expect(
            try command("status", "--json").output.hasSuffix(
                #""doNotDisturb":true,"systemSound":"play","alert":"silence","alertReason":"doNotDisturb"}"# + "\n"))
        #expect(
            try command("watch", "--for", "0").output.hasSuffix(
                "state     device  do-not-disturb on; an alert: silence (doNotDisturb)\n"))
        let doctor = try command("doctor").output
        #expect(doctor.contains("ok       alerts   silence (doNotDisturb); do-not-disturb on, by "), "\(doctor)")
        #expect(doctor.contains("set doNotDisturb of its property Preferences to false"), "\(doctor)")
    }

    @Test("preferences of the command line do not apply at the service, and a warning says so")
    func preferences() throws {
        let service = try ServiceBench(isRealTime: true)
        let status = try command(service.bus)("status", "--do-not-disturb")
        #expect(status.errors.hasPrefix("Warning: the service's preferences apply"))
    }
}
