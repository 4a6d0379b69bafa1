import RingerLinux
import RingerCore
import Testing

extension EitherTime {
    @Suite struct SliderTests {
        @Test(
            "the slider's positions are reported, the first one included", arguments: LabBoard.SliderPosition.allCases)
        func positions(_ first: LabBoard.SliderPosition) async throws {
            try LabBoard.setSlider(first)
            let watched = try WatchedSwitch("slider:auto")
            // What the driver remembers, and the 0 that it says while it looks, are not believed.
            #expect(watched.probe.waiting == 1)
            #expect(try await watched.probe.nextPosition().0 == first.position)
            for next in LabBoard.SliderPosition.allCases where next != first {
                try LabBoard.setSlider(nil)
                try LabBoard.setSlider(next)
                #expect(try await watched.probe.nextPosition().0 == next.position)
            }
            #expect(watched.probe.waiting == 0)
        }

        @Test("a slider that is unplugged and plugged in again reports its position")
        func hotplug() async throws {
            var input = try VirtualInput(.axis(AxisCode.soundProfile, maximum: 2, value: 2), name: "test-slider")
            let watched = try WatchedSwitch("slider:auto,name=test-slider,settle=20ms")
            #expect(try await watched.probe.nextPosition().0 == .ring)
            try input.unplug()
            guard case .lost = try await watched.probe.next() else { throw LabFailure("the slider was not lost") }
            input = try VirtualInput(.axis(AxisCode.soundProfile, maximum: 2, value: 1), name: "test-slider")
            guard case .found = try await watched.probe.next() else { throw LabFailure("the slider was not found") }
            #expect(try await watched.probe.nextPosition().0 == .vibrate)
            withExtendedLifetime(input) {}
        }
    }
}

extension VirtualTime {
    @Suite struct SliderTests {
        @Test("a position counts after its settle time, with the stamp of its arrival")
        func settleTime() async throws {
            let input = try VirtualInput(.axis(AxisCode.soundProfile, maximum: 2, value: 2), name: "test-slider")
            let watched = try WatchedSwitch("slider:auto,name=test-slider")
            #expect(try await watched.probe.nextPosition().0 == .ring)

            // Through 0, which is silent, to the middle.
            try input.setAxis(AxisCode.soundProfile, to: 0)
            try await Task.sleep(for: .milliseconds(30))
            let arrival = MonotonicTime.now
            try input.setAxis(AxisCode.soundProfile, to: 1)
            try await Task.sleep(for: .milliseconds(49))
            #expect(watched.probe.waiting == 0)
            try await Task.sleep(for: .milliseconds(2))
            #expect(watched.probe.waiting == 1)
            let told = try await watched.probe.nextPosition()
            #expect(told.0 == .vibrate)
            let delay = told.at - arrival
            #expect(delay > .milliseconds(-1) && delay < .milliseconds(1))
        }

        @Test("a slider that goes away and comes back within its settle time has not moved")
        func backAgain() async throws {
            let input = try VirtualInput(.axis(AxisCode.soundProfile, maximum: 2, value: 2), name: "test-slider")
            let watched = try WatchedSwitch("slider:auto,name=test-slider")
            for value in [0, 1, 0, 2] as [Int32] {
                try input.setAxis(AxisCode.soundProfile, to: value)
                try await Task.sleep(for: .milliseconds(40))
            }
            try await Task.sleep(for: .seconds(1))
            #expect(watched.probe.all.count == 1)
        }
    }
}

extension LabBoard.SliderPosition {
    fileprivate var position: SwitchPosition {
        switch self {
        case .silent: .silent
        case .vibrate: .vibrate
        case .ring: .ring
        }
    }
}
