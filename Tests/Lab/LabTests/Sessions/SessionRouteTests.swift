import RingerLinux
import Testing

/// Jacks that are plugged in and pulled out, through uinput.
extension VirtualTime {
    @Suite struct SessionRouteTests {
        @Test("a headphone that is plugged in moves the route; pulled out, it stops what played through it")
        func jack() async throws {
            let codes = [SwitchCode.headphoneInsert, SwitchCode.microphoneInsert]
            let input = try VirtualInput(.switches(codes), name: "test-jack")
            let lab = try LabDevice(.init(pcm: "hw:Dummy", routes: [.headphone: "loopback"]))
            let session = lab.device.sessions.make(name: "music", category: .playback)
            try await session.activate()
            #expect(session.routeName == "Speaker")
            try input.setSwitch(codes[0], on: true)
            let plugged = try await lab.nextRoute()
            #expect(plugged == RouteChange(.newDeviceAvailable, from: .init(.speaker), to: .init(.headphone)))
            #expect(session.routeName == "Headphone" && lab.device.state.route == .headphone)

            let recorder = try LoopbackRecorder()
            async let result = session.play(SessionSoundTests.level(1000, .seconds(1)))
            let start = try await lab.nextStart()
            try await Task.sleep(for: .milliseconds(200))
            try input.setSwitch(codes[0], on: false)
            let pulled = try await lab.nextRoute()
            let at = MonotonicTime.now
            #expect(pulled == RouteChange(.oldDeviceUnavailable, from: .init(.headphone), to: .init(.speaker)))
            #expect(await result.outcome == .stopped(.oldDeviceUnavailable))
            #expect(session.isActive && session.routeName == "Speaker" && lab.device.state.route == .speaker)
            let heard = try await recorder.stop().count { $0 == 1000 }
            #expect(abs(heard - SessionSoundTests.frames(at - start)) <= 480, "\(heard)")
        }

        @Test("a microphone beside a headphone makes a headset")
        func headset() async throws {
            let codes = [SwitchCode.headphoneInsert, SwitchCode.microphoneInsert]
            let input = try VirtualInput(.switches(codes), name: "test-jack")
            try input.setSwitch(codes[0], on: true)
            let lab = try LabDevice(.init(pcm: "null"))
            let session = lab.device.sessions.make(name: "call", category: .playAndRecord)
            #expect(session.routeName == "HeadphonesAndMicrophone")
            #expect(try await lab.nextRoute().new.output == .headphone)
            try input.setSwitch(codes[1], on: true)
            #expect(try await lab.nextRoute().new.output == .headset)
            #expect(session.routeName == "HeadsetInOut")
        }
    }
}
