import Foundation
import ProcessDevice
import RingerLinux
import RingerTestKit
import Synchronization
import Testing

/// The process's device on a simulated board in virtual time. The process has one: suites that use it run one after
/// another.
final class ProcessBench: Sendable {
    let clock = VirtualClock()
    let board: SimulatedBoard
    let device: Device
    let directory: URL

    init(_ position: SwitchPosition = .ring) throws {
        board = SimulatedBoard(clock: clock, position: position)
        device = try Device.simulated(board)
        directory = FileManager.default.temporaryDirectory.appending(path: "ringer-process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        ProcessDevice.use(device)
    }

    deinit {
        // It stays the process's until the next one: a late callback would open the machine's own.
        device.close()
        try? FileManager.default.removeItem(at: directory)
    }

    /// A file of `frames` frames at 8 kHz.
    func wave(frames: Int) throws -> Data {
        let sound = PCMBuffer(sampleRate: 8000, channels: 1, samples: Array(repeating: 1000, count: frames))
        let format = LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)
        return Data(try SoundFiles.encode(sound, container: .wave, codec: .linearPCM(format)))
    }

    /// Registers a sound of `frames` frames at 8 kHz.
    func register(frames: Int) throws -> (id: UInt32, status: Int32) {
        let file = directory.appending(path: "\(frames).wav")
        try wave(frames: frames).write(to: file)
        var id: UInt32 = 0
        let status = ProcessDevice.createSound(file.path, &id)
        return (id, status)
    }
}

/// What callbacks note.
final class Notes: Sendable {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock { $0 } }

    func add(_ note: String) {
        notes.withLock { $0.append(note) }
    }
}

/// Waits until `condition` holds: what other threads do is over soon.
@MainActor func eventually(_ condition: () -> Bool) async throws {
    for _ in 0..<60_000 {
        guard !condition() else { break }
        try await Task.sleep(for: .milliseconds(1))
    }
    let holds = condition()
    #expect(holds)
}

/// A clock that counts what is called back.
final class CountingClock: DeviceClock {
    private let clock: VirtualClock
    private let count = Mutex(0)

    init(_ clock: VirtualClock) { self.clock = clock }

    var calls: Int { count.withLock { $0 } }
    var now: MonotonicTime { clock.now }

    func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        clock.schedule(at: deadline, body)
    }

    func callBack(_ body: @escaping @Sendable () -> Void) {
        count.withLock { $0 += 1 }
        clock.callBack(body)
    }

    func runAside(_ body: @escaping @Sendable () -> Void) { clock.runAside(body) }
}
