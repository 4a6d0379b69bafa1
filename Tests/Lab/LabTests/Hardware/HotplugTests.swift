import Glibc
import RingerLinux
import RingerCore
import Testing

extension EitherTime {
    @Suite struct HotplugTests {
        @Test("an unplugged input device is reported as lost; plugged in again, as found, with its position")
        func inputDevice() async throws {
            let before = try openDevices()
            do {
                var input = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
                let watched = try WatchedSwitch("evdev:auto,name=test-switch")
                #expect(try await watched.probe.nextPosition().0 == .ring)
                for isSilent in [true, true, false] {
                    try input.unplug()
                    try await expectLost(watched)
                    input = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
                    try await expectFound(watched)
                    // Reported although it did not change, because it may have been another meanwhile.
                    #expect(try await watched.probe.nextPosition().0 == .ring)
                    try input.setSwitch(SwitchCode.muteDevice, on: isSilent)
                    if isSilent { #expect(try await watched.probe.nextPosition().0 == .silent) }
                }
                #expect(watched.probe.waiting == 0)
            }
            let after = try openDevices()
            #expect(after == before)
        }

        @Test("a device of another name, or without the switch, is not taken for the one that is gone")
        func otherDevice() async throws {
            let watched = try await unpluggedSwitch()
            let other = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "other")
            let without = try VirtualInput(.switches([SwitchCode.lid]), name: "test-switch")
            watched.loop.sync {}
            #expect(watched.probe.waiting == 0)
            let right = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
            try await expectFound(watched)
            withExtendedLifetime((other, without, right)) {}
        }

        @Test("a device that is not permitted yet is found once it is")
        func permission() async throws {
            let input = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
            let link = "/dev/input/by-test/switch"
            mkdir("/dev/input/by-test", 0o755)
            defer { rmdir("/dev/input/by-test") }
            try #require(symlink(input.path, link) == 0)
            let watched = try WatchedSwitch("evdev:\(link)")
            _ = try await watched.probe.nextPosition()
            // The link goes first, and its directory after it, as udev does it.
            unlink(link)
            rmdir("/dev/input/by-test")
            try input.unplug()
            try await expectLost(watched)
            let again = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
            mkdir("/dev/input/by-test", 0o755)
            try #require(symlink(again.path, link) == 0)
            defer { unlink(link) }
            try await expectFound(watched)
            #expect(try await watched.probe.nextPosition().0 == .ring)
        }

        @Test("a removed chip is reported as lost; created again, as found, with the switch's position")
        func chip() async throws {
            let pluggable = try PluggableChip(name: "side", lines: 4, lineNames: [2: "side-switch"])
            var chip = try pluggable.plug()
            let before = try openDevices()
            do {
                let watched = try WatchedSwitch("gpio:side-switch")
                #expect(try await watched.probe.nextPosition().0 == .ring)
                for _ in 0..<3 {
                    try chip.setPull(2, .up)
                    #expect(try await watched.probe.nextPosition().0 == .silent)
                    try pluggable.unplug()
                    try await expectLost(watched)
                    chip = try pluggable.plug()
                    try await expectFound(watched)
                    #expect(try await watched.probe.nextPosition().0 == .ring)
                }
                #expect(watched.probe.waiting == 0)
            }
            let after = try openDevices()
            #expect(after == before)
        }

        @Test("a chip that comes back under another number is found by its label")
        func otherNumber() async throws {
            let first = try PluggableChip(name: "first", lines: 2)
            let second = try PluggableChip(name: "second", lines: 2)
            _ = try first.plug()
            _ = try second.plug()
            let watched = try WatchedSwitch("gpio:second:1")
            _ = try await watched.probe.nextPosition()
            try second.unplug()
            try await expectLost(watched)
            try first.unplug()
            let chip = try second.plug()
            try await expectFound(watched)
            #expect(try await watched.probe.nextPosition().0 == .ring)
            #expect(watched.port.name.contains(String(chip.devicePath.dropFirst("/dev/".count))))
            try chip.setPull(1, .up)
            #expect(try await watched.probe.nextPosition().0 == .silent)
        }

        @Test("a switch that is closed while its device is gone stays closed")
        func closedWhileGone() async throws {
            let watched = try await unpluggedSwitch()
            watched.port.close()
            let input = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
            watched.loop.sync {}
            #expect(watched.probe.waiting == 0)
            withExtendedLifetime(input) {}
        }

        @Test("jacks are reported: their current state, then changes, across unplugging and plugging")
        func jacks() async throws {
            let codes = [SwitchCode.headphoneInsert, SwitchCode.microphoneInsert]
            var input = try VirtualInput(.switches(codes), name: "test-jack")
            try input.setSwitch(codes[0], on: true)
            let loop = try EventLoop(name: "lab-jack")
            let jack = JackSource(.automatic(name: "test-jack"), loop: loop)
            let probe = Probe<DeviceStateChange>(loop)
            try jack.start { probe.tell($0) }
            #expect(probe.all == [.headphoneInserted(true), .microphoneInserted(false)])
            #expect(jack.name == "jack \(input.path) (test-jack)")
            _ = try await (probe.next(), probe.next())

            try input.setSwitch(codes[1], on: true)
            #expect(try await probe.next() == .microphoneInserted(true))
            try input.setSwitch(codes[0], on: false)
            #expect(try await probe.next() == .headphoneInserted(false))

            try input.unplug()
            guard case .lost = try await probe.next() else { throw LabFailure("the jack was not lost") }
            input = try VirtualInput(.switches(codes), name: "test-jack")
            #expect(try await probe.next() == .found)
            #expect(try await probe.next() == .headphoneInserted(false))
            #expect(try await probe.next() == .microphoneInserted(false))
            jack.close()
            loop.close()
        }

        /// A watched input device that was unplugged.
        private func unpluggedSwitch() async throws -> WatchedSwitch {
            let input = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
            let watched = try WatchedSwitch("evdev:auto,name=test-switch")
            _ = try await watched.probe.nextPosition()
            try input.unplug()
            try await expectLost(watched)
            return watched
        }

        private func expectLost(_ watched: WatchedSwitch) async throws {
            let event = try await watched.probe.next()
            guard case .lost(let error, _) = event else { throw LabFailure("\(event) instead of a loss") }
            #expect(error.code == .disconnected)
        }

        private func expectFound(_ watched: WatchedSwitch) async throws {
            let event = try await watched.probe.next()
            guard case .found = event else { throw LabFailure("\(event) instead of being found") }
        }
    }
}
