import RingerServices
import Synchronization

/// A microphone that grants what the test says.
public final class SimulatedSoundInput: SoundInput, Sendable {
    private struct State {
        var limits = SimulatedSoundLimits(channels: 1)
        var error: RingerError?
    }

    private let state = Mutex(State())

    /// "simulated microphone".
    public let name = "simulated microphone"

    /// A microphone of one channel.
    public init() {}

    /// What it can do.
    public var limits: SimulatedSoundLimits {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }

    /// Why it cannot be asked; nil where it can.
    public var error: RingerError? {
        get { state.withLock { $0.error } }
        set { state.withLock { $0.error = newValue } }
    }

    /// Answers at once.
    public func ask(
        _ preferences: SessionPreferences,
        completion: @escaping @Sendable (Result<SoundPortFormat, RingerError>) -> Void
    ) {
        let (limits, error) = state.withLock { ($0.limits, $0.error) }
        if let error { return completion(.failure(error)) }
        completion(.success(limits.grant(sampleRate: 48_000, preferences)))
    }
}
