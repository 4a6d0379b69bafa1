import Foundation
import Glibc
import RingerLinux
import RingerTestKit
import Testing

@testable import ProcessDevice

/// The suites share the process's device.
@Suite(.serialized) enum AppleNames {}

extension AppleNames {
    @Suite struct Sounds {
        @Test func `A heard sound completes 20 ms after its last frame, to the microsecond`() throws {
            let bench = try ProcessBench()
            let (id, status) = try bench.register(frames: 792)
            #expect(status == 0)
            let notes = Notes()
            ProcessDevice.playSound(id) { notes.add("over") }
            bench.clock.advance(by: .microseconds(118_999))
            #expect(notes.all.isEmpty)
            bench.clock.advance(by: .microseconds(1))
            #expect(notes.all == ["over"])
        }

        // There was a number alone, or nothing.
        @Test func `The failure of a sound is kept, and its alert is felt`() async throws {
            let bench = try ProcessBench()
            let (id, _) = try bench.register(frames: 80)
            #expect(ProcessDevice.failure == nil)
            var none: UInt32 = 7
            #expect(ProcessDevice.createSound("/no/such.mp3", &none) == -1500 && none == 0)
            #expect(ProcessDevice.failure?.description.hasPrefix("/no/such.mp3: cannot open") == true)
            try Data("no sound".utf8).write(to: bench.directory.appending(path: "80.wav"))
            let notes = Notes()
            ProcessDevice.playSound(id, asAlert: true) { notes.add("over") }
            bench.clock.advance(by: .seconds(1))
            for _ in 0..<10_000 {
                guard notes.all.isEmpty else { break }
                try await Task.sleep(for: .milliseconds(1))
                bench.clock.advance(by: .milliseconds(1))
            }
            #expect(notes.all == ["over"] && bench.board.motor.turnCount == 1)
            let failure = try #require(ProcessDevice.failure).description
            #expect(failure.contains("80.wav: cannot decode the sound") && failure.contains("not a sound"))
        }

        @Test func `Why another sound was heard, or not all of one, is kept`() async throws {
            let bench = try ProcessBench()
            let (id, _) = try bench.register(frames: 80)
            try bench.wave(frames: 80).prefix(44 + 80).write(to: bench.directory.appending(path: "80.wav"))
            let notes = Notes()
            ProcessDevice.playSound(id) { notes.add("over") }
            for _ in 0..<10_000 {
                guard notes.all.isEmpty else { break }
                try await Task.sleep(for: .milliseconds(1))
                bench.clock.advance(by: .milliseconds(1))
            }
            #expect(bench.board.speaker.recordingCount == 1)
            let failure = try #require(ProcessDevice.failure).description
            #expect(failure.contains("80.wav: cannot play all of it"), "\(failure)")
        }

        // The first check of a program that times a clip took as long as the start of a thread and of code that never ran.
        @Test func `The first registration starts the callbacks' thread, and reports nothing`() throws {
            let bench = try ProcessBench()
            let clock = CountingClock(bench.clock)
            let notes = Notes()
            let device = try Device(
                Device.Ports(
                    clock: clock, ringSilent: bench.board.ringSilent, motor: nil, speaker: bench.board.speaker),
                configuration: Device.Configuration(observer: { notes.add("\($0)") }))
            defer { device.close() }
            ProcessDevice.use(device)
            let (calls, events) = (clock.calls, notes.all)
            let (id, status) = try bench.register(frames: 80)
            #expect(status == 0 && clock.calls == calls + 1)
            _ = try bench.register(frames: 81)
            #expect(clock.calls == calls + 1 && notes.all == events && device.sounds.underWay == 0)
            #expect(bench.board.speaker.recordingCount == 0)
            ProcessDevice.playSound(id)
            bench.clock.advance(by: .seconds(1))
            #expect(bench.board.speaker.recordingCount == 1)
            ProcessDevice.use(bench.device)
        }

        // It was -1500: the directory of the predefined sounds is not on Linux.
        @Test func `The file of a predefined sound on a phone is that sound`() throws {
            let bench = try ProcessBench()
            for name in ["new-mail.caf", "sq_alarm.caf"] {
                var id: UInt32 = 0
                #expect(ProcessDevice.createSound("/System/Library/Audio/UISounds/" + name, &id) == 0 && id > 4095)
                ProcessDevice.playSound(id)
                bench.clock.advance(by: .seconds(30))
                #expect(bench.board.speaker.recordings.last?.played ?? 0 > 0)
                #expect(ProcessDevice.disposeSound(id) == 0)
            }
            #expect(bench.board.speaker.recordingCount == 2)
            for name in ["", "none.caf", "Vibrate"] {
                var id: UInt32 = 7
                #expect(ProcessDevice.createSound("/System/Library/Audio/UISounds/" + name, &id) == -1500 && id == 0)
            }
        }

        @Test func `A sound that the switch silences completes at once`() throws {
            let bench = try ProcessBench(.silent)
            let (id, _) = try bench.register(frames: 792)
            let notes = Notes()
            #expect(ProcessDevice.setCompletion(of: id) { notes.add("of the ID") } == 0)
            ProcessDevice.playSound(id) { notes.add("of the call") }
            #expect(notes.all == ["of the ID", "of the call"])
        }

        @Test func `A sound that a flip of the switch stops completes at once`() throws {
            let bench = try ProcessBench()
            let (id, _) = try bench.register(frames: 8000)
            let notes = Notes()
            ProcessDevice.playSound(id) { notes.add("over") }
            bench.clock.advance(by: .milliseconds(250))
            bench.board.ringSilent.position = .silent
            bench.clock.advance(by: .milliseconds(10))
            #expect(notes.all == ["over"])
        }

        @Test func `Each ID has its own completion, the vibration too`() throws {
            let bench = try ProcessBench()
            let (id, _) = try bench.register(frames: 80)
            let notes = Notes()
            #expect(ProcessDevice.setCompletion(of: id) { notes.add("sound") } == 0)
            #expect(ProcessDevice.setCompletion(of: 4095) { notes.add("vibration") } == 0)
            ProcessDevice.playSound(4095)
            bench.clock.advance(by: .seconds(1))
            #expect(notes.all == ["vibration"])
            ProcessDevice.removeCompletion(of: 4095)
            ProcessDevice.playSound(4095)
            ProcessDevice.playSound(id)
            bench.clock.advance(by: .seconds(1))
            #expect(notes.all == ["vibration", "sound"])
            #expect(bench.board.motor.turnCount == 2)
        }

        @Test func `A completion that was removed, or whose sound was disposed of, is not called any more`() throws {
            let bench = try ProcessBench()
            let notes = Notes()
            for remove in [ProcessDevice.removeCompletion, { _ = ProcessDevice.disposeSound($0) }] {
                let (id, _) = try bench.register(frames: 80)
                #expect(ProcessDevice.setCompletion(of: id) { notes.add("over") } == 0)
                ProcessDevice.playSound(id)
                // The last frame was played, the completion is due.
                bench.clock.advance(by: .milliseconds(15))
                remove(id)
                bench.clock.advance(by: .seconds(1))
            }
            #expect(notes.all.isEmpty)
        }

        @Test func `A completion that is due in less than 20 ms comes when the device is closed, once`() throws {
            let bench = try ProcessBench()
            let (id, _) = try bench.register(frames: 80)
            let notes = Notes()
            ProcessDevice.playSound(id) { notes.add("over") }
            bench.clock.advance(by: .milliseconds(15))
            #expect(notes.all.isEmpty)
            bench.device.close()
            #expect(notes.all == ["over"])
            bench.clock.advance(by: .seconds(1))
            #expect(notes.all == ["over"])
        }

        @Test func `A sound that cannot be disposed of keeps its completion`() throws {
            let bench = try ProcessBench()
            let notes = Notes()
            #expect(ProcessDevice.setCompletion(of: 4095) { notes.add("over") } == 0)
            #expect(ProcessDevice.disposeSound(4095) == -1500)
            ProcessDevice.playSound(4095)
            bench.clock.advance(by: .seconds(1))
            #expect(notes.all == ["over"])
        }

        @Test func `A device that was handed in keeps no sound that was registered here`() throws {
            let bench = try ProcessBench()
            let (id, _) = try bench.register(frames: 30 * 8000)
            ProcessDevice.playSound(id)
            bench.clock.advance(by: .milliseconds(10))
            let other = try Device.simulated(SimulatedBoard(clock: bench.clock))
            defer { other.close() }
            ProcessDevice.use(other)
            bench.clock.advance(by: .milliseconds(10))
            let soundsLeft = bench.board.speaker.playing.count
            #expect(soundsLeft == 0)
            ProcessDevice.use(bench.device)
            #expect(ProcessDevice.setCompletion(of: id) {} == -1500)
        }

        @Test func `A loop of completions plays whole sounds, 20 ms apart`() throws {
            let bench = try ProcessBench()
            let (id, _) = try bench.register(frames: 8000)
            #expect(ProcessDevice.setCompletion(of: id) { ProcessDevice.playSound(id) } == 0)
            ProcessDevice.playSound(id)
            bench.clock.advance(by: .seconds(5))
            let recordings = bench.board.speaker.recordings
            #expect(recordings.map(\.played) == [8000, 8000, 8000, 8000, recordings.last?.played])
            let starts = recordings.compactMap(\.start)
            #expect(zip(starts, starts.dropFirst()).map { $1 - $0 } == Array(repeating: .milliseconds(1020), count: 4))
            #expect(ProcessDevice.disposeSound(id) == 0)
            bench.clock.advance(by: .milliseconds(20))
            let soundsLeft = bench.board.speaker.playing.count
            #expect(soundsLeft == 0)
        }

        @Test func `Results are Apple's`() throws {
            let bench = try ProcessBench()
            #expect(try bench.register(frames: 30 * 8000).status == 0)
            #expect(try bench.register(frames: 30 * 8000 + 1).status == -1502)
            var id: UInt32 = 7
            #expect(ProcessDevice.createSound("/nowhere/sound.wav", &id) == -1500)
            #expect(id == 0)
            #expect(ProcessDevice.createSound(nil, &id) == -1500)
            #expect(ProcessDevice.createSound("/nowhere", nil) == -1500)
            #expect(ProcessDevice.disposeSound(1000) == -1500)
            #expect(ProcessDevice.setCompletion(of: 999_999) {} == -1500)
        }

        @Test func `A path that is not UTF-8 is refused, not repaired into another file's`() throws {
            let bench = try ProcessBench()
            let (_, status) = try bench.register(frames: 80)
            #expect(status == 0)
            // What a repair would make of the path exists.
            let sound = bench.directory.appending(path: "80.wav").path
            let repaired = bench.directory.appending(path: "\u{FFFD}.wav").path
            #expect(link(sound, repaired) == 0)
            let path = bench.directory.path.utf8CString.dropLast() + [0x2F, -1] + ".wav".utf8CString
            var id: UInt32 = 0
            #expect(Array(path).withUnsafeBufferPointer { ProcessDevice.createSound($0.baseAddress, &id) } == -1500)
        }

        @Test func `Properties have sizes, values and errors`() throws {
            let bench = try ProcessBench()
            var (id, _) = try bench.register(frames: 80)
            let (isui, ifdi): (UInt32, UInt32) = (0x6973_7569, 0x6966_6469)
            var (size, isWritable): (UInt32, UInt8) = (0, 0)
            #expect(ProcessDevice.soundPropertyInfo(isui, 4, &id, &size, &isWritable) == 0)
            #expect(size == 4 && isWritable == 1)
            var value: UInt32 = 7
            #expect(ProcessDevice.soundProperty(isui, 4, &id, &size, &value) == 0)
            #expect(value == 1)
            value = 0
            #expect(ProcessDevice.setSoundProperty(isui, 4, &id, 4, &value) == 0)
            value = 7
            #expect(ProcessDevice.soundProperty(isui, 4, &id, &size, &value) == 0)
            #expect(value == 0)
            #expect(ProcessDevice.soundProperty(ifdi, 4, &id, &size, &value) == 0)
            #expect(value == 0)
            let (unsupported, badSize, badSpecifier): (Int32, Int32, Int32) = (0x7074_793F, 0x2173_697A, 0x2173_7063)
            #expect(ProcessDevice.soundProperty(1, 4, &id, &size, &value) == unsupported)
            #expect(ProcessDevice.soundProperty(isui, 2, &id, &size, &value) == badSpecifier)
            #expect(ProcessDevice.soundProperty(isui, 4, nil, &size, &value) == badSpecifier)
            size = 3
            #expect(ProcessDevice.soundProperty(isui, 4, &id, &size, &value) == badSize)
            #expect(ProcessDevice.setSoundProperty(isui, 4, &id, 4, nil) == badSize)
            #expect(ProcessDevice.soundPropertyInfo(isui, 4, &id, nil, nil) == 0)
        }

        @Test func `An alert is heard and felt at ring, felt at silent`() throws {
            for (position, heard) in [(SwitchPosition.ring, 1), (.silent, 0)] {
                let bench = try ProcessBench(position)
                let (id, _) = try bench.register(frames: 80)
                let notes = Notes()
                ProcessDevice.playSound(id, asAlert: true) { notes.add("over") }
                bench.clock.advance(by: .seconds(2))
                #expect(bench.board.speaker.recordingCount == heard)
                #expect(bench.board.motor.turnCount == 1)
                #expect(notes.all == ["over"])
            }
        }
    }

    @Suite struct Dispatching {
        @Test func `Callbacks wait for the program once it has asked for their descriptor`() throws {
            let callbacks = Callbacks()
            let clock = VirtualClock()
            let notes = Notes()
            callbacks.run(on: clock) { notes.add("thread") }
            #expect(notes.all == ["thread"])
            let descriptor = try callbacks.descriptor()
            #expect(try callbacks.descriptor() == descriptor)
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&poller, 1, 0) == 0)
            callbacks.run(on: clock) { notes.add("first") }
            callbacks.run(on: clock) {
                notes.add("second")
                // It waits for the next dispatch: a loop of callbacks does not keep the program.
                callbacks.run(on: clock) { notes.add("third") }
            }
            #expect(notes.all == ["thread"])
            #expect(poll(&poller, 1, 0) == 1)
            #expect(callbacks.dispatch() == 2)
            #expect(notes.all == ["thread", "first", "second"])
            #expect(poll(&poller, 1, 0) == 1)
            #expect(callbacks.dispatch() == 1)
            #expect(poll(&poller, 1, 0) == 0)
            #expect(callbacks.dispatch() == 0)
        }

        // They waited for ever: a program that slept after a run heard nothing.
        @Test func `Callbacks wait 1 s for the run loop to run again, then they have the thread until it does`() throws
        {
            let callbacks = Callbacks()
            let clock = VirtualClock()
            let notes = Notes()
            callbacks.run(on: clock) { notes.add("before any run") }
            #expect(notes.all == ["before any run"])
            var poller = pollfd(fd: try callbacks.beginRun(), events: Int16(POLLIN), revents: 0)
            callbacks.run(on: clock) { notes.add("in a run") }
            #expect(notes.all.count == 1 && poll(&poller, 1, 0) == 1 && callbacks.dispatch() == 1)
            callbacks.run(on: clock) { notes.add("left by a run") }
            callbacks.endRun()
            clock.advance(by: .milliseconds(999))
            #expect(notes.all.count == 2)
            clock.advance(by: .milliseconds(1))
            #expect(notes.all.last == "left by a run")
            callbacks.run(on: clock) { notes.add("without a run") }
            #expect(notes.all.count == 4 && poll(&poller, 1, 0) == 0)
            _ = try callbacks.beginRun()
            callbacks.endRun()
            callbacks.run(on: clock) { notes.add("between two runs") }
            clock.advance(by: .milliseconds(500))
            _ = try callbacks.beginRun()
            clock.advance(by: .seconds(1))
            #expect(notes.all.count == 4 && callbacks.dispatch() == 1)
            #expect(notes.all.last == "between two runs")
        }

        @Test func `A callback may dispatch those after it`() throws {
            let callbacks = Callbacks()
            let descriptor = try callbacks.descriptor()
            let clock = VirtualClock()
            let notes = Notes()
            callbacks.run(on: clock) {
                notes.add("first begins")
                callbacks.dispatch()
                notes.add("first ends")
            }
            callbacks.run(on: clock) { notes.add("second") }
            #expect(callbacks.dispatch() == 1)
            #expect(notes.all == ["first begins", "second", "first ends"])
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&poller, 1, 0) == 0)
        }
    }
}
