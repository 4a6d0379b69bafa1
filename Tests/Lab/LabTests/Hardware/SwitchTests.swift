import Glibc
import RingerLinux
import RingerCore
import Testing

private let rawLine = LabBoard.rawSwitchLine

/// The board's switches as a user names them, and how the test moves each.
enum LabSwitch: String, CaseIterable, Sendable {
    case driver = "evdev:auto"
    case lineByName = "gpio:ring-silent"
    case lineByOffset = "gpio:gpiochip0:2"
    case lineByLabel = "gpio:lab-bank:2"

    func move(to position: SwitchPosition) throws {
        let line = self == .driver ? LabBoard.switchLine : rawLine
        try LabBoard.chip.setPull(line, position == .silent ? .up : .down)
    }

    /// Whether its timestamps are those of settling, not of the last edge: the kernel debounces.
    var isStampedWhenSettled: Bool { self == .driver || LabLibrary.kernelDebounces }
}

/// Which libgpiod the tests were built with.
enum LabLibrary {
    /// With 2.x the kernel debounces, numbers edges, and reports dropped ones.
    static let kernelDebounces = GPIOSwitch.isDebouncedByKernel
}

extension EitherTime {
    @Suite struct SwitchTests {
        @Test(
            "the position is told first, then each flip of the line, with a stamp from in between",
            arguments: LabSwitch.allCases)
        func flips(_ source: LabSwitch) async throws {
            let before = MonotonicTime.now
            let watched = try WatchedSwitch(source.rawValue)
            // Told before `start` returned.
            #expect(watched.probe.waiting == 1)
            let initial = try await watched.probe.nextPosition()
            #expect(initial.0 == .ring && initial.at >= before && initial.at <= .now)

            var last = initial.at
            for position in [SwitchPosition.silent, .ring, .silent, .ring] {
                let moved = MonotonicTime.now
                try source.move(to: position)
                let told = try await watched.probe.nextPosition()
                #expect(told.0 == position)
                // Input events are stamped in whole microseconds.
                #expect(told.at > last && told.at + .microseconds(1) > moved && told.at <= .now)
                last = told.at
            }
        }

        @Test("a switch that is at silent from the start is reported so", arguments: LabSwitch.allCases)
        func initialPosition(_ source: LabSwitch) async throws {
            if source == .driver {
                try await flipDriverAndWait(to: .silent)
            } else {
                try source.move(to: .silent)
            }
            let watched = try WatchedSwitch(source.rawValue)
            #expect(try await watched.probe.nextPosition().0 == .silent)
        }

        // After a sleep the kernel has seen no edge, and knows nothing of the level.
        @Test("read anew, a line's switch tells at once where it stands, and only if that is another position")
        func reread() async throws {
            let watched = try WatchedSwitch("gpio:ring-silent,debounce=10s")
            #expect(try await watched.probe.nextPosition().0 == .ring)
            try await blocking { watched.port.reread() }
            #expect(watched.probe.waiting == 0)
            // It settles in 10 s.
            try LabSwitch.lineByName.move(to: .silent)
            try await blocking { watched.port.reread() }
            #expect(watched.probe.waiting == 1)
            #expect(try await watched.probe.nextPosition().0 == .silent)
        }

        @Test("the stamp is the kernel's own")
        func kernelStamp() async throws {
            let device = try InputDevice(named: LabBoard.switchName)
            let watched = try WatchedSwitch("evdev:\(device.path)")
            _ = try await watched.probe.nextPosition()
            try LabSwitch.driver.move(to: .silent)
            let told = try await watched.probe.nextPosition()
            let event = try await device.next(within: .seconds(5))
            #expect(told.at == MonotonicTime(nanoseconds: event.time.nanoseconds))
        }

        @Test("an active-low line, or an inverted switch, is reported the other way round")
        func polarity() async throws {
            for (specification, atLow) in [
                ("gpio:gpiochip0:8,active-low", SwitchPosition.silent), ("gpio:gpiochip0:8,inverted", .silent),
                ("gpio:gpiochip0:8,active-low,inverted", .ring), ("evdev:auto,inverted", .silent),
            ] {
                let watched = try WatchedSwitch(specification)
                #expect(try await watched.probe.nextPosition().0 == atLow)
                try LabBoard.chip.setPull(8, .up)
                try LabBoard.setSwitch(silent: true)
                #expect(try await watched.probe.nextPosition().0 == (atLow == .silent ? .ring : .silent))
                try LabBoard.chip.setPull(8, .down)
                try await flipDriverAndWait(to: .ring)
            }
        }

        @Test("the bias of a line is what the kernel is asked for", arguments: ["pull-up", "pull-down", "disabled"])
        func bias(_ bias: String) async throws {
            let watched = try WatchedSwitch("gpio:gpiochip0:9,bias=\(bias)")
            let info = try await ChildProcess.gpioinfo("gpiochip0").output
            let line = try #require(info.split(separator: "\n").first { $0.contains("line   9:") })
            let told = bias == "disabled" ? "bias-disabled" : bias
            // With quotes before gpioinfo 2.2.
            #expect(line.contains("\"ringer\"") || line.contains("consumer=ringer"), "\(line)")
            #expect(line.contains(told) || line.contains("bias=\(bias)"), "\(line)")
            withExtendedLifetime(watched) {}
        }

        @Test("a line in use is refused, and its holder named")
        func busy() async throws {
            let watched = try WatchedSwitch("gpio:ring-silent")
            let error = #expect(throws: RingerError.self) { try WatchedSwitch("gpio:gpiochip0:2") }
            #expect(error?.code == .busy)
            #expect(error?.subject == "gpiochip0 line 2")
            #expect(error?.detail == "used by \"ringer\"")
            withExtendedLifetime(watched) {}
        }

        @Test("a line that the chip does not have, and a switch that the device does not have, are errors")
        func missing() throws {
            #expect(throws: RingerError.self) { try WatchedSwitch("gpio:gpiochip0:99") }
            let motor = try InputDevice.path(named: LabBoard.motorName)
            let error = #expect(throws: RingerError.self) { try WatchedSwitch("evdev:\(motor)") }
            #expect(error?.code == .unsupported)
        }

        @Test("a closed switch has released its line, and reports nothing", arguments: LabSwitch.allCases)
        func closing(_ source: LabSwitch) async throws {
            for _ in 0..<3 {
                let watched = try WatchedSwitch(source.rawValue)
                watched.port.close()
                watched.port.close()
                try source.move(to: .silent)
                try source.move(to: .ring)
                watched.loop.sync {}
                #expect(watched.probe.all.count == 1)
            }
        }

        @Test("the handler itself may close the switch", arguments: LabSwitch.allCases)
        func closingWithin(_ source: LabSwitch) async throws {
            let loop = try EventLoop(name: "lab-switch")
            let port = try SwitchSpecification(source.rawValue).make(loop: loop)
            let probe = Probe<SwitchEvent>(loop)
            try port.start { event in
                probe.tell(event)
                if probe.all.count == 2 { port.close() }
            }
            try source.move(to: .silent)
            _ = try await probe.next()
            #expect(try await probe.nextPosition().0 == .silent)
            try source.move(to: .ring)
            // Whoever takes the line now has it: it was released when the handler returned.
            loop.sync {}
            let again = try WatchedSwitch(source.rawValue)
            _ = try await again.probe.next()
            #expect(probe.all.count == 2)
            loop.close()
        }

        @Test("opening and closing leaves no descriptor open", arguments: LabSwitch.allCases)
        func descriptors(_ source: LabSwitch) async throws {
            let loop = try EventLoop(name: "lab-switch")
            let before = try openDevices()
            for _ in 0..<3 {
                let port = try SwitchSpecification(source.rawValue).make(loop: loop)
                try port.start { _ in }
                port.close()
            }
            do {
                let port = try SwitchSpecification(source.rawValue).make(loop: loop)
                try port.start { _ in }
            }
            // Dropped without being closed, it is closed on the loop.
            loop.sync {}
            let after = try openDevices()
            #expect(after == before)
            loop.close()
        }

        private func flipDriverAndWait(to position: SwitchPosition) async throws {
            let device = try InputDevice(named: LabBoard.switchName)
            try LabSwitch.driver.move(to: position)
            while try device.isOn(switch: Int(SwitchCode.muteDevice)) != (position == .silent) {
                _ = try await device.next(within: .seconds(60))
            }
        }
    }
}

extension VirtualTime {
    @Suite struct SwitchTests {
        // The kernel's debounce timers tick at 100 Hz: the bounces of the raw line are slower than a contact's, and so is the
        // debounce time. That of gpio-keys is the board's, 10 ms.
        @Test("a burst of bounces within the debounce time is one change", arguments: [LabSwitch.driver, .lineByName])
        func burst(_ source: LabSwitch) async throws {
            let isDriver = source == .driver
            let watched = try WatchedSwitch(isDriver ? source.rawValue : "gpio:ring-silent,debounce=100ms")
            _ = try await watched.probe.nextPosition()
            for _ in 0..<7 {
                try source.move(to: .silent)
                try await Task.sleep(for: .milliseconds(isDriver ? 1 : 40))
                try source.move(to: .ring)
                try await Task.sleep(for: .milliseconds(isDriver ? 2 : 80))
            }
            let lastEdge = MonotonicTime.now
            try source.move(to: .silent)
            try await Task.sleep(for: .seconds(1))
            #expect(watched.probe.waiting == 1)
            let told = try await watched.probe.nextPosition()
            #expect(told.0 == .silent)
            // The kernel's timer is late by two ticks at most.
            let settle: Duration =
                !source.isStampedWhenSettled ? .zero : isDriver ? .milliseconds(10) : .milliseconds(100)
            let delay = told.at - lastEdge
            #expect(delay >= settle && delay <= settle + .milliseconds(30), "\(delay)")
        }

        @Test("bounces that end where they began are no change", arguments: [LabSwitch.driver, .lineByName])
        func bounceBack(_ source: LabSwitch) async throws {
            let isDriver = source == .driver
            let watched = try WatchedSwitch(isDriver ? source.rawValue : "gpio:ring-silent,debounce=100ms")
            for _ in 0..<5 {
                try source.move(to: .silent)
                try await Task.sleep(for: .milliseconds(isDriver ? 1 : 40))
                try source.move(to: .ring)
                try await Task.sleep(for: .milliseconds(isDriver ? 1 : 40))
            }
            try await Task.sleep(for: .seconds(1))
            #expect(watched.probe.all.count == 1)
        }

        @Test(
            "a thousand flips are a thousand changes, none lost, in order", arguments: [LabSwitch.driver, .lineByName])
        func thousand(_ source: LabSwitch) async throws {
            let watched = try WatchedSwitch(source.rawValue)
            // The first position has the time at which it was read.
            try await Task.sleep(for: .milliseconds(40))
            for flip in 0..<1_000 {
                try source.move(to: flip.isMultiple(of: 2) ? .silent : .ring)
                try await Task.sleep(for: .milliseconds(40))
            }
            try await Task.sleep(for: .seconds(1))
            let positions = watched.probe.all.compactMap { event -> (SwitchPosition, MonotonicTime)? in
                if case .position(let position, let at) = event { return (position, at) }
                return nil
            }
            #expect(watched.probe.all.count == 1_001 && positions.count == 1_001)
            #expect(
                positions.enumerated().allSatisfy { $0.element.0 == ($0.offset.isMultiple(of: 2) ? .ring : .silent) })
            #expect(zip(positions, positions.dropFirst()).allSatisfy { $0.1 < $1.1 })
        }
    }
}

extension EitherTime {
    @Suite struct OverflowTests {
        @Test(
            "an input device's queue that overflows is told as dropped, and the position is right",
            arguments: [200, 201])
        func inputDevice(flips: Int) async throws {
            let input = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
            let watched = try WatchedSwitch("evdev:auto,name=test-switch")
            #expect(try await watched.probe.nextPosition().0 == .ring)
            try await watched.whileUnread {
                for flip in 1...flips { try input.setSwitch(SwitchCode.muteDevice, on: !flip.isMultiple(of: 2)) }
            }
            let events = try await watched.eventsUntilQuiet()
            #expect(events.contains { if case .dropped(nil, _) = $0 { true } else { false } })
            #expect(watched.positions.last == (flips.isMultiple(of: 2) ? .ring : .silent))
            #expect(watched.isWithoutRepetition)

            // It continues as before.
            try input.setSwitch(SwitchCode.muteDevice, on: flips.isMultiple(of: 2))
            #expect(try await watched.probe.nextPosition().0 == (flips.isMultiple(of: 2) ? .silent : .ring))
        }
    }
}

extension VirtualTime {
    @Suite struct OverflowTests {
        @Test(
            "a line's queue that overflows leaves the right position, and is told where the kernel tells",
            arguments: [16, 17, 64, 200, 201], ["0", "10ms"])
        func line(flips: Int, debounce: String) async throws {
            let watched = try WatchedSwitch("gpio:ring-silent,debounce=\(debounce)")
            #expect(try await watched.probe.nextPosition().0 == .ring)
            try await watched.whileUnread {
                for flip in 1...flips {
                    try LabSwitch.lineByName.move(to: flip.isMultiple(of: 2) ? .ring : .silent)
                    try await Task.sleep(for: .milliseconds(40))
                }
            }
            let events = try await watched.eventsUntilQuiet()
            #expect(watched.positions.last == (flips.isMultiple(of: 2) ? .ring : .silent))
            #expect(watched.isWithoutRepetition)
            let dropped = events.compactMap { if case .dropped(let count, _) = $0 { count } else { nil } }
            // Kernel ABI v2 drops the oldest, and numbers them; the queue holds the newest 64.
            #expect(dropped == (LabLibrary.kernelDebounces && flips > 64 ? [flips - 64] : []))
            // Of v1's queue of 16, nothing is lost as long as it is not full.
            if flips <= (LabLibrary.kernelDebounces ? 64 : 15) { #expect(watched.positions.count == flips + 1) }

            // It continues as before.
            try LabSwitch.lineByName.move(to: flips.isMultiple(of: 2) ? .silent : .ring)
            #expect(try await watched.probe.nextPosition().0 == (flips.isMultiple(of: 2) ? .silent : .ring))
        }
    }
}

extension WatchedSwitch {
    /// The reports, once there was none for a while.
    fileprivate func eventsUntilQuiet() async throws -> [SwitchEvent] {
        var count = -1
        while count != probe.all.count {
            count = probe.all.count
            try await Task.sleep(for: .milliseconds(100))
        }
        while probe.waiting > 0 { _ = try await probe.next() }
        return probe.all
    }

    fileprivate var positions: [SwitchPosition] {
        probe.all.compactMap { if case .position(let position, _) = $0 { position } else { nil } }
    }

    fileprivate var isWithoutRepetition: Bool { zip(positions, positions.dropFirst()).allSatisfy { $0 != $1 } }
}
