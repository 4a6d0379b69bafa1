import RingerCore
import Testing

@testable import RingerLinux

@Suite struct PressedKeysTests {
    // It used to count as pressed for ever.
    @Test("a key that is held while its device disappears is released first; keys that were released are not")
    func loss() {
        let changes = ReportedChanges()
        let report = PressedKeys.releasing { changes.tell($0) }
        let error = RingerError(.disconnected, "read", "keys")
        func key(_ key: DeviceKey, _ isPressed: Bool, _ milliseconds: Int64) -> DeviceStateChange {
            .key(key, isPressed: isPressed, at: MonotonicTime(nanoseconds: milliseconds * 1_000_000))
        }
        let events = [key(.silenceRing, true, 1), key(.repeatAnnouncement, true, 2), key(.silenceRing, false, 3)]
        for event in events { report(.report(event)) }
        report(.lost(error, at: MonotonicTime(nanoseconds: 4_000_000)))
        #expect(changes.take() == events + [key(.repeatAnnouncement, false, 4), .lost(error)])
        report(.found(at: MonotonicTime(nanoseconds: 5_000_000)))
        report(.lost(error, at: MonotonicTime(nanoseconds: 6_000_000)))
        #expect(changes.take() == [.found, .lost(error)])
    }
}
