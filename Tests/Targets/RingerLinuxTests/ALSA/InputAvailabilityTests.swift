import RingerCore
import RingerTestKit
import Synchronization
import Testing

@testable import RingerLinux

@Suite final class InputAvailabilityTests: LoopTests {
    private var paths: HardwarePaths { HardwarePaths(sound: directory.path.appending("snd")) }

    @Test("a capture PCM makes input available, and its going ends it")
    func capture() throws {
        let told = ReportedChanges()
        let input = InputAvailability(loop: loop, paths: paths)
        try input.start { told.tell($0) }
        #expect(told.take() == [.inputAvailable(false)])
        try directory.write("", to: "snd/pcmC0D0p")
        try directory.write("", to: "snd/controlC0")
        try directory.write("", to: "snd/pcmC0D0c")
        #expect(told.next() == .inputAvailable(true))
        try directory.write("", to: "snd/pcmC1D0c")
        directory.remove("snd/pcmC0D0c")
        directory.remove("snd/pcmC1D0c")
        #expect(told.next() == .inputAvailable(false))
        directory.remove("snd")
        try directory.write("", to: "snd/pcmC0D0c")
        #expect(told.next() == .inputAvailable(true))
        input.close()
        directory.remove("snd")
        loop.sync {}
        #expect(told.take() == [])
    }

    @Test("where the device has no microphone of its own, one has to be plugged in")
    func microphone() throws {
        try directory.write("", to: "snd/pcmC0D0c")
        let told = ReportedChanges()
        let jack = SimulatedStateSource()
        let input = InputAvailability(microphones: [jack], loop: loop, paths: paths)
        try input.start { told.tell($0) }
        #expect(told.take() == [.inputAvailable(false)])
        jack.set(.microphoneInserted(true))
        #expect(told.take() == [.inputAvailable(true)])
        jack.set(.headphoneInserted(false))
        jack.set(.lost(RingerError(.disconnected, "read", "jack")))
        #expect(told.take() == [.inputAvailable(false)])
        jack.set(.found)
        jack.set(.microphoneInserted(true))
        #expect(told.take() == [.inputAvailable(true)])
        input.close()
        jack.set(.microphoneInserted(false))
        #expect(told.take() == [])
    }

    @Test("one that is watched already, or was closed, does not start again")
    func twice() throws {
        let input = InputAvailability(loop: loop, paths: paths)
        try input.start { _ in }
        #expect(throws: RingerError.self) { try input.start { _ in } }
        input.close()
        input.close()
        #expect(throws: RingerError.self) { try input.start { _ in } }
    }

    @Test(
        "a capture PCM is known by its name",
        arguments: [
            ("pcmC0D0c", true), ("pcmC12D3c", true), ("pcmC0D0p", false), ("pcmCD0c", false), ("pcmC0c", false),
            ("controlC0", false), ("pcmC0D0", false), ("pcmC0D0D1c", false), ("c", false),
        ])
    func names(name: String, expected: Bool) {
        #expect((ALSASoundInput.device(ofFile: name) != nil) == expected)
    }
}
