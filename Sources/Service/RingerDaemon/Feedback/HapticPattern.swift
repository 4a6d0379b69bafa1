import RingerCore
import RingerBus

/// The pattern of a call of Haptic: at most ten turns of at most 10 s, each with its amplitude.
struct HapticPattern: Sendable {
    private struct Turn {
        /// From 0, which is a rest, to 1.
        var amplitude: Double
        var length: Duration
    }

    private let turns: [Turn]

    /// Whether it has no turn: it stops another.
    var isEmpty: Bool { turns.isEmpty }

    /// - Parameter value: The pairs (`a(du)`): what is beyond the limits counts as the limit, and further pairs are ignored.
    init(_ value: BusValue) {
        turns = (value.elements ?? []).prefix(10).map { pair in
            let (amplitude, milliseconds) = (pair.elements?[0].double ?? 0, pair.elements?[1].uint32 ?? 0)
            return Turn(
                amplitude: amplitude.isNaN ? 0 : min(max(amplitude, 0), 1),
                length: .milliseconds(Int(min(milliseconds, 10_000))))
        }
    }

    /// Turns the device's motor, until the end or a turn that is not permitted. Cancelling the task stops the motor.
    func run(on device: Device, while isPermitted: () -> Bool) async {
        for turn in turns {
            if Task.isCancelled || !isPermitted() { return }
            guard turn.amplitude > 0, turn.length > .zero,
                let pattern = try? VibrationPattern(
                    pulses: [.init(on: turn.length)], strength: Float(turn.amplitude))
            else {
                try? await device.sleep(for: turn.length)
                continue
            }
            _ = await device.vibrate(pattern)
        }
    }
}
