import CRinger
import Glibc
import Testing

/// What a command prints, and the status that it exits with.
func run(_ command: String) throws -> (output: String, status: Int32) {
    let pipe = try #require(popen(command + " 2>&1", "re"))
    var bytes: [UInt8] = []
    while case let byte = fgetc(pipe), byte != EOF { bytes.append(UInt8(byte)) }
    return (String(decoding: bytes, as: UTF8.self), pclose(pipe))
}

/// The folder of the built programs.
func programs() throws -> String {
    var path = [CChar](repeating: 0, count: 4096)
    try #require(readlink("/proc/self/exe", &path, path.count - 1) > 0)
    let executable = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return executable.split(separator: "/").dropLast().map { "/" + $0 }.joined()
}

/// The calling thread's last failure.
var lastError: String { String(cString: ringer_last_error()) }

/// The sizes of structures, as C's sizeof.
let eventSize = MemoryLayout<ringer_event>.stride
let notificationSize = MemoryLayout<ringer_notification>.stride

let playbackSize = MemoryLayout<ringer_playback>.stride
let alertSize = MemoryLayout<ringer_alert>.stride

/// Plays samples of one channel at 48,000 Hz, in a session or in the category playback; `change` may have more played, or other.
func play(
    _ device: OpaquePointer?, _ samples: [Int16], in session: OpaquePointer? = nil,
    _ id: UnsafeMutablePointer<UInt64>? = nil, _ change: (inout ringer_playback) -> Void = { _ in }
) -> CInt {
    samples.withUnsafeBufferPointer { samples in
        var playback = ringer_playback()
        (playback.samples, playback.frames, playback.session) = (samples.baseAddress, samples.count, session)
        (playback.category, playback.channels, playback.rate) = (RINGER_CATEGORY_PLAYBACK, 1, 48_000)
        change(&playback)
        return ringer_device_play(device, &playback, playbackSize, id)
    }
}

/// What is decided of a sound.
func decide(
    _ device: OpaquePointer?, _ kind: ringer_sound_kind, _ category: ringer_category = ringer_category(rawValue: 0),
    options: UInt32 = 0
) -> ringer_decision {
    var decision = ringer_decision()
    #expect(ringer_device_decide(device, kind, category, options, &decision, MemoryLayout<ringer_decision>.stride) == 0)
    return decision
}

/// Alerts by a system sound.
func alert(
    _ device: OpaquePointer?, _ sound: UInt32, limit: UInt32 = 0, _ id: UnsafeMutablePointer<UInt64>? = nil,
    _ change: (inout ringer_alert) -> Void = { _ in }
) -> CInt {
    var alert = ringer_alert()
    (alert.sound, alert.limit_ms) = (sound, limit)
    change(&alert)
    return ringer_device_alert(device, &alert, alertSize, id)
}

/// A device of ringer.h on the simulated board in virtual time.
final class TestDevice {
    let device: OpaquePointer?

    /// - Parameter config: Its configuration, whose board is set; nil for a new one.
    init(_ config: OpaquePointer? = nil) throws {
        let own = config == nil ? ringer_config_new() : nil
        let config = config ?? own
        defer { ringer_config_free(own) }
        #expect(ringer_config_set_board(config, RINGER_BOARD_SIMULATED) == 0)
        var device: OpaquePointer?
        #expect(ringer_device_open(config, &device) == 0)
        self.device = device
    }

    /// A simulated board, and its device.
    static func opened() throws -> (TestDevice, OpaquePointer?) {
        let bench = try TestDevice()
        return (bench, bench.device)
    }

    deinit {
        ringer_device_close(device)
    }

    func events() -> [ringer_event] {
        var events: [ringer_event] = []
        var event = ringer_event()
        while ringer_device_read_event(device, &event, eventSize) == 1 { events.append(event) }
        return events
    }

    /// The ends of sounds and alerts among the events.
    func ends() -> [ringer_event] { events().filter { $0.type == RINGER_EVENT_SOUND_ENDED } }

    func advance(milliseconds: UInt64) {
        #expect(ringer_simulated_advance(device, milliseconds * 1000) == 0)
    }

    func session(
        _ category: ringer_category, _ options: UInt32 = 0, priority: Int32 = RINGER_PRIORITY_ORDINARY
    ) throws -> OpaquePointer {
        var session: OpaquePointer?
        #expect(ringer_session_new(device, "test", category, options, priority, &session) == 0)
        return try #require(session)
    }
}
