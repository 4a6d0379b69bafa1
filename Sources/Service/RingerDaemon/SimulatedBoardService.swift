import RingerCore
import RingerBus
import RingerTestKit

/// Answers `org.ringer.SimulatedBoard1` for a simulated board. It runs on the event loop's thread.
package final class SimulatedBoardService {
    private let board: SimulatedBoard
    private let loop: EventLoop

    package init(_ board: SimulatedBoard, loop: EventLoop) {
        self.board = board
        self.loop = loop
    }

    func value(of property: String) -> BusValue {
        .string(board.clock is VirtualClock ? "virtual" : "real")
    }

    /// Answers a call; the completion takes the reply's values.
    func call(
        _ member: String, _ arguments: [BusValue], isBusy: @escaping () -> Bool,
        _ completion: @escaping ([BusValue]) -> Void
    ) throws(BusError) {
        // Lists are as long as a client reads of one message: BusMessage.valueLimit.
        switch member {
        case "SetSwitch":
            guard let position = arguments[0].string.flatMap(SwitchPosition.init(rawValue:)) else {
                throw .invalidArguments("SetSwitch: a position is ring, vibrate or silent")
            }
            board.ringSilent.position = position
        case "SetJack":
            let isInserted = arguments[1].boolean ?? false
            switch arguments[0].string {
            case "headphone": board.surroundings.set(.headphoneInserted(isInserted))
            case "microphone": board.surroundings.set(.microphoneInserted(isInserted))
            default: throw .invalidArguments("SetJack: a jack is headphone or microphone")
            }
        case "SetVolume":
            guard let volume = arguments[0].double, (0...1).contains(volume) else {
                throw .invalidArguments("SetVolume: a volume is 0 to 1")
            }
            board.surroundings.set(.outputVolume(Float(volume)))
        case "SetInputAvailable": board.surroundings.set(.inputAvailable(arguments[0].boolean ?? false))
        case "PressKey":
            guard let key = arguments[0].string.flatMap(DeviceKey.init(rawValue:)) else {
                throw .invalidArguments("PressKey: a key is repeat, silence, volumeUp or volumeDown")
            }
            board.keys.press(key)
            board.keys.release(key)
        case "PressButton":
            guard case .uint32(let milliseconds) = arguments[0] else { break }
            board.button.press(for: .milliseconds(Int64(milliseconds)))
        case "SetFault": try setFault(arguments[0].string ?? "", arguments[1].string ?? "")
        case "SetWallTime":
            guard case .uint64(let microseconds) = arguments[0], microseconds <= 1 << 52 else {
                throw .invalidArguments("SetWallTime: more than 2^52 microseconds")
            }
            try virtualClock("set the wall clock").setWallTime(.microseconds(Int64(microseconds)))
            return settle(isBusy) { completion([]) }
        case "SetTimeZone":
            do throws(RingerError) {
                try board.timeZone.set(arguments[0].string ?? "")
            } catch {
                throw .invalidArguments("SetTimeZone: \(error)")
            }
            return settle(isBusy) { completion([]) }
        case "Advance":
            guard case .uint64(let microseconds) = arguments[0], microseconds <= 1 << 50 else {
                throw .invalidArguments("Advance: more than 2^50 microseconds")
            }
            return try advance(.microseconds(Int64(microseconds)), isBusy, completion)
        case "Recordings":
            return completion([.array(element: "a{sv}", board.speaker.recordings.suffix(100).map(\.busValue))])
        case "MotorTurns":
            return completion([.array(element: "a{sv}", board.motor.turns.suffix(256).map(\.busValue))])
        case "Lights":
            let shown = board.statusLight.shown.suffix(256).map {
                BusValue.dictionary(["pattern": .string($0.pattern.text), "at": .uint64($0.at.microseconds)])
            }
            return completion([.array(element: "a{sv}", shown)])
        default: throw .unknownMethod("\(RingerNames.simulatedBoardInterface) has no method \(member)")
        }
        completion([])
    }

    private func setFault(_ part: String, _ fault: String) throws(BusError) {
        let failure = RingerError(.system, "use", "simulated \(part)", detail: "a fault that was asked for")
        switch (part, fault) {
        case ("switch", "none"):
            board.ringSilent.becomeReadable()
            board.ringSilent.plug()
        case ("switch", "unplugged"): board.ringSilent.unplug()
        case ("switch", "unreadable"): board.ringSilent.becomeUnreadable()
        case ("motor", "none"):
            board.motor.failTurnOn(with: nil)
            board.motor.failTurnOff(with: [])
        case ("motor", "on"): board.motor.failTurnOn(with: failure)
        case ("motor", "off"): board.motor.failTurnOff(with: [failure])
        case ("light", "none"): board.statusLight.fail(with: nil)
        case ("light", "failing"): board.statusLight.fail(with: failure)
        case ("speaker", "none"): board.speaker.fault = nil
        case ("speaker", "busy"): board.speaker.fault = .busy
        case ("speaker", "missing"): board.speaker.fault = .missing
        case ("speaker", "unpaced"): board.speaker.fault = .unpaced
        default: throw .invalidArguments("SetFault: \(part) has no fault \(fault)")
        }
    }

    /// Moves the clock from one timer to the next, and lets the tasks that each one resumes run in between.
    private func advance(
        _ duration: Duration, _ isBusy: @escaping () -> Bool, _ completion: @escaping ([BusValue]) -> Void
    ) throws(BusError) {
        let clock = try virtualClock("advance the clock")
        let target = clock.now + duration
        settle(isBusy) { [self] in step(clock, to: target, isBusy, completion) }
    }

    private func virtualClock(_ operation: String) throws(BusError) -> VirtualClock {
        guard let clock = board.clock as? VirtualClock else {
            throw BusError(RingerError(.unsupported, operation, "simulated board", detail: "it is a real one"))
        }
        return clock
    }

    private func step(
        _ clock: VirtualClock, to target: MonotonicTime, _ isBusy: @escaping () -> Bool,
        _ completion: @escaping ([BusValue]) -> Void
    ) {
        guard clock.advanceToNextTimer(by: target) else {
            clock.advance(to: target)
            return settle(isBusy) { completion([.uint64(clock.now.microseconds)]) }
        }
        settle(isBusy) { [self] in step(clock, to: target, isBusy, completion) }
    }

    /// Calls `body` once the loop's work has come to rest: a task takes a few turns from a timer to its signal. A file that
    /// is being read on a thread of its own is waited for as well, and then what its samples set going: a clock that went on
    /// right after the read left the start of a vibration behind.
    private func settle(_ isBusy: @escaping () -> Bool, turns: Int = 32, _ body: @escaping () -> Void) {
        if turns > 0 {
            let next = LoopBody { [self] in settle(isBusy, turns: turns - 1, body) }
            return loop.execute { next.run() }
        }
        guard isBusy() else { return body() }
        // A thread of its own is at work: the loop sleeps meanwhile.
        let again = LoopBody { [self] in settle(isBusy, body) }
        _ = loop.schedule(at: loop.now + .milliseconds(1)) { again.run() }
    }

    /// A closure that the loop runs. It runs on the event loop's thread.
    // SAFETY: made and run on the loop's thread alone.
    private final class LoopBody: @unchecked Sendable {
        let run: () -> Void

        init(_ run: @escaping () -> Void) {
            self.run = run
        }
    }
}

extension MonotonicTime {
    fileprivate var microseconds: UInt64 { UInt64(clamping: nanoseconds / 1000) }
}

extension SimulatedSoundOutput.Recording {
    fileprivate var busValue: BusValue {
        var values: [String: BusValue] = [
            "frames": .uint32(UInt32(clamping: frames)), "played": .uint32(UInt32(clamping: framesPlayed)),
            "rate": .double(sound.sampleRate), "channels": .uint32(UInt32(clamping: sound.channels)),
            "route": .string(route.rawValue), "gain": .double(Double(gains.last ?? 1)),
        ]
        if let start { values["start"] = .uint64(start.microseconds) }
        if let end { values["end"] = .uint64(end.microseconds) }
        return .dictionary(values)
    }
}

extension SimulatedMotor.Turn {
    fileprivate var busValue: BusValue {
        var values: [String: BusValue] = [
            "start": .uint64(start.microseconds), "strength": .double(Double(strength)),
        ]
        if let end { values["end"] = .uint64(end.microseconds) }
        return .dictionary(values)
    }
}
