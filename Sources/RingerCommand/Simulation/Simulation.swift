import Ringer
import RingerTestKit
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
        case .play(let category, let length): _ = try? device.start(Self.sound(lasting: length), category: category)
        case .session(let category, let length): play(category, Self.sound(lasting: length))
        case .call(true): if device.sessions.interruptions.isEmpty { _ = device.sessions.interruptionBegan() }
        case .call(false):
            for call in device.sessions.interruptions { device.sessions.interruptionEnded(call) }
        case .vibrate(let pattern): device.vibrator?.start(pattern)
        case .detect: device.muteDetector.measure { [report] in report($0) }
        case .stop: device.stopAll()
        case .wait: break
        }
    }

    /// Plays a sound in a session that ends with it.
    private func play(_ category: AudioCategory, _ sound: PCMBuffer) {
        let session = device.sessions.make(name: category.rawValue, category: category)
        session.activate { refusal in
            guard refusal == nil else { return }
            // The sound holds the session, which is removed with its last reference.
            session.start(sound) { _ in session.deactivate { _ in } }
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
