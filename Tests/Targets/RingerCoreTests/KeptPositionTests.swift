import Glibc
import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

/// What tests of the kept position need: a simulated board in virtual time, and the file that keeps the position.
class PositionTests {
    let folder: TemporaryDirectory
    let clock = VirtualClock()
    let board: SimulatedBoard
    private var devices: [Device] = []

    init() throws {
        folder = try TemporaryDirectory()
        board = SimulatedBoard(clock: clock)
    }

    deinit { devices.forEach { $0.close() } }

    /// A device that is closed after the test.
    func open(_ ports: Device.Ports, _ configuration: Device.Configuration) throws -> Device {
        devices.append(try Device(ports, configuration: configuration))
        return devices[devices.count - 1]
    }

    var file: String { folder.path + "/position" }
    func kept() throws -> String { try TextFile.read(file) }
}

/// The position that software sets.
@Suite final class KeptPositionTests: PositionTests {
    private func device(hasSwitch: Bool = true, initial: SwitchPosition = .ring) throws -> Device {
        var configuration = Device.Configuration()
        (configuration.positionFile, configuration.initialPosition) = (file, initial)
        var ports = Device.Ports(simulated: board)
        if !hasSwitch { ports.ringSilent = nil }
        return try open(ports, configuration)
    }

    @Test("it stops what it forbids at once, and is in the file when the call returns")
    func silences() async throws {
        let device = try device()
        let tone = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000))
        let outcomes = Mutex<[SoundOutcome]>([])
        try device.start(tone, category: .ambient) { result in outcomes.withLock { $0.append(result.outcome) } }
        clock.advance(by: .milliseconds(100))
        #expect(board.speaker.playing.count == 1)
        try await device.setPosition(.silent)
        clock.advance(by: .zero)
        #expect(board.speaker.playing.isEmpty && device.state.keptPosition == .silent)
        #expect(device.state.ringSilent == .ring)
        #expect(try kept() == "silent\n")
        clock.advance(by: .milliseconds(1))
        #expect(outcomes.withLock { $0 } == [.silenced(by: .softwareSilent)])
        #expect(device.decide(.alert) == .vibrate(.softwareSilent))
        try await device.togglePosition()
        #expect(device.decide(.systemSound()).isHeard)
        #expect(try kept() == "ring\n")
        board.ringSilent.position = .silent
        #expect(device.decide(.systemSound()) == .silence(.ringSilentSwitch))
        try await device.setPosition(.vibrate)
        try await device.togglePosition()
        #expect(try kept() == "ring\n")
    }

    @Test("it outlasts the device; without a file the device begins with what is configured")
    func restart() async throws {
        let first = try device(initial: .vibrate)
        #expect(first.state.keptPosition == .vibrate)
        try await first.setPosition(.silent)
        first.close()
        let second = try device(initial: .vibrate)
        #expect(second.state.keptPosition == .silent && !second.decide(.systemSound()).isHeard)
        second.close()
        let other = try Device(Device.Ports(simulated: SimulatedBoard(clock: VirtualClock())))
        #expect(other.state.keptPosition == nil)
        try await other.setPosition(.silent)
        #expect(!other.decide(.systemSound()).isHeard)
        other.close()
    }

    @Test("without a switch it is the switch's: it moves, with the time")
    func withoutSwitch() async throws {
        let device = try device(hasSwitch: false)
        #expect(device.state.ringSilent == .ring && device.state.isSwitchConnected)
        let events = device.events
        clock.advance(by: .seconds(1))
        let now = clock.now
        try await device.setPosition(.silent)
        #expect(device.state.ringSilent == .silent && device.state.ringSilentAt == now)
        #expect(device.state.ringSilentSource == "kept position")
        #expect(device.decide(.systemSound()) == .silence(.ringSilentSwitch))
        device.close()
        var moves: [SwitchPosition] = []
        for await case .switchMoved(let position, _, _) in events { moves.append(position) }
        #expect(moves == [.silent])
    }

    @Test(
        "a file that is damaged or cannot be read counts as silent, is reported, and the next position is kept",
        arguments: ["", "ring", "loud\n", "ring\nring\n", "RING\n", "\u{0}\n"])
    func damaged(_ text: String) async throws {
        try folder.write("position", Array(text.utf8))
        let device = try device()
        #expect(device.state.keptPosition == .silent)
        #expect(device.positionProblem?.subject == file && device.positionProblem?.code == .invalid)
        try await device.setPosition(.ring)
        #expect(try kept() == "ring\n")
    }

    @Test(
        "a folder in the file's place counts as silent; what cannot be written takes effect, and the call says why it is not kept"
    )
    func unwritable() async throws {
        try folder.make("position")
        let device = try device()
        #expect(device.state.keptPosition == .silent && device.positionProblem != nil)
        let error = await #expect(throws: RingerError.self) { try await device.setPosition(.vibrate) }
        #expect(error?.subject == file && error?.operation == "write")
        #expect(device.state.keptPosition == .vibrate)
    }

    // A directory that is not mounted yet counted as one without a file: ring.
    @Test(
        "where the directory is not there, or the file is a link to nothing, it counts as silent",
        arguments: [true, false])
    func missing(_ isLink: Bool) throws {
        if isLink { symlink(folder.path + "/nowhere", file) } else { rmdir(folder.path) }
        let device = try device()
        #expect(device.state.keptPosition == .silent && device.positionProblem?.subject == file)
    }

    @Test("it is moved while the device closes: the file has it when that is over, and a closed device refuses")
    func closing() async throws {
        let device = try device()
        device.setPosition(.silent) { _ in }
        device.close()
        #expect(try kept() == "silent\n")
        let error = await #expect(throws: RingerError.self) { try await device.setPosition(.ring) }
        #expect(error?.code == .closed)
        #expect(try kept() == "silent\n")
    }

    @Test("the detector measures muted, and the switch does not disagree")
    func detector() async throws {
        let device = try device()
        try await device.setPosition(.silent)
        let reading = Mutex<MuteReading?>(nil)
        device.muteDetector.measure(completion: { result in reading.withLock { $0 = result } })
        clock.advance(by: .seconds(1))
        let measured = try #require(reading.withLock { $0 })
        #expect(measured.verdict == .muted && !measured.disagreesWithSwitch)
        #expect(measured.switchPosition == .silent)
    }

    @Test("several at once: the file has the one that is in force")
    func several() async throws {
        let device = try device()
        let positions = SwitchPosition.allCases
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 { group.addTask { try? await device.setPosition(positions[number % 3]) } }
        }
        let position = try #require(device.state.keptPosition)
        #expect(try kept() == position.rawValue + "\n")
    }
}
