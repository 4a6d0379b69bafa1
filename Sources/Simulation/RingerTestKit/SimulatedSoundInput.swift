import RingerCore
import Synchronization

/// A microphone, and the microphones of Bluetooth devices, that grant what the test sets. Any thread.
public final class SimulatedSoundInput: SoundInput, Sendable {
    private struct State {
        var limits = SimulatedSoundLimits(channels: 1)
        var bluetoothLimits: [String: SimulatedSoundLimits] = [:]
        var error: RingerError?
    }

    private let state = Mutex(State())

    /// "simulated microphone".
    public let name = "simulated microphone"
    /// The answers to requests for a format.
    public let answers = SimulatedAnswers()

    /// A microphone of one channel.
    public init() {}

    /// The hardware's limits.
    public var limits: SimulatedSoundLimits {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }

    /// The limits of Bluetooth inputs, by their PCMs; the others have ``limits``.
    public var bluetoothLimits: [String: SimulatedSoundLimits] {
        get { state.withLock { $0.bluetoothLimits } }
        set { state.withLock { $0.bluetoothLimits = newValue } }
    }

    /// The error of every request; nil for success.
    public var error: RingerError? {
        get { state.withLock { $0.error } }
        set { state.withLock { $0.error = newValue } }
    }

    /// Answers at once, unless ``answers`` are late.
    public func ask(
        _ preferences: SessionPreferences, pcm: String?,
        completion: @escaping @Sendable (Result<SoundPortFormat, RingerError>) -> Void
    ) {
        answers.give { [self] in
            let (limits, error) = state.withLock { state in
                (pcm.flatMap { state.bluetoothLimits[$0] } ?? state.limits, state.error)
            }
            if let error { return completion(.failure(error)) }
            completion(.success(limits.grant(sampleRate: 48_000, preferences)))
        }
    }
}
