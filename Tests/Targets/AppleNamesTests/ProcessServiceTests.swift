import AVFoundation
import ProcessDevice
import RingerLinux
import RingerClient
import RingerTestKit
import ServiceSupport
import Testing

extension AppleNames {
    /// The process's session over the service: where a service runs, a program has it there unless it says otherwise.
    @Suite @MainActor struct ServiceSession {
        private func uint32(_ property: AudioSessionPropertyID) -> UInt32? {
            var (size, value): (UInt32, UInt32) = (4, .max)
            return AudioSessionGetProperty(property, &size, &value) == 0 ? value : nil
        }

        private func float32(_ property: AudioSessionPropertyID) -> Float? {
            var (size, value): (UInt32, Float) = (4, .nan)
            return AudioSessionGetProperty(property, &size, &value) == 0 ? value : nil
        }

        private func float64(_ property: AudioSessionPropertyID) -> Double? {
            var (size, value): (UInt32, Double) = (8, .nan)
            return AudioSessionGetProperty(property, &size, &value) == 0 ? value : nil
        }

        @Test func `Properties report the service's hardware and who else plays, and listeners its death and return`()
            async throws
        {
            let bus = try TestBus()
            let first = try ServiceBench(bus: bus)
            first.board.speaker.limits.delay = .milliseconds(5)
            first.board.surroundings.set(.inputAvailable(true))
            let device = try await Device.connect(to: .address(bus.address), clock: first.clock)
            ProcessDevice.use(device)
            defer { device.close() }
            #expect(AudioSessionInitialize(nil, nil, nil, nil) == 0)
            var category = kAudioSessionCategory_PlayAndRecord
            #expect(AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, 4, &category) == 0)
            var mixes: UInt32 = 1
            #expect(AudioSessionSetProperty(kAudioSessionProperty_OverrideCategoryMixWithOthers, 4, &mixes) == 0)
            #expect(AudioSessionSetActive(true) == 0)
            #expect(float64(kAudioSessionProperty_CurrentHardwareSampleRate) == 48_000)
            #expect(uint32(kAudioSessionProperty_CurrentHardwareOutputNumberChannels) == 2)
            #expect(uint32(kAudioSessionProperty_CurrentHardwareInputNumberChannels) == 1)
            #expect(float32(kAudioSessionProperty_CurrentHardwareOutputLatency) == 0.015)
            #expect(float32(kAudioSessionProperty_CurrentHardwareInputLatency) == 0.01)
            #expect(float32(kAudioSessionProperty_CurrentHardwareIOBufferDuration) == 0.01)

            let notes = Notes()
            for (name, property) in [
                ("othr", kAudioSessionProperty_OtherAudioIsPlaying), ("died", kAudioSessionProperty_ServerDied),
            ] {
                #expect(
                    ProcessDevice.addSessionListener(property, clientData: 0) {
                        notes.add("\(name): \($0)")
                    } == 0)
            }
            #expect(uint32(kAudioSessionProperty_OtherAudioIsPlaying) == 0)
            let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 7, count: 48_000))
            try first.device.start(sound, category: .ambient)
            first.clock.advance(by: .milliseconds(50))
            try await eventually { notes.all == ["othr: uint32(1)"] }
            #expect(uint32(kAudioSessionProperty_OtherAudioIsPlaying) == 1)
            first.crash()
            try await eventually { notes.all.count == 3 }
            #expect(notes.all.dropFirst().sorted() == ["died: uint32(1)", "othr: uint32(0)"])
            let second = try ServiceBench(bus: bus)
            try await eventually { notes.all.count == 4 }
            #expect(notes.all.last == "died: uint32(0)")
            _ = second
        }
    }
}
