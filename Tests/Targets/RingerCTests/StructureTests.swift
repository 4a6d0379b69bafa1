import CRinger
import Glibc
import Testing

@testable import RingerC

/// A structure whose first version had two members.
private struct Grown: GrowingStructure, Equatable {
    static let firstSize = 8

    var first: UInt32 = 0
    var second: UInt32 = 0
    var appended: UInt64 = 0
}

@Suite("Structures of ringer.h")
struct StructureTests {
    // A structure had to be as large as the library's: the first member that was appended would have made every function
    // that takes it fail in each program that was compiled before.
    @Test("a program of an earlier version gets and gives what it knows")
    func earlier() throws {
        var words = [UInt32](repeating: .max, count: 6)
        try words.withUnsafeMutableBytes { bytes in
            let array = try Structure(bytes.baseAddress?.assumingMemoryBound(to: Grown.self), 8, "grown")
            array.write(Grown(first: 1, second: 2, appended: 3))
            array.write(Grown(first: 4, second: 5, appended: 6), at: 1)
        }
        #expect(words == [1, 2, 4, 5, .max, .max])
        func read(_ size: Int) throws -> Grown {
            try words.withUnsafeBytes {
                try Structure.read($0.baseAddress?.assumingMemoryBound(to: Grown.self), size, "grown")
            }
        }
        #expect(try read(8) == Grown(first: 1, second: 2))
        // Its version appended half as much.
        #expect(try read(12) == Grown(first: 1, second: 2, appended: 4))
        #expect(try read(16) == Grown(first: 1, second: 2, appended: 5 << 32 | 4))
    }

    @Test("a program of a later version gets zero for what the library does not know, and gives no more than that")
    func later() throws {
        var words = [UInt32](repeating: .max, count: 7)
        try words.withUnsafeMutableBytes { bytes in
            try Structure(bytes.baseAddress?.assumingMemoryBound(to: Grown.self), 24, "grown")
                .write(Grown(first: 1, second: 2, appended: 3))
        }
        #expect(words == [1, 2, 3, 0, 0, 0, .max])
        func read(_ size: Int) throws -> Grown {
            try words.withUnsafeBytes {
                try Structure.read($0.baseAddress?.assumingMemoryBound(to: Grown.self), size, "grown")
            }
        }
        #expect(try read(24) == Grown(first: 1, second: 2, appended: 3))
        let error = #expect(throws: Failure.self) { try read(28) }
        #expect(error?.errno == EINVAL && error?.sentence == "reserved bytes of grown are not zero")
        for size in [7, 4097, -1] { #expect(throws: Failure.self) { try read(size) } }
    }

    // What fails here when a member was appended: the test of that member goes here, the number stays.
    @Test("the first sizes are those of the structures")
    func firstSizes() {
        func isFirst<Value: GrowingStructure>(_: Value.Type) -> Bool { Value.firstSize == MemoryLayout<Value>.size }
        #expect(isFirst(ringer_behaviour.self) && isFirst(ringer_part.self))
        #expect(isFirst(ringer_effective_position.self) && ringer_state.firstSize == 32)
        #expect(MemoryLayout<ringer_state>.offset(of: \.kept_position_until) == 56)
        #expect(MemoryLayout<ringer_preferences>.offset(of: \.alarm_volume) == ringer_preferences.firstSize)
        #expect(MemoryLayout<ringer_preferences>.offset(of: \.ducking_depth) == 36)
        #expect(isFirst(ringer_decision.self) && isFirst(ringer_playback.self))
        #expect(isFirst(ringer_announcement.self) && isFirst(ringer_notification.self) && isFirst(ringer_alert.self))
        #expect(isFirst(ringer_session_state.self) && isFirst(ringer_event.self) && isFirst(ringer_recording.self))
    }
}
