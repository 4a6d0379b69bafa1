import CLabSupport
import Glibc
import RingerLinux
import Testing

/// A switch of the board that a process may not read, or whose first position takes its time.
extension VirtualTime {
    @Suite struct UnreadableSwitchTests {
        private let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

        /// Runs the command as a user with no rights but to the sound cards; errors are in the output too.
        private func runUnprivileged(_ arguments: String...) async throws -> ChildProcess.Outcome {
            for name in try KernelFile.names(in: "/dev/snd") { chmod("/dev/snd/\(name)", 0o666) }
            return try await ChildProcess(user + [RingerCommandLine.path] + arguments).wait()
        }

        private func setSwitchAndWait(silent: Bool) async throws {
            let device = try InputDevice(named: LabBoard.switchName)
            try LabBoard.setSwitch(silent: silent)
            while try device.isOn(switch: Int(SwitchCode.muteDevice)) != silent {
                _ = try await device.next(within: .seconds(60))
            }
        }

        // Used to sound at silent, without a word: a switch that could not be read counted as none.
        @Test("a process that may not read the switch does not sound, and says why", arguments: [true, false])
        func play(isSilent: Bool) async throws {
            try await setSwitchAndWait(silent: isSilent)
            let recorder = try LoopbackRecorder()
            let played = try await runUnprivileged(
                "play", "1000", "--category", "soloAmbient", "--pcm", "loopback", "--json")
            #expect(played.status == 0)
            #expect(played.output.contains(#""outcome":"silenced","by":"switchUnreadable""#), "\(played.output)")
            #expect(played.output.contains("Warning: the ring/silent switch cannot be read and counts as silent"))
            #expect(played.output.contains("60-ringer-event.rules"))
            #expect(try await recorder.stop().allSatisfy { $0 == 0 })
        }

        @Test("a process that may read the switch obeys it, without other rights", arguments: [true, false])
        func permitted(isSilent: Bool) async throws {
            try await setSwitchAndWait(silent: isSilent)
            let path = try InputDevice.path(named: LabBoard.switchName)
            try #require(chmod(path, 0o644) == 0)
            defer { chmod(path, 0o600) }
            let recorder = try LoopbackRecorder()
            let played = try await runUnprivileged(
                "play", "1000", "--category", "soloAmbient", "--pcm", "loopback", "--json")
            let expected = isSilent ? #""silenced","by":"ringSilentSwitch""# : #""finished""#
            #expect(played.output.hasPrefix(#"{"outcome":"# + expected), "\(played.output)")
            #expect(try await recorder.stop().contains { $0 != 0 } != isSilent)
        }

        // A directory that may not be searched counted as a broken file in it.
        @Test(
            "a file that may not be read is reported, a directory that may not be searched is skipped",
            arguments: [true, false])
        func sounds(mayBeSearched: Bool) async throws {
            let folders = ["/run/tmp/data", "/run/tmp/data/ringer", "/run/tmp/data/ringer/sounds"]
            let file = "\(folders[2])/new-mail.caf"
            for folder in folders { mkdir(folder, mayBeSearched ? 0o755 : 0o700) }
            close(creat(file, 0))
            defer { for folder in ([file] + folders.reversed()) { remove(folder) } }
            let played = try await ChildProcess(
                user + ["env", "XDG_DATA_HOME=\(folders[0])", RingerCommandLine.path]
                    + ["play", "1000", "--category", "playback", "--pcm", "null", "--json"]
            ).wait()
            #expect(played.output.contains(#""outcome":"finished""#), "\(played.output)")
            #expect(
                played.output.contains("\(file): cannot open: Permission denied") == mayBeSearched, "\(played.output)")
        }

        @Test("status and doctor name a switch that may not be read and the repair; watch refuses")
        func commands() async throws {
            let status = try await runUnprivileged("status", "--pcm", "null")
            #expect(
                status.output.contains("ringSilent      unknown\nswitch          unreadable\nswitchProblem   /dev/"))
            #expect(status.output.contains("alert           vibrate"), "\(status.output)")
            let doctor = try await runUnprivileged("doctor", "--pcm", "null")
            #expect(doctor.status == 1)
            let path = try InputDevice.path(named: LabBoard.switchName)
            #expect(
                doctor.output.contains(
                    "unusable switch   evdev \(path) (\(LabBoard.switchName)): it cannot be read and counts as silent: "
                        + "\(path): cannot open: Permission denied\n         repair:  groupadd"), "\(doctor.output)")
            let watch = try await runUnprivileged("watch", "--pcm", "null")
            #expect(watch.status == 1)
            #expect(watch.output.contains("cannot open: Permission denied"))
        }

        // alsa-lib says of a card that may not be opened that it is not there; the light had no repair.
        @Test(
            "doctor names the repair of a light that may not be written, and of a card that may not be opened",
            arguments: ["default", "loopback", "mixed", "hw:0"])
        func repairs(_ pcm: String) async throws {
            let files = try KernelFile.names(in: "/dev/snd").map { "/dev/snd/\($0)" }
            for file in files { chmod(file, 0o660) }
            defer { for file in files { chmod(file, 0o666) } }
            let doctor = try await ChildProcess(user + [RingerCommandLine.path, "doctor", "--pcm", pcm]).wait()
            let light =
                "/sys/class/leds/\(LabBoard.statusLightName)/brightness: cannot open for writing: Permission denied"
            #expect(
                doctor.output.contains("\(light)\n         repair:  groupadd -rf leds && usermod"), "\(doctor.output)")
            let lines = doctor.output.split(separator: "\n")
            let speaker = try #require(lines.firstIndex { $0.contains("speaker") }, "\(doctor.output)")
            #expect(lines[speaker].contains("Permission denied"), "\(doctor.output)")
            #expect(lines[speaker + 1].contains("usermod -aG audio"), "\(doctor.output)")
        }

        @Test(
            "a switch that becomes readable is picked up",
            arguments: ["evdev:auto,name=ring-silent", "slider:auto", "gpio:ring-silent", nil])
        func permission(_ specification: String?) async throws {
            let loop = try EventLoop(name: "lab-device")
            let hardware = Device.Hardware(
                ringSilent: try specification.map { try SwitchSpecification($0) }, motor: MotorSpecification.none,
                pcm: "null")
            let file = try path(of: specification)
            let mode = try mode(of: file)
            chmod(file, 0o600)
            defer { chmod(file, mode) }
            let events = Probe<DeviceEvent>(loop)
            let device = try onLoopWithoutRights(loop) { () throws(RingerError) in
                try Device(Device.Ports(hardware, loop: loop), configuration: .init(observer: { events.tell($0) }))
            }
            defer { device.close() }
            #expect(device.state.isSwitchUnreadable)
            #expect(device.switchProblem?.code == .permissionDenied)
            #expect(device.decide(.systemSound()) == .silence(.switchUnreadable))
            chmod(file, 0o666)
            while true {
                guard case .switchMoved(let position, _, _) = try await events.next() else { continue }
                #expect(position == .ring)
                break
            }
            #expect(device.state.ringSilent == .ring && !device.state.isSwitchUnreadable)
            #expect(device.switchProblem == nil)
            let problem = events.all.compactMap { if case .degraded(let error, _) = $0 { error } else { nil } }
            #expect(problem.contains { $0.subject == file && $0.detail?.contains("as root: groupadd") == true })
            #expect(events.all.contains { if case .switchFound = $0 { true } else { false } })
        }

        @Test("a line that only the device tree shows is a switch that cannot be read")
        func deviceTree() throws {
            // The board's tree without its input devices.
            let system = "/run/tmp/system"
            mkdir(system, 0o755)
            symlink("/sys/bus", "\(system)/bus")
            symlink("/sys/firmware", "\(system)/firmware")
            defer { for name in ["bus", "firmware"] { unlink("\(system)/\(name)") } }
            var paths = HardwarePaths(devices: "/nowhere", input: "/nowhere", system: "/run/tmp/system")
            let hidden = try #require(HardwareDiscovery.scan(paths).switches.first)
            #expect(hidden.specification == .gpio(.named("ring-silent")))
            #expect(hidden.name == "GPIO gpiochip0 (ring-silent)")
            #expect(hidden.problem?.error.code == .notFound)
            unlink("\(system)/bus")
            let inTree = try #require(HardwareDiscovery.scan(paths).switches.first)
            #expect(inTree.problem?.error.subject.hasSuffix("gpio-sim/bank0") == true)
            paths.system = "/nowhere"
            #expect(HardwareDiscovery.scan(paths).switches.isEmpty)
        }

        // Used to stay unreadable until something changed in /dev.
        @Test("a line that another program holds is a switch that cannot be read, until it is released")
        func held() async throws {
            let holder = try WatchedSwitch("gpio:ring-silent")
            let device = try Device.open(
                .init(ringSilent: .gpio(.named("ring-silent")), motor: MotorSpecification.none, pcm: "null"))
            defer { device.close() }
            #expect(device.state.isSwitchUnreadable)
            #expect(device.switchProblem?.code == .busy)
            #expect(device.switchProblem?.detail == "used by \"ringer\"")
            try LabBoard.chip.setPull(LabBoard.rawSwitchLine, .up)
            holder.port.close()
            for await state in device.states where !state.isSwitchUnreadable { break }
            #expect(device.state.ringSilent == .silent && device.switchProblem == nil)
        }

        // The switch was chosen once: where gpio-keys was loaded late and took the line, the device waited for it for ever.
        @Test(
            "an input device that appears while the line that was found is busy becomes the switch",
            arguments: [LabBoard.switchName, LabBoard.sliderName])
        func lateDriver(_ name: String) async throws {
            let input = "/run/tmp/late-input"
            let file = "\(input)/event0"
            mkdir(input, 0o755)
            defer {
                unlink(file)
                rmdir(input)
            }
            let holder = try WatchedSwitch("gpio:ring-silent")
            try await setSwitchAndWait(silent: true)
            try LabBoard.setSlider(.silent)
            let device = try Device.open(
                .init(
                    motor: MotorSpecification.none, pcm: "null",
                    paths: HardwarePaths(input: "/run/tmp/late-input", system: "/nowhere")))
            defer { device.close() }
            #expect(device.switchProblem?.code == .busy)
            // Something else comes first.
            symlink(try InputDevice.path(named: LabBoard.keysName), "\(input)/event1")
            defer { unlink("\(input)/event1") }
            symlink(try InputDevice.path(named: name), file)
            for await state in device.states where !state.isSwitchUnreadable { break }
            #expect(device.state.ringSilent == .silent && device.switchProblem == nil)
            #expect(device.state.ringSilentSource?.hasSuffix("\(file) (\(name))") == true)
            try await setSwitchAndWait(silent: false)
            try LabBoard.setSlider(.ring)
            for await state in device.states where state.ringSilent == .ring { break }
            // The line is another one's now.
            try LabBoard.chip.setPull(LabBoard.rawSwitchLine, .up)
            holder.port.close()
            device.rereadSwitch()
            #expect(device.state.ringSilent == .ring)
        }

        @Test("the line that was found is the switch once it is released, whatever input devices appear afterwards")
        func released() async throws {
            let input = "/run/tmp/late-input"
            mkdir(input, 0o755)
            defer {
                unlink("\(input)/event0")
                rmdir(input)
            }
            let holder = try WatchedSwitch("gpio:ring-silent")
            let device = try Device.open(
                .init(
                    motor: MotorSpecification.none, pcm: "null",
                    paths: HardwarePaths(input: "/run/tmp/late-input", system: "/nowhere")))
            defer { device.close() }
            try LabBoard.chip.setPull(LabBoard.rawSwitchLine, .up)
            holder.port.close()
            for await state in device.states where !state.isSwitchUnreadable { break }
            symlink(try InputDevice.path(named: LabBoard.switchName), "\(input)/event0")
            device.rereadSwitch()
            #expect(device.state.ringSilent == .silent)
            #expect(device.state.ringSilentSource?.hasPrefix("GPIO") == true)
        }

        // Used to return before the slider had settled: the device was at ring, whatever the slider's position.
        @Test(
            "discover, open and run know a slider's position when they return",
            arguments: LabBoard.SliderPosition.allCases)
        func slider(_ first: LabBoard.SliderPosition) async throws {
            try LabBoard.setSlider(first)
            let position: SwitchPosition = [.silent, .vibrate, .ring][first.rawValue]
            let hardware = Device.Hardware(
                ringSilent: .slider(.automatic()), motor: MotorSpecification.none, pcm: "null")
            let discovered = try await Device.discover(hardware)
            #expect(discovered.state.ringSilent == position)
            discovered.close()
            try await blocking {
                let opened = try Device.open(hardware)
                #expect(opened.state.ringSilent == position)
                opened.close()
                try Device.run(hardware) { #expect($0.state.ringSilent == position) }
            }
        }

        @Test("a slider that does not settle within a second is waited for no longer, and is unreadable until it does")
        func restless() async throws {
            let start = MonotonicTime.now
            let device = try await Device.discover(
                .init(
                    ringSilent: .slider(.automatic(), settleTime: .seconds(3)), motor: MotorSpecification.none,
                    pcm: "null"))
            defer { device.close() }
            let wait = MonotonicTime.now - start
            // Less than the 3 s that it would take to settle.
            #expect(wait >= .seconds(1) && wait < .milliseconds(1_100) + Lab.lateness * 5, "\(wait)")
            #expect(device.state.isSwitchUnreadable && device.switchProblem == nil)
            for await state in device.states where !state.isSwitchUnreadable { break }
            #expect(device.state.ringSilent == .ring)
        }

        /// The file of a switch of the board; that of the one to use first where none is named.
        private func path(of specification: String?) throws -> String {
            guard let specification else { return try InputDevice.path(named: LabBoard.switchName) }
            if specification.hasPrefix("gpio") { return "/dev/gpiochip0" }
            let isSlider = specification.hasPrefix("slider")
            return try InputDevice.path(named: isSlider ? LabBoard.sliderName : LabBoard.switchName)
        }

        private func mode(of file: String) throws -> mode_t {
            var status = stat()
            guard stat(file, &status) == 0 else { throw LabFailure.system("stat", file) }
            return status.st_mode & 0o7777
        }
    }
}

/// Runs `body` on the loop's thread, from now on without root's rights to files.
private func onLoopWithoutRights(
    _ loop: EventLoop, _ body: @escaping @Sendable () throws(RingerError) -> Device
) throws -> Device {
    try loop.run { () async throws(RingerError) -> Device in
        lab_set_file_user(65_534)
        return try body()
    }
}
