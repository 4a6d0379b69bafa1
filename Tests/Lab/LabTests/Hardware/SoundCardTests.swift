import Glibc
import Synchronization
import Testing

@testable import RingerLinux

extension EitherTime {
    /// The state of a sound card: volume, input, jacks, presence, and who plays on it.
    @Suite struct SoundCardTests {
        @Test("the current volume is reported, then each change by amixer")
        func volume() async throws {
            try await setMaster("20%")
            let watched = try WatchedState { MixerVolume(card: "Dummy", loop: $0) }
            #expect(watched.probe.all == [.outputVolume(0.2)])
            #expect(watched.source.name == "volume of sound card 0")
            _ = try await watched.probe.next()
            try await setMaster("60%")
            #expect(try await watched.nextVolume() == 0.6)
            // Of two channels the louder one counts.
            try await setMaster("100%,0%")
            #expect(try await watched.nextVolume() == 1)
            try await setMaster("0%")
            #expect(try await watched.nextVolume() == 0)
        }

        @Test("a volume that is set reaches the driver and is reported before the call returns, and not again")
        func setVolume() async throws {
            try await setMaster("20%")
            let watched = try WatchedState { MixerVolume(card: "Dummy", loop: $0) }
            let mixer = try #require(watched.source as? MixerVolume)
            for volume in [0.6, 0, 1] as [Float] {
                try mixer.set(volume)
                #expect(watched.probe.all.last == .outputVolume(volume))
            }
            #expect(watched.probe.all.count == 4)
            let element = try await ChildProcess.run("amixer", "-D", "hw:Dummy", "sget", "Master")
            #expect(element.output.contains("Front Left: 100 [100%]") && element.output.contains("Front Right: 100"))
            // Changes by others are still news.
            try await setMaster("40%")
            while try await watched.nextVolume() != 0.4 {}
            #expect(watched.probe.all.count == 5)
        }

        @Test(
            "an element that comes, is switched off and goes has a volume, none to hear, and none; a volume above 0 turns it on"
        )
        func setElement() async throws {
            let watched = try WatchedState { MixerVolume(card: "Dummy", element: "Amplifier", loop: $0) }
            let mixer = try #require(watched.source as? MixerVolume)
            func failure() throws -> RingerError {
                try #require(throws: RingerError.self) { try mixer.set(1) }
            }
            #expect(
                try "\(failure())"
                    == "sound card 0: cannot set the volume: not supported "
                    + "(its mixer has no Amplifier with a playback volume)")
            #expect(try await watched.nextVolume() == nil)
            do {
                let volume = try UserControl.integer("Amplifier Playback Volume", in: 0...4)
                #expect(try await watched.nextVolume() == 0)
                try volume.set(3)
                #expect(try await watched.nextVolume() == 0.75)
                // A switch that comes is off at first.
                let power = try UserControl.boolean("Amplifier Playback Switch")
                #expect(try await watched.nextVolume() == 0)
                try power.set(1)
                #expect(try await watched.nextVolume() == 0.75)
                #expect(
                    try "\(failure())"
                        == "sound card 0: cannot set the volume of Amplifier: Operation not permitted")
                #expect(watched.probe.all.last == .outputVolume(0.75))
                try volume.unlock()
                try power.unlock()
                try power.set(0)
                while watched.probe.all.last != .outputVolume(0) { _ = try await watched.nextVolume() }
                try mixer.set(0.5)
                #expect(watched.probe.all.last == .outputVolume(0.5))
                withExtendedLifetime((volume, power)) {}
            }
            while try await watched.nextVolume() != nil {}
            // A missing element and a missing card are errors by name.
            try await SoundCardDriver.dummy.whileUnplugged {
                while try failure().code != .notFound { try await Task.sleep(for: .milliseconds(5)) }
                #expect(try "\(failure())" == "volume of sound card 0: cannot set the volume: not found")
            }
        }

        @Test("other elements of the mixer, and the same volume again, are no news")
        func noNews() async throws {
            try await setMaster("20%")
            let watched = try WatchedState { MixerVolume(card: "0", element: "Master", loop: $0) }
            _ = try await watched.probe.next()
            let other = try await ChildProcess.run("amixer", "-q", "-D", "hw:Dummy", "sset", "CD", "10%")
            #expect(other.status == 0)
            try await setMaster("20%")
            try await setMaster("40%")
            #expect(try await watched.nextVolume() == 0.4)
        }

        @Test("a card that disappears has no volume, and releases its driver; when back, it is reported again")
        func cardGoes() async throws {
            try await setMaster("20%")
            let watched = try WatchedState { MixerVolume(card: "Dummy", loop: $0) }
            _ = try await watched.probe.next()
            for _ in 0..<3 {
                try await SoundCardDriver.dummy.whileUnplugged {
                    guard case .lost(let error) = try await watched.probe.next() else {
                        throw LabFailure("the card was not lost")
                    }
                    #expect(error.code == .disconnected)
                    #expect(try await watched.nextVolume() == nil)
                    #expect(watched.probe.waiting == 0)
                }
                try await watched.expect(.found)
                _ = try await watched.nextVolume()
            }
            try await setMaster("80%")
            #expect(try await watched.nextVolume() == 0.8)
        }

        @Test("a card that is missing at the start is awaited")
        func awaited() async throws {
            var watched: WatchedState?
            try await SoundCardDriver.dummy.whileUnplugged {
                let early = try WatchedState { MixerVolume(card: "Dummy", loop: $0) }
                guard case .lost(let error) = try await early.probe.next() else { throw LabFailure("found too early") }
                #expect(error.code == .notFound)
                #expect(try await early.nextVolume() == nil)
                watched = early
            }
            let late = try #require(watched)
            #expect(try await late.probe.next() == .found)
            #expect(try await late.nextVolume() != nil)
        }

        @Test("jack controls are reported: their current state, changes, additions and removals")
        func jackControls() async throws {
            let headphone = try UserControl.boolean("Headphone Jack")
            try headphone.set(1)
            let phantom = try UserControl.boolean("Mic Phantom Jack")
            let watched = try WatchedState { JackControls(card: "Dummy", loop: $0) }
            #expect(watched.probe.all == [.headphoneInserted(true)])
            _ = try await watched.probe.next()
            try headphone.set(0)
            try await watched.expect(.headphoneInserted(false))
            try phantom.set(1)
            do {
                let microphone = try UserControl.boolean("Mic Jack")
                try await watched.expect(.microphoneInserted(false))
                try microphone.set(1)
                try await watched.expect(.microphoneInserted(true))
                withExtendedLifetime(microphone) {}
            }
            try await watched.expect(.microphoneInserted(false))
            #expect(watched.probe.waiting == 0)
            withExtendedLifetime((headphone, phantom)) {}
        }

        @Test("input is available while a card with a capture PCM is there")
        func input() async throws {
            let watched = try WatchedState { InputAvailability(loop: $0) }
            try await watched.expect(.inputAvailable(true))
            try await SoundCardDriver.loopback.whileUnplugged {
                #expect(watched.probe.waiting == 0)
                try await SoundCardDriver.dummy.whileUnplugged {
                    try await watched.expect(.inputAvailable(false))
                }
                try await watched.expect(.inputAvailable(true))
            }
        }

        @Test("without a microphone of its own, a device has input while one is plugged in")
        func microphone() async throws {
            let input = try VirtualInput(.switches([SwitchCode.microphoneInsert]), name: "test-jack")
            let watched = try WatchedState { loop in
                InputAvailability(microphones: [JackSource(.automatic(name: "test-jack"), loop: loop)], loop: loop)
            }
            try await watched.expect(.inputAvailable(false))
            try input.setSwitch(SwitchCode.microphoneInsert, on: true)
            try await watched.expect(.inputAvailable(true))
            try input.unplug()
            try await watched.expect(.inputAvailable(false))
        }

        @Test("another process's sound is heard of, and this one's is not, whichever thread opened it")
        func otherAudio() async throws {
            let other = OtherAudio()
            #expect(!other.isPlaying())
            do {
                let format = ["-q", "-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "2"]
                let player = try ChildProcess(["aplay", "-D", "hw:Dummy"] + format + ["/dev/zero"])
                try await until("aplay plays") { other.isPlaying() }
                withExtendedLifetime(player) {}
            }
            try await until("aplay is gone") { !other.isPlaying() }

            let watched = try PlayedSound()
            watched.play(seconds: 60)
            guard case .started = try await watched.probe.next() else { throw LabFailure("the sound did not start") }
            #expect(!other.isPlaying())
            #expect(other.isPlaying(excluding: 1))
            watched.output.close()
            #expect(!other.isPlaying(excluding: 1))
        }

        @Test("an output whose card goes while it plays is lost, and is back with the card")
        func outputLost() async throws {
            let sound = try PlayedSound()
            let watched = try WatchedState { SoundOutputWatch(sound.output, loop: $0) }
            try await watched.expect(.outputLost(false))
            // Only what was open once can be lost.
            sound.play(seconds: 60)
            for _ in 0..<2 {
                while try await sound.probe.next(within: .seconds(20)).isStart == false {}
                try await SoundCardDriver.dummy.whileUnplugged {
                    try await watched.expect(.outputLost(true))
                }
                try await watched.expect(.outputLost(false))
                sound.play(seconds: 60)
            }
        }

        @Test("setting the clock is no sleep, and a sleep meanwhile is reported")
        func sleep() async throws {
            let clocks = Mutex(ClockReading(before: 0, after: 1_000, sinceBoot: 500))
            let loop = try EventLoop(name: "lab-sleep")
            defer { loop.close() }
            let reads = Probe<Void>(loop)
            let told = Probe<DeviceStateChange>(loop)
            let watch = SleepWatch(loop: loop) {
                reads.tell(())
                return clocks.withLock { $0 }
            }
            defer { watch.close() }
            try watch.start { told.tell($0) }
            _ = try await (reads.next(), reads.next())

            for hours in [1, -1] {
                try setClock(ahead: hours * 3600)
                try await reads.next()
                loop.sync {}
                #expect(told.waiting == 0)
            }
            clocks.withLock { $0.sinceBoot += 8_000_000_000 }
            try setClock(ahead: 8)
            try await reads.next()
            #expect(try await told.next() == .wokeFromSleep)
            try setClock(ahead: -8)
            try await reads.next()
            loop.sync {}
            #expect(told.waiting == 0)
        }

        @Test("a device follows what it is asked to, and status shows it")
        func device() async throws {
            try await setMaster("60%")
            let quiet = try await Device.discover(.init(pcm: "null"))
            #expect(quiet.state.outputVolume == nil && quiet.state.isInputAvailable == nil)
            quiet.close()
            let device = try await Device.discover(.init(pcm: "null", following: .all, card: "Dummy"))
            defer { device.close() }
            #expect(device.state.outputVolume == 0.6)
            #expect(device.state.isInputAvailable == true)
            let status = try await ChildProcess.run(RingerCommandLine.path, "status", "--json", "--pcm", "null")
            #expect(status.output.contains(#""outputVolume":0.6,"inputAvailable":true"#))
            let doctor = try await ChildProcess.run(RingerCommandLine.path, "doctor", "--pcm", "null")
            #expect(doctor.output.contains("ok       volume   volume of sound card 0: 60 %"))
            #expect(doctor.output.contains("ok       input    capture PCMs in /dev/snd"))
        }

        @Test(
            "doctor looks at the PCM that the plug-in plays to, and explains a card's name without an exclamation mark",
            arguments: [
                ("", nil, nil),
                ("pcm.ringer_output mixed", "ok       plug-in  ALSA ringer_output: 48000 Hz", nil),
                (
                    "pcm.ringer_output { type hw card Missing }",
                    "missing  plug-in  PCM ringer_output: cannot open: No such",
                    "pcm.!ringer_output in /etc/asound.conf"
                ),
                (
                    "defaults.pcm.card 0\ndefaults.pcm.card Loopback",
                    "missing  speaker  PCM null: cannot open: Invalid",
                    "write defaults.pcm.!card NAME"
                ),
            ] as [(String, String?, String?)])
        func doctor(configuration: String, line: String?, repair: String?) async throws {
            let package = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()
            let file = "\(Lab.temporaryFolder)/doctor.conf"
            try write(Array("<\(package)/lab/ringer_lab/machine/asound.conf>\n\(configuration)\n".utf8), to: file)
            let doctor = try await ChildProcess.run(
                "env", "ALSA_CONFIG_PATH=\(file)", RingerCommandLine.path, "doctor", "--pcm", "null")
            let lines = doctor.output.split(separator: "\n")
            guard let line else {
                #expect(!doctor.output.contains("plug-in"), "\(doctor.output)")
                return
            }
            let index = try #require(lines.firstIndex { $0.hasPrefix(line) }, "\(doctor.output)")
            if let repair { #expect(lines[index + 1].contains(repair), "\(doctor.output)") }
        }

        @Test("what follows a card leaves no descriptor open")
        func descriptors() async throws {
            let before = try openDevices()
            for _ in 0..<3 {
                let device = try await Device.discover(.init(pcm: "null", following: .all))
                device.close()
            }
            let after = try openDevices()
            #expect(after == before)
        }

        private func setMaster(_ volume: String) async throws {
            let set = try await ChildProcess.run("amixer", "-q", "-D", "hw:Dummy", "sset", "Master", volume)
            guard set.status == 0 else { throw LabFailure("amixer: \(set.output)") }
        }

        private func setClock(ahead seconds: Int) throws {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            time.tv_sec += .init(seconds)
            guard clock_settime(CLOCK_REALTIME, &time) == 0 else { throw LabFailure.system("clock_settime") }
        }

        /// Polls for what the kernel does not report, with a time limit.
        private func until(_ what: String, _ isSo: () -> Bool) async throws {
            for _ in 0..<6_000 {
                if isSo() { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw LabFailure("not within 60 s: \(what)")
        }
    }
}

extension PlaybackEvent {
    fileprivate var isStart: Bool {
        if case .started = self { return true }
        return false
    }
}

/// A state source that is being watched, and its reports.
private final class WatchedState: Sendable {
    let loop: EventLoop
    let source: any DeviceStateSource
    let probe: Probe<DeviceStateChange>

    init(_ make: (EventLoop) -> any DeviceStateSource) throws {
        loop = try EventLoop(name: "lab-state")
        source = make(loop)
        let probe = Probe<DeviceStateChange>(loop)
        self.probe = probe
        do {
            try source.start { probe.tell($0) }
        } catch {
            loop.close()
            throw error
        }
    }

    deinit {
        source.close()
        loop.close()
    }

    /// Expects `change` to be what comes next.
    func expect(_ change: DeviceStateChange, at location: SourceLocation = #_sourceLocation) async throws {
        let next = try await probe.next()
        #expect(next == change, sourceLocation: location)
    }

    /// What comes next, which has to be a volume.
    func nextVolume() async throws -> Float? {
        let change = try await probe.next()
        guard case .outputVolume(let volume) = change else { throw LabFailure("\(change) instead of a volume") }
        return volume
    }
}

/// Silence on the card without an output.
private final class PlayedSound: Sendable {
    let output: ALSASoundOutput
    let probe: Probe<PlaybackEvent>
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop(name: "lab-clock")
        output = try ALSASoundOutput(pcm: "default", linger: .zero)
        probe = Probe(loop)
    }

    deinit {
        output.close()
        loop.close()
    }

    func play(seconds: Int) {
        let sound = PCMBuffer.silence(duration: .seconds(seconds))
        _ = output.play(sound, PlaybackOptions()) { [probe] event in probe.tell(event) }
    }
}
