import Glibc
import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

/// The push button that moves the kept position.
@Suite final class ButtonTests: PositionTests {
    /// A device on the board, by default without a slide switch.
    private func device(
        _ button: PositionButton = .init(), hasSwitch: Bool = false, file: String? = nil
    ) throws -> Device {
        board.button.behaviour = button
        var ports = Device.Ports(simulated: board)
        if !hasSwitch { (ports.ringSilent, ports.hasButton) = (nil, true) }
        var configuration = Device.Configuration()
        configuration.positionFile = file
        return try open(ports, configuration)
    }

    private func push(for length: Duration = .milliseconds(40)) {
        board.button.press(for: length)
        clock.advance(by: length + .milliseconds(100))
    }

    @Test("a press silences what plays at once, as an edge does; the next one lets it be heard")
    func press() throws {
        let device = try device()
        #expect(device.state.ringSilent == .ring && device.state.isSwitchConnected)
        #expect(device.decide(.systemSound()).reason == .switchAtRing)
        let tone = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000))
        let outcomes = Mutex<[SoundOutcome]>([])
        try device.start(tone, category: .ambient) { result in outcomes.withLock { $0.append(result.outcome) } }
        clock.advance(by: .milliseconds(100))
        let pressed = clock.now
        board.button.press()
        #expect(device.state.ringSilent == .silent && device.state.ringSilentAt == pressed)
        clock.advance(by: .zero)
        #expect(board.speaker.playing.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(outcomes.withLock { $0 } == [.silenced(by: .ringSilentSwitch)])
        // It is held, and stuck.
        clock.advance(by: .seconds(86_400))
        #expect(device.state.ringSilent == .silent)
        board.button.release()
        clock.advance(by: .seconds(1))
        push()
        #expect(device.decide(.systemSound()).isHeard)
    }

    @Test("beside a switch presses add silence, and take away what they added")
    func besideSwitch() throws {
        let device = try device(hasSwitch: true)
        #expect(device.state.keptPosition == nil)
        push()
        #expect(device.decide(.systemSound()) == .silence(.softwareSilent))
        board.ringSilent.position = .silent
        push()
        #expect(device.decide(.systemSound()) == .silence(.ringSilentSwitch))
        board.ringSilent.position = .ring
        #expect(device.decide(.systemSound()).isHeard)
    }

    @Test("beside a switch, the loss of the button is not the switch's")
    func lostBesideSwitch() throws {
        let device = try device(hasSwitch: true)
        board.button.contact.unplug()
        #expect(device.switchProblem == nil && device.state.isSwitchConnected)
        board.button.contact.plug()
        push()
        #expect(device.state.keptPosition == .silent && device.state.ringSilent == .ring)
    }

    @Test("with cycle each press goes on by way of vibrate")
    func cycle() throws {
        let device = try device(.init(order: .cycle))
        var positions: [SwitchPosition?] = []
        for _ in 0..<4 {
            push()
            positions.append(device.state.ringSilent)
        }
        #expect(positions == [.vibrate, .silent, .ring, .vibrate])
    }

    @Test("a long press moves the position when its time is reached; a short one, or one that is cut off, does not")
    func long() throws {
        let device = try device(.init(longPress: .milliseconds(600)))
        push(for: .milliseconds(599))
        #expect(device.state.ringSilent == .ring)
        board.button.press()
        clock.advance(by: .milliseconds(300))
        board.button.contact.unplug()
        clock.advance(by: .seconds(1))
        board.button.contact.plug()
        clock.advance(by: .seconds(1))
        #expect(device.state.ringSilent == .ring)
        board.button.release()
        clock.advance(by: .seconds(1))
        let pressed = clock.now
        board.button.press()
        clock.advance(by: .milliseconds(600))
        #expect(device.state.ringSilent == .silent)
        #expect(device.state.ringSilentAt == pressed + .milliseconds(600))
        clock.advance(by: .seconds(60))
        #expect(device.state.ringSilent == .silent)
    }

    @Test("a contact that bounces at both ends makes one press")
    func bounce() throws {
        let device = try device()
        func bounce() {
            for _ in 0..<5 {
                board.button.press()
                clock.advance(by: .milliseconds(1))
                board.button.release()
                clock.advance(by: .milliseconds(2))
            }
        }
        bounce()
        board.button.press()
        clock.advance(by: .milliseconds(200))
        bounce()
        clock.advance(by: .milliseconds(200))
        #expect(device.state.ringSilent == .silent)
    }

    @Test("a button that is held at the start, or when it is back, was not pressed")
    func held() throws {
        board.button.press()
        let device = try device()
        clock.advance(by: .seconds(1))
        board.button.release()
        clock.advance(by: .seconds(1))
        #expect(device.state.ringSilent == .ring)
        push()
        #expect(device.state.ringSilent == .silent)
        board.button.contact.unplug()
        board.button.press()
        board.button.contact.plug()
        clock.advance(by: .seconds(1))
        // The position is known while the button is gone.
        #expect(device.state.ringSilent == .silent)
    }

    @Test("a press while the machine slept counts once it is awake")
    func sleep() throws {
        let device = try device()
        board.button.contact.moveUnnoticed(to: .silent)
        #expect(device.state.ringSilent == .ring)
        board.surroundings.set(.wokeFromSleep)
        #expect(device.state.ringSilent == .silent)
    }

    @Test("presses and programs take turns: each moves what the last one left, and the file has the last one")
    func together() async throws {
        let device = try device(file: file)
        push()
        try await device.togglePosition()
        #expect(device.state.ringSilent == .ring)
        try await device.setPosition(.vibrate)
        push()
        #expect(device.state.ringSilent == .ring)
        // From several threads at once: none is lost.
        let toggles = (0..<101).map { _ in Task { try await device.togglePosition() } }
        for _ in 0..<100 { push() }
        for toggle in toggles { try await toggle.value }
        #expect(device.state.ringSilent == .silent)
        device.finishKeeping()
        #expect(try TextFile.read(file) == "silent\n")
    }

    @Test("it outlasts the device; a damaged file is silent, and the next press sets it anew")
    func restart() throws {
        var device = try device(file: file)
        push()
        device.close()
        #expect(try TextFile.read(file) == "silent\n")
        device = try self.device(file: file)
        #expect(device.state.ringSilent == .silent)
        device.close()
        try folder.write("position", Array("sil".utf8))
        device = try self.device(file: file)
        #expect(device.state.ringSilent == .silent && device.positionProblem?.code == .invalid)
        push()
        device.close()
        #expect(try TextFile.read(file) == "ring\n")
    }

    @Test("a press whose position cannot be kept takes effect, and that is reported")
    func unkept() throws {
        let seen = Record<DeviceEvent>()
        var ports = Device.Ports(simulated: board)
        (ports.ringSilent, ports.hasButton) = (nil, true)
        var configuration = Device.Configuration(observer: { seen.append($0) })
        configuration.positionFile = folder.path + "/none/position"
        let device = try Device(ports, configuration: configuration)
        defer { device.close() }
        #expect(device.state.ringSilent == .silent)
        push()
        #expect(device.state.ringSilent == .ring)
        device.finishKeeping()
        clock.advance(by: .zero)
        let problems = seen.all.compactMap { if case .degraded(let error, _) = $0 { error.operation } else { nil } }
        #expect(problems.count == 2, "\(problems)")
    }

    @Test("what happens to the button is reported: presses as moves of the kept position, its loss, dropped edges")
    func reports() throws {
        let seen = Record<DeviceEvent>()
        var ports = Device.Ports(simulated: board)
        (ports.ringSilent, ports.hasButton) = (nil, true)
        let device = try Device(ports, configuration: .init(observer: { seen.append($0) }))
        push()
        board.button.contact.drop(3)
        board.button.contact.unplug()
        #expect(device.switchProblem?.code == .disconnected && !device.state.isSwitchConnected)
        #expect(device.state.ringSilent == .silent)
        board.button.contact.plug()
        #expect(device.switchProblem == nil && device.state.isSwitchConnected)
        device.close()
        let source = board.button.name
        let reports = seen.all.compactMap { event -> String? in
            switch event {
            case .stateChanged(let change, source, _):
                switch change {
                case .keptPosition(let position, _): "kept \(position?.rawValue ?? "none")"
                default: "\(change)"
                }
            case .switchMoved(let position, _, _): "moved \(position)"
            case .switchLost(_, source, _): "lost"
            case .switchFound(source, _): "found"
            case .switchEdgesDropped(let count, source, _): "dropped \(count ?? -1)"
            default: nil
            }
        }
        #expect(reports == ["kept silent", "moved silent", "dropped 3", "lost", "found"])
    }
}
