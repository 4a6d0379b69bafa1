@_exported import RingerCore

extension Device {
    /// The hardware that a device is made of. Each part is found automatically, or named.
    public struct Hardware: Sendable {
        /// The switch, or the push button in its place; nil for the preferred switch that is found. A switch that was named or found and cannot be opened
        /// is waited for; until it can be read it counts as ``UserPreferences/whenSwitchUnreadable``.
        public var ringSilent: SwitchSpecification?
        /// A push button beside the switch, ``SwitchSpecification/button(_:_:)``, whose presses add silence and take it away again;
        /// nil for none.
        public var button: SwitchSpecification?
        /// The motor; nil for the preferred one that is found.
        public var motor: MotorSpecification?
        /// The status light: the name of an LED in the LED class; `none` for no light, nil for the preferred one that is found.
        public var statusLight: String?
        /// The light that is lit while the device is not at ring: the name of an LED in the LED class; nil for none.
        public var silentLight: String?
        /// The PCM that sounds are played to; nil for the speaker's in the card's use-case configuration (ALSA UCM), or
        /// ALSA's `default` if the card has none.
        public var pcm: String?
        /// The routes that the board has besides a speaker and a jack, and the PCMs of routes that have their own. Routes
        /// of the card's use-case configuration are added. A board has a receiver if it is named here or there. ``UserPreferences/routesSilencedBySwitch`` says which of them the
        /// switch silences.
        public var routes: [AudioRoute: String]
        /// 1 to 99 to run the threads of the device, of its sounds and of its motor with `SCHED_FIFO`; nil for the ordinary
        /// scheduler. If the process lacks the right to it, a ``DeviceEvent/degraded(_:at:)`` is reported.
        public var realTimePriority: Int?
        /// How long a sound waits for a PCM that another process holds, trying every 20 ms: 2 s by default; zero to
        /// fail at once. ``PlaybackEvent/waiting(_:at:)`` reports the wait. Sounds of this device that share a PCM that
        /// does not mix wait for each other without limit. User-interface sounds and the mute detector's clips never
        /// wait.
        public var busyPatience: Duration
        /// How long a PCM stays open after its sound, so that the next one starts at once; at most four do.
        public var linger: Duration
        /// The sources to observe besides the switch and the jacks. None by default, since each takes one or two
        /// descriptors and some memory.
        public var following: Following
        /// The sound card whose volume and jack controls are observed: its id, such as "Dummy", or its number; nil for
        /// the card of the lowest number.
        public var card: String?
        /// The mixer's element for the output volume; nil for the one of the card's use-case configuration, or the one
        /// that is found.
        public var volumeElement: String?
        /// Whether the device has a microphone of its own. If not, there is input only while a jack reports a
        /// microphone.
        public var hasOwnMicrophone: Bool
        /// Whether the volume keys that are found, `KEY_VOLUMEUP` and `KEY_VOLUMEDOWN` of input devices that are no keyboards, change the
        /// volume of what is heard (``DeviceKey/volumeUp``).
        public var volumeKeys: Bool
        /// Where the kernel shows its devices.
        public var paths: HardwarePaths

        /// By default the hardware that is found.
        public init(
            ringSilent: SwitchSpecification? = nil, button: SwitchSpecification? = nil,
            motor: MotorSpecification? = nil, statusLight: String? = nil,
            pcm: String? = nil,
            routes: [AudioRoute: String] = [:], realTimePriority: Int? = nil, busyPatience: Duration = .seconds(2),
            linger: Duration = .seconds(2), following: Following = [], card: String? = nil,
            volumeElement: String? = nil,
            hasOwnMicrophone: Bool = true, volumeKeys: Bool = false, paths: HardwarePaths = .standard
        ) {
            self.ringSilent = ringSilent
            self.button = button
            self.motor = motor
            self.statusLight = statusLight
            self.pcm = pcm
            self.routes = routes
            self.realTimePriority = realTimePriority
            self.busyPatience = busyPatience
            self.linger = linger
            self.following = following
            self.card = card
            self.volumeElement = volumeElement
            self.hasOwnMicrophone = hasOwnMicrophone
            self.volumeKeys = volumeKeys
            self.paths = paths
        }
    }

    /// Opens the device that the kernel shows: its switch, its motor, its status light, its jacks, its keys and its speaker.
    ///
    /// A part that was not named and is not found is left out and reported as ``DeviceEvent/degraded(_:at:)``. The
    /// speaker is opened when something is played. Devices are opened on the device's own thread.
    ///
    /// The switch's position is known when this returns; it waits for a slider to settle, at most 1 s. A switch that
    /// was named or found and cannot be read, because permission is missing or it is not there yet, is reported as
    /// ``DeviceEvent/degraded(_:at:)`` and waited for; until then ``DeviceState/isSwitchUnreadable`` is true.
    ///
    /// - Parameters:
    ///   - hardware: The parts to use; by default those that are found.
    ///   - configuration: The device's behaviour.
    /// - Returns: The device.
    /// - Throws: ``RingerError`` if a motor that was named or found does not open, or if a switch's name can never be
    ///   right: an input device without that switch, a file that is not an input device.
    public static func discover(
        _ hardware: Hardware = Hardware(), configuration: Configuration = Configuration()
    ) async throws(RingerError) -> Device {
        let loop = try EventLoop(name: "ringer-device", realTimePriority: hardware.realTimePriority)
        return try await withTaskExecutorPreference(loop) { () async throws(RingerError) -> Device in
            try await make(hardware, configuration: configuration, loop: loop)
        }
    }

    /// ``discover(_:configuration:)`` for a program that is not `async`: blocks the calling thread until the device is
    /// open, at most 1 s for a slider that has to settle.
    ///
    /// The device has a thread of its own, as in ``run(_:configuration:_:)``, which is for firmware that can be `async`.
    ///
    /// - Parameters:
    ///   - hardware: The parts to use; by default those that are found.
    ///   - configuration: The device's behaviour.
    /// - Returns: The device.
    /// - Throws: ``RingerError``, as ``discover(_:configuration:)`` does.
    public static func open(
        _ hardware: Hardware = Hardware(), configuration: Configuration = Configuration()
    ) throws(RingerError) -> Device {
        let loop = try EventLoop(name: "ringer-device", realTimePriority: hardware.realTimePriority)
        return try loop.run { () async throws(RingerError) -> Device in
            try await make(hardware, configuration: configuration, loop: loop)
        }
    }

    /// Creates the device on the loop's thread, which is the caller's, and waits for the switch's first position.
    static func make(
        _ hardware: Hardware, configuration: Configuration, loop: EventLoop
    ) async throws(RingerError) -> Device {
        do throws(RingerError) {
            let device = try Device(try Ports(hardware, loop: loop), configuration: configuration)
            await device.waitForSwitch()
            return device
        } catch {
            loop.close()
            throw error
        }
    }
}

extension Device.Ports {
    /// The ports of the hardware, on `loop`, which they close when they are closed.
    ///
    /// - Throws: ``RingerError`` if a motor that was named or found cannot be used.
    public init(_ hardware: Device.Hardware, loop: EventLoop) throws(RingerError) {
        let paths = hardware.paths
        let findings = HardwareDiscovery.scan(paths)
        var problems = findings.problems.map(\.error)

        let ringSilent = hardware.ringSilent ?? findings.switches.first?.specification
        var ringSilentSwitch = ringSilent?.make(loop: loop, paths: paths, isAwaited: true)
        // The line that was found may be that of a driver which is not loaded yet.
        if hardware.ringSilent == nil, case .gpio(let line, let options) = ringSilent {
            ringSilentSwitch = FoundLineSwitch(line, options, loop: loop, paths: paths)
        }
        var buttons: [ButtonSource] = []
        if case .button(_, let options) = ringSilent, let contact = ringSilentSwitch.take() {
            buttons.append(ButtonSource(contact, options, clock: loop))
        }
        if let button = hardware.button {
            guard case .button(let contact, let options) = button else {
                throw RingerError(.invalid, "use as a button", "\"\(button)\"", detail: "it is a switch")
            }
            buttons.append(
                ButtonSource(contact.make(loop: loop, paths: paths, isAwaited: true), options, clock: loop))
        }
        if ringSilent == nil {
            problems.append(
                RingerError(
                    .notFound, "find a ring/silent switch", paths.input.string,
                    detail: "no SW_MUTE_DEVICE, no ABS_SND_PROFILE and no GPIO line named ring-silent: "
                        + "without a switch the position that software sets counts, at first ring"))
        }
        if hardware.volumeKeys && findings.volumeKeys.isEmpty {
            problems.append(
                RingerError(
                    .notFound, "find volume keys", paths.input.string,
                    detail: "no input device but keyboards has KEY_VOLUMEUP or KEY_VOLUMEDOWN"))
        }
        let motor = hardware.motor ?? findings.motors.first { $0.problem == nil }?.specification
        if motor == nil {
            problems.append(
                findings.motors.first?.problem?.error
                    ?? RingerError(
                        .notFound, "find a vibration motor", paths.input.string,
                        detail: "no force feedback, and no LED or GPIO line named vibrator"))
        }
        let light =
            hardware.statusLight ?? findings.lights.first { $0.specification != hardware.silentLight }?.specification
        if let name = hardware.silentLight, name == hardware.statusLight {
            throw RingerError(.invalid, "use as the light of silence", "LED \(name)", detail: "it is the status light")
        }
        let sound = SoundParts(hardware)
        if let problem = sound.problem { problems.append(problem) }
        let speaker = try sound.makeSpeaker(hardware)
        problems += [loop.schedulingError, speaker.schedulingError].compactMap(\.self)
        var statusLight: (any StatusLight)?
        if let light, light != "none" {
            do throws(RingerError) {
                statusLight = try LEDLight(light, paths: paths)
            } catch {
                if hardware.statusLight != nil { throw error }
                problems.append(error)
            }
        }
        let mixer =
            hardware.following.contains(.volume)
            ? MixerVolume(card: hardware.card, element: sound.volumeElement, loop: loop, paths: paths) : nil
        var setOutputVolume: (@Sendable (Float) throws(RingerError) -> Void)?
        if let mixer { setOutputVolume = { volume throws(RingerError) in try mixer.set(volume) } }
        self.init(
            clock: loop, ringSilent: ringSilentSwitch,
            motor: try motor?.make(loop: loop, paths: paths), statusLight: statusLight, speaker: speaker,
            microphone: ALSASoundInput(beside: speaker, paths: paths),
            stateSources: buttons
                + hardware.stateSources(
                    findings, sound, mixer: mixer, speaker: speaker, loop: loop,
                    followsSleep: ringSilent?.isLine == true || hardware.button?.isLine == true || motor?.isLine == true
                ),
            routes: RouteBoard(pcm: sound.pcm, routes: sound.routes),
            otherAudio: { OtherAudio(paths: paths).isPlaying() },
            setOutputVolume: setOutputVolume, problems: problems, close: { loop.close() })
        timeZone = SystemTimeZone(loop: loop)
        hasButton = !buttons.isEmpty
        if let name = hardware.silentLight { silentLight = try LEDLight(name, paths: paths) }
    }
}

extension Device.Hardware {
    /// The sources of the rest of the state: the jacks that were found, and what `following` asks for.
    fileprivate func stateSources(
        _ findings: HardwareFindings, _ sound: SoundParts, mixer: MixerVolume?, speaker: ALSASoundOutput,
        loop: EventLoop, followsSleep: Bool
    ) -> [any DeviceStateSource] {
        func jacks() -> [any DeviceStateSource] {
            if sound.hasJacks {
                return [JackControls(card: card, useCases: sound.useCases, loop: loop, paths: paths)]
            }
            let inputs = findings.jacks.map { JackSource($0.specification, loop: loop, paths: paths) }
            // If the kernel shows the jacks as input devices, the card's controls would report the same again.
            guard inputs.isEmpty && following.contains(.jackControls) else { return inputs }
            return [JackControls(card: card, loop: loop, paths: paths)]
        }
        var sources = jacks()
        for keys in findings.keys { sources.append(KeySource(keys.specification, loop: loop, paths: paths)) }
        if volumeKeys {
            for keys in findings.volumeKeys {
                sources.append(KeySource(keys.specification, volumeKeys: true, loop: loop, paths: paths))
            }
        }
        if let mixer { sources.append(mixer) }
        if following.contains(.input) {
            // Separate sources: any number of readers may read the same jack.
            let microphones = hasOwnMicrophone ? [] : jacks()
            sources.append(InputAvailability(microphones: microphones, loop: loop, paths: paths))
        }
        if following.contains(.output) { sources.append(SoundOutputWatch(speaker, loop: loop, paths: paths)) }
        // Of a line that was moved while the machine slept the kernel reports no edge, and one that drives a motor keeps its
        // level: the position and the motor are looked at anew. Drivers of the kernel do that themselves.
        if following.contains(.sleep) || followsSleep { sources.append(SleepWatch(loop: loop)) }
        return sources
    }
}

extension MotorSpecification {
    /// Whether the motor is on a GPIO line that no driver of the kernel drives.
    fileprivate var isLine: Bool { if case .gpio = self { true } else { false } }
}
