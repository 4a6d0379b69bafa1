import Dispatch
import Glibc
import RingerLinux
import RingerTestKit
import SessionProperties
import Testing

@testable import ProcessDevice

extension AppleNames {
    @Suite @MainActor struct Session {
        private static let notInitialized: Int32 = 0x2169_6E69
        private static let category: UInt32 = 0x6163_6174

        @Test func `Every call before initialising is refused, and so is a second initialising`() throws {
            let bench = try ProcessBench()
            var (size, value): (UInt32, UInt32) = (4, 0)
            #expect(ProcessDevice.setSessionActive(true) == Self.notInitialized)
            #expect(ProcessDevice.sessionPropertySize(Self.category, &size) == Self.notInitialized)
            #expect(ProcessDevice.sessionProperty(Self.category, &size, &value) { _ in nil } == Self.notInitialized)
            #expect(ProcessDevice.setSessionProperty(Self.category, 4, &value) == Self.notInitialized)
            #expect(ProcessDevice.addSessionListener(Self.category, clientData: 0) { _ in } == Self.notInitialized)
            #expect(ProcessDevice.removeSessionListeners(Self.category) == Self.notInitialized)
            #expect(ProcessDevice.initializeSession(nil) == 0)
            #expect(ProcessDevice.initializeSession(nil) == 0x696E_6974)
            #expect(ProcessDevice.setSessionActive(true) == 0)
            #expect(try ProcessDevice.session.isActive)
            _ = bench
        }

        @Test func `Properties are read and set by their codes`() throws {
            let bench = try ProcessBench()
            #expect(ProcessDevice.initializeSession(nil) == 0)
            var size: UInt32 = 0
            #expect(ProcessDevice.sessionPropertySize(Self.category, &size) == 0)
            #expect(size == 4)
            var value: UInt32 = 0
            #expect(ProcessDevice.sessionProperty(Self.category, &size, &value) { _ in nil } == 0)
            #expect(value == FourCharacterCode("solo").rawValue)
            value = FourCharacterCode("medi").rawValue
            #expect(ProcessDevice.setSessionProperty(Self.category, 4, &value) == 0)
            #expect(try ProcessDevice.session.category == .playback)
            #expect(ProcessDevice.setSessionProperty(Self.category, 3, &value) == 0x2173_697A)
            #expect(ProcessDevice.setSessionProperty(Self.category, 4, nil) == -50)
            #expect(ProcessDevice.sessionProperty(Self.category, nil, &value) { _ in nil } == -50)
            let route = FourCharacterCode("rout").rawValue
            #expect(ProcessDevice.sessionPropertySize(route, &size) == 0)
            #expect(size == 8)
            var object: UnsafeRawPointer?
            let notes = Notes()
            #expect(
                ProcessDevice.sessionProperty(route, &size, &object) { text in
                    notes.add(text)
                    return UnsafeRawPointer(bitPattern: 16)
                } == 0)
            #expect(notes.all == ["Speaker"])
            #expect(object == UnsafeRawPointer(bitPattern: 16))
            size = 4
            #expect(ProcessDevice.sessionProperty(route, &size, &object) { _ in nil } == 0x2173_697A)
            _ = bench
        }

        @Test func `Listeners get changes until they are removed, each with its client data`() async throws {
            let bench = try ProcessBench()
            #expect(ProcessDevice.initializeSession(nil) == 0)
            let volume = FourCharacterCode("chov").rawValue
            let notes = Notes()
            for data: UInt in [1, 2] {
                #expect(
                    ProcessDevice.addSessionListener(volume, clientData: data) { notes.add("\(data): \($0)") } == 0)
            }
            bench.board.surroundings.set(.outputVolume(0.5))
            try await eventually { notes.all.count == 2 }
            #expect(ProcessDevice.removeSessionListener(volume, clientData: 1) == 0)
            bench.board.surroundings.set(.outputVolume(0.25))
            try await eventually { notes.all.count == 3 }
            #expect(notes.all.sorted() == ["1: float32(0.5)", "2: float32(0.25)", "2: float32(0.5)"])
        }

        // Each call that failed wrapped the listener twice more, until the process ended when it was freed.
        @Test func `A listener stays what it is where adding another one fails again and again`() throws {
            let bench = try ProcessBench()
            #expect(ProcessDevice.initializeSession(nil) == 0)
            #expect(ProcessDevice.addSessionListener(Self.category, clientData: 0) { _ in } == 0)
            bench.device.close()
            for _ in 0..<100_000 {
                let status = ProcessDevice.addSessionListener(Self.category, clientData: 0) { _ in }
                if status == 0 { Issue.record("a closed device took a listener") }
            }
            ProcessDevice.use(nil)
        }

        @Test func `An interruption and its end are reported, and its callback activates the session`() async throws {
            let bench = try ProcessBench()
            let notes = Notes()
            #expect(
                ProcessDevice.initializeSession { state in
                    if state == 0 { notes.add("activated: \(ProcessDevice.setSessionActive(true))") }
                    notes.add("\(state)")
                } == 0)
            #expect(ProcessDevice.setSessionActive(true) == 0)
            let call = bench.device.sessions.interruptionBegan()
            try await eventually { notes.all == ["1"] }
            #expect(ProcessDevice.setSessionActive(true) == FourCharacterCode("!act").status)
            bench.device.sessions.interruptionEnded(call, shouldResume: false)
            try await eventually { notes.all.count == 3 }
            #expect(notes.all == ["1", "activated: 0", "0"])
            #expect(try ProcessDevice.session.isActive)
        }

        // Each of the two held one lock and waited for the other's.
        @Test func `A thread observes the session while another one reads it`() throws {
            for _ in 0..<200 {
                let bench = try ProcessBench()
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    if thread == 0 {
                        try? ProcessDevice.observeSession { _ in }
                    } else {
                        for _ in 0..<100 { _ = try? ProcessDevice.session }
                    }
                }
                _ = bench
            }
        }
    }
}

extension FourCharacterCode {
    fileprivate var status: Int32 { Int32(bitPattern: rawValue) }
}
