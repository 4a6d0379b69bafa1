import ArgumentParser
import Glibc
import RingerLinux
import RingerClient
import Synchronization
import RingerTerminal

/// `ringer doctor`: what was found, what is missing, and how to repair it.
struct DoctorCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Report which parts of the device were found, what is missing, and how to repair it.",
        discussion: """
            Nothing is changed, nothing moves and nothing is played. Exit status 1 where a part is missing, or is there and \
            cannot be used; a device may do without volume and input. "alerts" is how the service that runs would judge one now.
            "position", "button" and "silent-light" are those of ringerd.conf; "quiet" is the service's schedule.
            Parts of the sound card come from an option, from the card's use-case configuration (UCM), or were found.
            JSON, one object a line:
            {"part":...,"found":true|false,"name":...,"source":"option"|"UCM"|"found","problem":...,"repair":...}
            With --fix a script of sh is printed in place of the report: the repairs as commands, and what you have to decide as \
            comments. Nothing is run: read it, then run it as root. Print it as the user whose program uses the device. The exit \
            status is 0, also where there is nothing to repair.
            """)

    @Option(help: "The ALSA PCM to look at. (default: the one that a device uses)")
    var pcm: String?
    @Option(help: "The sound card whose mixer to look at: its id or number. (default: the first)")
    var card: String?
    @Option(
        help: ArgumentHelp(
            "The mixer element of the output volume. (default: the one that a device uses)", valueName: "element"))
    var mixerElement: String?
    @Option(
        name: .customLong("route-pcm"),
        help: ArgumentHelp("A route and its PCM; may be given several times.", valueName: "route=pcm"),
        transform: BoardOptions.routePCM)
    var routes: [(route: AudioRoute, pcm: String)] = []
    @Option(
        help: ArgumentHelp(
            "Where the service listens for the ALSA plug-in. (default: \(PCMSocket.standardPath), on the system bus)",
            valueName: "path"))
    var pcmSocket: String?
    @Option(
        help: ArgumentHelp(
            "The service's configuration. (default: \(SilenceFindings.standardPath), where there is one)",
            valueName: "file"))
    var config: String?
    @Flag(help: "Print a script that repairs what was found missing.")
    var fix = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if fix && output.json { throw ValidationError("--fix prints a script, and --json objects: choose one.") }
    }

    func run() async throws {
        let lines = try await findings()
        if fix {
            for line in RepairScript.lines(for: lines) { try Terminal.show(line) }
            return
        }
        for line in output.json ? lines.map(\.json.description) : lines.flatMap(\.text) { try Terminal.show(line) }
        if lines.contains(where: { !$0.isUsable && !$0.isOptional }) { throw ExitCode.failure }
    }

    private func findings() async throws -> [Finding] {
        let silence = SilenceFindings(config)
        let findings = HardwareDiscovery.scan()
        let hardware = Device.Hardware(
            pcm: pcm, routes: Dictionary(routes.map { ($0.route, $0.pcm) }, uniquingKeysWith: { $1 }), linger: .zero,
            card: card, volumeElement: mixerElement)
        let sound = SoundParts(hardware)
        var lines: [Finding] = []
        lines += findings.switches.map(Self.ringSilent)
        if findings.switches.isEmpty && silence.hasButtonAsSwitch {
            lines.append(Finding(part: "switch", name: "the button, in its place"))
        } else if findings.switches.isEmpty {
            // A keyboard's mute key is no button of the device: it is named, and not found.
            let overlay = DeviceTreeOverlay.advice("ring-silent-switch", driver: "gpio-keys")
            let place =
                findings.keys.first.map { "if \($0.name) has a push button in its place, name it" }
                ?? "a push button in its place is named"
            lines.append(
                Finding(
                    part: "switch",
                    problem: "no input device with SW_MUTE_DEVICE or ABS_SND_PROFILE, no GPIO line "
                        + "\"\(HardwareDiscovery.switchLine)\"",
                    repair: .decision(
                        "\(overlay); \(place), as docs/hardware.md says (Only a push button): "
                            + "--switch button:evdev:auto,code=KEY_MUTE, or switch = in ringerd.conf",
                        commands: overlay.commands)))
        }
        lines += findings.motors.map { motor in
            let repair: Repair =
                "name it, if it is the device's: --motor \(motor.specification), or motor = in ringerd.conf"
            return Finding(
                part: "motor", name: motor.name, problem: motor.problem?.error.description,
                repair: motor.problem == nil ? nil : repair, isOptional: true)
        }
        if !findings.motors.contains(where: { $0.problem == nil }) {
            lines.append(
                Finding(
                    part: "motor",
                    problem: "no input device with FF_RUMBLE of its own, no LED or GPIO line "
                        + "\"\(HardwareDiscovery.motorLine)\"",
                    repair: DeviceTreeOverlay.advice("gpio-vibrator", driver: "gpio-vibrator")))
        }
        lines += findings.lights.map { light in
            Finding(
                part: "light", name: light.name, problem: light.problem?.error.description,
                repair: light.problem?.repair, isOptional: true)
        }
        lines += try silence.all(isServed: Device.isServiceRunning())
        lines += (findings.keys + findings.volumeKeys).map { Finding(part: "keys", name: $0.name) }
        lines += jacks(findings, sound)
        lines += speaker(hardware, sound)
        lines += routes(sound)
        lines += try mixerAndInput(sound)
        lines += slave()
        lines += PipeWireFindings.all()
        for (library, package, sounds) in Self.libraries where dlopen(library, RTLD_LAZY) == nil {
            lines.append(
                Finding(
                    part: "decoder", problem: "no \(library), which decodes \(sounds)",
                    repair: .install(package), isOptional: true))
        }
        if PCMSocket.isExpected(isNamed: pcmSocket != nil) { lines.append(plugIn()) }
        if Device.isServiceRunning() { lines += await Self.service() }
        lines += findings.problems.map { problem in
            Finding(part: "access", problem: problem.error.description, repair: problem.repair)
        }
        return lines
    }

    /// What is loaded for the first sound that it decodes, and its package of Debian.
    private static let libraries = [
        ("libmpg123.so.0", SoundCodec.packageOfMP3, "MP3"), ("libsndfile.so.1", "libsndfile1", "Ogg and FLAC"),
    ]

    /// A switch that was found. A switch that cannot be read counts as silent, which is a fault; a board without a
    /// switch is not.
    private static func ringSilent(_ candidate: HardwareFindings.Candidate<SwitchSpecification>) -> Finding {
        guard let problem = candidate.problem else { return Finding(part: "switch", name: candidate.name) }
        let position = UserPreferences().whenSwitchUnreadable.rawValue
        return Finding(
            part: "switch", name: candidate.name,
            problem: "it cannot be read and counts as \(position): \(problem.error)", repair: problem.repair)
    }

    /// The jacks of the use-case configuration, or those that were found.
    private func jacks(_ findings: HardwareFindings, _ sound: SoundParts) -> [Finding] {
        guard sound.hasJacks, let useCases = sound.useCases else {
            return findings.jacks.map { Finding(part: "jack", name: $0.name, source: .found) }
        }
        var names: [String] = []
        for name in useCases.headphoneJacks + useCases.microphoneJacks where !names.contains(name) {
            names.append(name)
        }
        return names.map {
            Finding(part: "jack", name: "control \"\($0)\" of sound card \(useCases.card)", source: .useCases)
        }
    }

    /// The use-case configuration, and the routes besides the speaker that it or an option names.
    private func routes(_ sound: SoundParts) -> [Finding] {
        var lines: [Finding] = []
        if let useCases = sound.useCases {
            lines.append(Finding(part: "UCM", name: "\(useCases.file): \(useCases.verb)"))
        } else if let problem = sound.problem {
            lines.append(
                Finding(part: "UCM", problem: problem.description, repair: "see its faults: alsaucm -c hw:0 dump text"))
        }
        for route in AudioRoute.allCases {
            guard let pcm = sound.routes[route] else { continue }
            lines.append(
                Finding(
                    part: "route", name: "\(route.rawValue): \(pcm)",
                    source: Source(isNamed: routes.contains { $0.route == route }, isInUseCases: true)))
        }
        return lines
    }

    /// The PCM that the ALSA plug-in plays to, where the plug-in is installed.
    private func slave() -> [Finding] {
        let hardware = Device.Hardware(pcm: "ringer_output", linger: .zero)
        var finding = speaker(hardware, SoundParts(hardware))[0]
        if finding.problem?.contains("Unknown PCM") == true { return [] }
        (finding.part, finding.source) = ("plug-in", nil)
        if finding.problem != nil, finding.repair?.sentence.hasPrefix("list") ?? true {
            finding.repair = "name the PCM of the programs on the plug-in: pcm.!ringer_output in /etc/asound.conf"
        }
        return [finding]
    }

    private func speaker(_ hardware: Device.Hardware, _ sound: SoundParts) -> [Finding] {
        do throws(RingerError) {
            let speaker = try sound.makeSpeaker(hardware)
            defer { speaker.close() }
            let grant = try speaker.grant(sampleRate: 48_000, channels: 1)
            let found = Finding(
                part: "speaker",
                name: "ALSA \(grant.pcm): \(grant.sampleRate) Hz, \(grant.channels.counted("channel")), period "
                    + "\((grant.period.inSeconds * 1000).fixed(1)) ms, buffer "
                    + "\((grant.latency.inSeconds * 1000).fixed(1)) ms",
                source: Source(isNamed: pcm != nil, isInUseCases: sound.useCases?.output(of: .speaker) != nil))
            guard var problem = try speaker.findMixingProblem() else {
                return [found, Finding(part: "mixing", name: "\(speaker.name) plays several sounds at once")]
            }
            let repair = problem.repair ?? problem.error.detail.map { .decision($0) }
            problem.error.detail = nil
            return [
                found, Finding(part: "mixing", problem: problem.error.description, repair: repair, isOptional: true),
            ]
        } catch {
            let repair: Repair? =
                switch error.code {
                case .permissionDenied: Self.accessToSound
                case .busy: "find who holds it: fuser -v /dev/snd/*"
                case .notFound: "list the PCMs: aplay -L; name one: --pcm; load the card's driver"
                case .invalid where error.detail?.contains("is not a string") == true:
                    .cardName()
                default: nil
                }
            return [Finding(part: "speaker", problem: error.description, repair: repair)]
        }
    }

    /// The repair for files of sound cards that this user may not open.
    private static var accessToSound: Repair { HardwareProblem.soundCards()?.repair ?? .join("audio") }

    /// The current output volume and input: both sources report before they have started.
    private func mixerAndInput(_ sound: SoundParts) throws -> [Finding] {
        let loop = try EventLoop(name: "ringer-doctor")
        defer { loop.close() }
        let found = Mutex<[DeviceStateChange]>([])
        let volume = MixerVolume(card: card, element: sound.volumeElement, loop: loop)
        let element = sound.volumeElement.map { ", \($0)" } ?? ""
        let input = InputAvailability(loop: loop)
        defer {
            volume.close()
            input.close()
        }
        try volume.start { change in found.withLock { $0.append(change) } }
        try input.start { change in found.withLock { $0.append(change) } }
        let changes = found.withLock { $0 }
        var reason: RingerError?
        for case .lost(let error) in changes { reason = error }
        return changes.compactMap { change in
            switch change {
            case .outputVolume(let value?):
                Finding(
                    part: "volume", name: "\(volume.name)\(element): \((Double(value) * 100).fixed(0)) %",

                    source: Source(isNamed: mixerElement != nil, isInUseCases: sound.volumeElement != nil))
            case .outputVolume(nil):
                Finding(
                    part: "volume", problem: reason?.description ?? "\(volume.name): no element with a playback volume",
                    repair: reason?.code == .permissionDenied
                        ? Self.accessToSound : "see what the card has: amixer scontrols; name another card: --card",
                    isOptional: true)
            case .inputAvailable(true): Finding(part: "input", name: input.name)
            case .inputAvailable(false): Finding(part: "input", problem: "no \(input.name)", isOptional: true)
            default: nil
            }
        }
    }

    /// Whether the service that runs can be reached by the ALSA plug-in: without it, programs on the plug-in are silent.
    private func plugIn() -> Finding {
        let path = pcmSocket ?? PCMSocket.standardPath
        do throws(RingerError) {
            try PCMSocket.check(path)
            return Finding(part: "plug-in", name: "the service listens at \(path)")
        } catch {
            return Finding(
                part: "plug-in", problem: error.description,
                repair: "see why the service does not listen: journalctl -u ringerd; it tries again within 60 s")
        }
    }

    /// The service's quiet hours, and how it would judge an alert now: what silences one is no fault, but its reason is looked for here.
    private static func service() async -> [Finding] {
        do throws(RingerError) {
            let device = try await Device.connect()
            defer { device.close() }
            await device.waitForSwitch()
            let isOn = device.preferences.doNotDisturb
            let alerts = Finding(
                part: "alerts",
                name:
                    "\(device.decide(.alert).sentence); do-not-disturb \(isOn ? "on" : "off"), by \(device.speakerName)",
                repair: isOn ? "to hear alerts again, set doNotDisturb of its property Preferences to false" : nil)
            return [SilenceFindings.quietHours(of: device), alerts]
        } catch {
            return [Finding(part: "alerts", problem: error.description, repair: "see journalctl -u ringerd")]
        }
    }

    /// Where a part of the sound card comes from.
    enum Source: String {
        case option
        case useCases = "UCM"
        case found

        /// The source of a part that an option or the use cases may name.
        init(isNamed: Bool, isInUseCases: Bool) {
            self = isNamed ? .option : isInUseCases ? .useCases : .found
        }
    }

    struct Finding {
        var part: String
        var name: String?
        var problem: String?
        var repair: Repair?
        /// Where a part of the sound card comes from.
        var source: Source?
        /// Whether a device can do without the part.
        var isOptional = false

        var isUsable: Bool { name != nil && problem == nil }

        var text: [String] {
            let verdict = isUsable ? "ok" : name != nil ? "unusable" : isOptional ? "none" : "missing"
            let detail =
                [name, problem].compactMap(\.self).joined(separator: ": ") + (source.map { " (\($0.rawValue))" } ?? "")
            return ["\(verdict.padded(to: 9))\(part.padded(to: max(9, part.count + 1)))\(detail)"]
                + (repair.map { ["         repair:  \($0)"] } ?? [])
        }

        var json: JSONValue {
            .object([
                ("part", .string(part)), ("found", .bool(name != nil)), ("name", .optional(name)),
                ("source", .optional(source?.rawValue)), ("problem", .optional(problem)),
                ("repair", .optional(repair?.sentence)),
            ])
        }
    }
}
