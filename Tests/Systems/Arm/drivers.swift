// What a driver or a plug-in may report, in random and extreme numbers, to the code of RingerLinux that calculates with it: the times
// of edges, the steps of a mixer, the format and the positions of a PCM. The same in every run.
//
//     drivers ROUNDS
//
// It is compiled together with those files, and ends by a trap where a number is too large for what is calculated.

import Glibc
import RingerCore

/// Resumptions of a PCM, which alsa-lib has in Ringer.
enum PCMHandle {
    enum Resumption: CaseIterable {
        case running, prepared, later, refused
    }
}

struct Driver {
    var numbers: SeededGenerator

    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
        let extremes = [
            Number.min, .max, 0, 1, 2, Number(clamping: Int32.max), Number(clamping: UInt32.max),
            Number(clamping: Int32.min),
        ]
        switch numbers.below(4) {
        case 0: return Number(truncatingIfNeeded: numbers.next())
        case 1: return Number(truncatingIfNeeded: numbers.below(100_000))
        default: return numbers.pick(extremes) &+ Number(truncatingIfNeeded: numbers.below(5)) &- 2
        }
    }

    mutating func time() -> MonotonicTime {
        numbers.oneIn(2)
            ? MonotonicTime(nanoseconds: integer(Int64.self))
            : MonotonicTime(
                timeval(
                    tv_sec: .init(truncatingIfNeeded: integer(Int64.self)),
                    tv_usec: .init(truncatingIfNeeded: integer(Int64.self))))
    }

    mutating func contacts() {
        var debouncer = Debouncer<Int32?>(level: nil, duration: .milliseconds(numbers.below(3)))
        for _ in 0..<20 {
            let level = integer(Int32.self)
            switch numbers.below(4) {
            case 0: _ = debouncer.handle(.edge(level, at: time()))
            case 1: _ = debouncer.handle(.level(level, at: time()))
            case 2: _ = debouncer.handle(.timer(at: time()))
            default: _ = debouncer.handle(.missed)
            }
        }
    }

    mutating func mixer() {
        let (low, high) = (integer(Int.self), integer(Int.self))
        let channels = (0..<numbers.below(3)).map { _ in
            MixerElement.Channel(value: integer(Int.self), isOn: numbers.oneIn(2))
        }
        _ = MixerElement.fraction(channels, low: low, high: high)
        let step = MixerElement.step(of: Float(numbers.below(1001)) / 1000, low: low, high: high)
        precondition(step == low || (low...max(low, high)).contains(step), "a step that the mixer has not")
    }

    mutating func format() -> HardwareFormat {
        HardwareFormat(
            pcm: "", sampleRate: HardwareFormat.clamp(integer(UInt32.self)),
            channels: HardwareFormat.clamp(integer(UInt32.self)),
            periodFrames: HardwareFormat.clamp(integer(UInt.self)),
            bufferFrames: HardwareFormat.clamp(integer(UInt.self)))
    }

    mutating func playback() {
        let frames = numbers.oneIn(4) ? Int64(numbers.below(1_000_000)) : 1 << 40
        var sound = Sound(
            machine: PlaybackMachine(frames: frames, options: PlaybackOptions(reportAt: .seconds(1)), subject: ""),
            format: format())
        _ = (sound.format.period, sound.format.latency, sound.format.duration(ofFrames: position()))
        send(.play(at: time()), to: &sound)
        for _ in 0..<10 {
            switch numbers.below(4) {
            case 0: send(.ready, to: &sound)
            case 1: send(.due(numbers.pick(PlaybackMachine.Timer.allCases), at: time()), to: &sound)
            case 2: send(.setGain(0.5, over: .milliseconds(numbers.below(100))), to: &sound)
            default: if numbers.oneIn(8) { send(.stop, to: &sound) }
            }
        }
    }

    /// A sound on a PCM.
    struct Sound {
        var machine: PlaybackMachine
        let format: HardwareFormat
        /// How many calls of the PCM it may make.
        var calls = 100
    }

    /// A number of frames that alsa-lib reports.
    private mutating func position() -> Int { HardwareFormat.clamp(integer(Int.self)) }

    /// Sends an event, and answers the calls of the PCM that it leads to.
    private mutating func send(_ event: PlaybackMachine.Event, to sound: inout Sound) {
        for action in sound.machine.handle(event) where sound.calls > 0 {
            guard let answer = answer(to: action, sound.format) else { continue }
            sound.calls -= 1
            send(answer, to: &sound)
        }
    }

    private mutating func answer(to call: PlaybackMachine.Action, _ format: HardwareFormat) -> PlaybackMachine.Event? {
        let failure = PlaybackMachine.Event.failed(
            RingerError("play", "", numbers.pick([.brokenPipe, .streamsPipe])), left: max(0, position()), at: time())
        let fails = numbers.oneIn(8)
        switch call {
        case .open: return .opened(format, isMixed: numbers.oneIn(2), isCoarse: numbers.oneIn(2))
        case .write(let frames, _): return fails ? failure : .wrote(min(frames.count, max(0, position())))
        case .pad(let frames): return fails ? failure : .wrote(min(frames, max(0, position())))
        case .start: return fails ? failure : .started(at: time())
        case .readPosition: return fails ? failure : .position(delay: position(), before: time(), at: time())
        case .rewind(let frames): return .rewound(max(0, min(position(), format.bufferFrames - frames)))
        case .prepare: return fails ? failure : .prepared
        case .resume: return fails ? failure : .resumption(numbers.pick(PCMHandle.Resumption.allCases), at: time())
        case .watch, .unwatch, .schedule, .tell, .end: return nil
        }
    }
}

@main
struct Drivers {
    static func main() {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
        var driver = Driver(numbers: SeededGenerator(seed: 1))
        for _ in 0..<rounds {
            driver.contacts()
            driver.mixer()
            driver.playback()
        }
        print("\(rounds) reports of drivers of each kind")
    }
}
