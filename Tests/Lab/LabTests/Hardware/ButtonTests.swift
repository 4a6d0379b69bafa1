import Glibc
import RingerLinux
import Testing

private let keyMute: UInt16 = 113

/// A device whose switch is this button.
private func device(_ button: String) throws -> LabDevice {
    try LabDevice(
        .init(ringSilent: try SwitchSpecification("button:" + button), motor: MotorSpecification.none, pcm: "null"))
}

extension EitherTime {
    @Suite struct ButtonTests {
        @Test("each press of a key of gpio-keys moves the position once it is down, with the kernel's stamp")
        func driver() async throws {
            let keys = try InputDevice(named: LabBoard.keysName)
            let line = LabBoard.keyLines.silence
            let lab = try device("evdev:auto,code=KEY_MUTE,name=\(LabBoard.keysName)")
            #expect(lab.device.state.ringSilent == .ring && lab.device.switchProblem == nil)
            for position in [SwitchPosition.silent, .ring, .silent] {
                try LabBoard.chip.setPull(line, .up)
                let moved = try await lab.nextPosition()
                let event = try await keys.next(within: .seconds(60))
                #expect(moved.0 == position && moved.at == MonotonicTime(nanoseconds: event.time.nanoseconds))
                try LabBoard.chip.setPull(line, .down)
                _ = try await keys.next(within: .seconds(60))
                // Longer than the debounce time.
                try await Task.sleep(for: .milliseconds(50))
            }
        }

        @Test("each press of a line without a driver moves the position, by way of vibrate with cycle")
        func line() async throws {
            let lab = try device("gpio:gpiochip0:8,cycle")
            for position in [SwitchPosition.vibrate, .silent, .ring] {
                let before = MonotonicTime.now
                try LabBoard.chip.setPull(8, .up)
                let moved = try await lab.nextPosition()
                #expect(moved.0 == position && moved.at >= before && moved.at <= .now)
                try await Task.sleep(for: .milliseconds(100))
                try LabBoard.chip.setPull(8, .down)
                try await Task.sleep(for: .milliseconds(100))
            }
        }

        @Test("beside a switch a button adds silence, and takes it away again")
        func besideSwitch() async throws {
            let lab = try LabDevice(
                .init(
                    ringSilent: try SwitchSpecification("gpio:ring-silent"),
                    button: try SwitchSpecification("button:gpio:gpiochip0:8"), motor: MotorSpecification.none,
                    pcm: "null"))
            for position in [SwitchPosition.silent, .ring] {
                try LabBoard.chip.setPull(8, .up)
                while true {
                    guard case .stateChanged(let change, _, _) = try await lab.events.next() else { continue }
                    if change == .keptPosition(position, until: nil) { break }
                }
                #expect(lab.device.state.ringSilent == .ring)
                #expect(lab.device.decide(.systemSound()).isHeard == (position == .ring))
                try await Task.sleep(for: .milliseconds(100))
                try LabBoard.chip.setPull(8, .down)
                try await Task.sleep(for: .milliseconds(100))
            }
            let error = #expect(throws: RingerError.self) {
                try LabDevice(.init(button: .slider(.automatic()), pcm: "null"))
            }
            #expect(error?.code == .invalid)
        }

        @Test("a long press moves the position while it is held; a short one does not, however late it is read")
        func long() async throws {
            let input = try VirtualInput(.keys([keyMute]), name: "test-button")
            let lab = try device("evdev:auto,code=KEY_MUTE,name=test-button,long=200ms")
            let loop = try #require(lab.device.clock as? EventLoop)
            try loop.syncThrowing { () throws(RingerError) in
                do {
                    try input.setKey(keyMute, isPressed: true)
                    usleep(20_000)
                    try input.setKey(keyMute, isPressed: false)
                    // The press is over when the device's thread reads of it, and so is the time of a long one.
                    usleep(400_000)
                } catch {
                    throw RingerError(.system, "press", "test-button")
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            let before = MonotonicTime.now
            try input.setKey(keyMute, isPressed: true)
            // From ring: the short press moved nothing.
            let moved = try await lab.nextPosition()
            #expect(moved.0 == .silent && moved.at + .microseconds(1) > before + .milliseconds(200))
        }

        @Test("a button that is unplugged while it is held, and plugged in again, moves with its next press")
        func unplugged() async throws {
            var input = try VirtualInput(.keys([keyMute]), name: "test-button")
            let lab = try device("evdev:auto,code=KEY_MUTE,name=test-button")
            try input.setKey(keyMute, isPressed: true)
            #expect(try await lab.nextPosition().0 == .silent)
            try input.unplug()
            while true { if case .switchLost = try await lab.events.next() { break } }
            #expect(lab.device.state.ringSilent == .silent && lab.device.switchProblem != nil)
            input = try VirtualInput(.keys([keyMute]), name: "test-button")
            while true { if case .switchFound = try await lab.events.next() { break } }
            try input.setKey(keyMute, isPressed: true)
            #expect(try await lab.nextPosition().0 == .ring)
        }

        @Test("a button that is not there at the start is waited for, and a key that the device lacks is an error")
        func missing() async throws {
            let lab = try device("evdev:auto,code=KEY_MUTE,name=test-button")
            #expect(lab.device.state.ringSilent == .ring && lab.device.switchProblem?.code == .notFound)
            // A keyboard has that key, too, and letters.
            let keyboard = try VirtualInput(.keys([keyMute, 30]), name: "test-button of a keyboard")
            let input = try VirtualInput(.keys([keyMute]), name: "test-button")
            while true {
                guard case .switchFound(let source, _) = try await lab.events.next() else { continue }
                #expect(source.contains(input.path))
                break
            }
            try keyboard.setKey(keyMute, isPressed: true)
            try keyboard.setKey(keyMute, isPressed: false)
            try input.setKey(keyMute, isPressed: true)
            #expect(try await lab.nextPosition().0 == .silent)
            let path = try InputDevice.path(named: LabBoard.switchName)
            let error = #expect(throws: RingerError.self) { try device("evdev:\(path),code=KEY_MUTE") }
            #expect(error?.code == .unsupported)
        }
    }
}

extension VirtualTime {
    @Suite struct ButtonTests {
        // The kernel's debounce timers tick at 100 Hz: the bounces are slower than a contact's, and so is the debounce time.
        @Test("a line that bounces when the button is pressed and when it is released makes one press each time")
        func bounce() async throws {
            let lab = try device("gpio:gpiochip0:8,debounce=100ms")
            for position in [SwitchPosition.silent, .ring, .silent] {
                for level in [SimulatedChip.Pull.up, .down] {
                    for _ in 0..<6 {
                        try LabBoard.chip.setPull(8, level)
                        try await Task.sleep(for: .milliseconds(20))
                        try LabBoard.chip.setPull(8, level == .up ? .down : .up)
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    try LabBoard.chip.setPull(8, level)
                    if level == .up { #expect(try await lab.nextPosition().0 == position) }
                    try await Task.sleep(for: .milliseconds(400))
                }
            }
            let moves = lab.events.all.filter { if case .switchMoved = $0 { true } else { false } }
            #expect(moves.count == 3)
        }
    }
}
