import Ringer
import SystemSounds

/// A simulated board and its device, and what can be done to them.
struct Simulation: Sendable {
    let board: SimulatedBoard
    let device: Device

    /// Does `step`. Waiting is the caller's affair: he knows whose time it is.
    func perform(_ step: SimulationStep) {
        switch step {
        case .move(let position): board.ringSilent.position = position
        case .flip: board.ringSilent.position = board.ringSilent.position == .ring ? .silent : .ring
        case .lock(let isLocked): device.setScreenLocked(isLocked)
        case .headphone(let isInserted): board.surroundings.set(.headphoneInserted(isInserted))
        case .plug(let isPlugged): isPlugged ? board.ringSilent.plug() : board.ringSilent.unplug()
        case .play(let category, let length): device.player.start(Self.sound(lasting: length), as: .session(category))
        case .vibrate(let pattern): device.vibrator?.start(pattern)
        case .detect: device.muteDetector.measure { [report] in report($0) }
        case .stop: device.stopAll()
        case .wait: break
        }
    }

    /// Is told what the detector finds.
    let report: @Sendable (MuteReading) -> Void

    /// A melody of the predefined sounds, cut or gone through again until it lasts as long as it should.
    private static func sound(lasting length: Duration?) -> PCMBuffer {
        guard let recipe = SoundRecipe.predefined(stem: "Fanfare") else {
            return .silence(duration: length ?? .seconds(1))
        }
        let melody = SoundSynthesizer.render(recipe)
        guard let length else { return melody }
        let count = Int((length.inSeconds * melody.sampleRate).rounded())
        let samples = (0..<count).map { melody.samples[$0 % melody.samples.count] }
        return PCMBuffer(sampleRate: melody.sampleRate, channels: 1, samples: samples)
    }
}
