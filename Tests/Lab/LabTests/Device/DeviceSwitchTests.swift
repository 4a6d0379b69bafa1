import RingerLinux
import Testing

extension EitherTime {
    /// The way from the line's pull to the device's state.
    @Suite struct DeviceSwitchTests {
        @Test("the device finds its switch and its motor, the kernel's drivers first")
        func discovered() async throws {
            let device = try await Device.discover(.init(pcm: "null"))
            defer { device.close() }
            #expect(device.state.ringSilent == .ring)
            #expect(device.state.ringSilentSource?.contains("/dev/input/event") == true)
            #expect(device.vibrator?.name.contains(LabBoard.motorName) == true)
        }

        @Test(
            "a flip is a new state with the kernel's stamp, through the driver and through the line itself",
            arguments: [("evdev:auto", LabBoard.switchLine), ("gpio:ring-silent", LabBoard.rawSwitchLine)])
        func flip(specification: String, line: Int) async throws {
            let device = try await Device.discover(
                .init(ringSilent: try SwitchSpecification(specification), motor: MotorSpecification.none, pcm: "null"))
            defer { device.close() }
            var states = device.states.makeAsyncIterator()
            #expect(await states.next()?.ringSilent == .ring)
            for position in [SwitchPosition.silent, .ring] {
                let before = MonotonicTime.now
                try LabBoard.chip.setPull(line, position == .silent ? .up : .down)
                let state = try #require(await states.next())
                let stamp = try #require(state.ringSilentAt)
                #expect(state.ringSilent == position)
                #expect(stamp >= before && stamp <= .now)
            }
        }

        @Test("ringer watch shows the position, what else is so, then each flip, as JSON on a line of its own")
        func watch() async throws {
            let watch = try ChildProcess([RingerCommandLine.path, "watch", "--json", "--pcm", "null"])
            func line(_ number: Int) async throws -> String {
                // The command's output is a file: its growth is looked for, with a limit.
                for _ in 0..<6_000 {
                    let lines = try watch.output().split(separator: "\n")
                    if lines.count > number { return String(lines[number]) }
                    try await Task.sleep(for: .milliseconds(10))
                }
                throw LabFailure("no line \(number) in \(try watch.output())")
            }
            #expect(try await line(0).hasPrefix(#"{"ringSilent":"ring","source":"evdev"#))
            #expect(try await line(1).contains(#""event":"route""#))
            // The card's own volume, and that its inputs are there.
            #expect(try await line(2).contains(#"volume 0."#))
            #expect(try await line(3).contains(#""inputAvailable":true"#))
            #expect(try await line(7).contains(#""sessions":0"#))
            for number in 0...8 { #expect(try await line(number).contains(#""initial":true"#)) }
            try LabBoard.setSwitch(silent: true)
            #expect(try await line(9).hasPrefix(#"{"ringSilent":"silent","source":"evdev"#))
            try LabBoard.setSwitch(silent: false)
            #expect(try await line(10).contains(#""event":"position""#))
            #expect(try await !line(10).contains("initial"))
            try watch.send(15)
            #expect(try await watch.wait().status == 128 + 15)
        }
    }
}

extension VirtualTime {
    @Suite struct ThousandFlipsTests {
        @Test(
            "1,000 flips are 1,000 changes of the device, in order, none lost",
            arguments: [("evdev:auto", LabBoard.switchLine), ("gpio:ring-silent", LabBoard.rawSwitchLine)])
        func thousandFlips(specification: String, line: Int) async throws {
            let lab = try LabDevice(
                .init(ringSilent: try SwitchSpecification(specification), motor: MotorSpecification.none, pcm: "null"))
            var last = try await lab.nextPosition()
            for flip in 0..<1000 {
                try LabBoard.chip.setPull(line, flip.isMultiple(of: 2) ? .up : .down)
                let next = try await lab.nextPosition()
                #expect(next.0 == (flip.isMultiple(of: 2) ? .silent : .ring))
                #expect(next.at > last.at)
                last = next
            }
            #expect(lab.events.waiting == 0)
        }
    }
}
