import CRinger
import RingerLinux

/// How a request ended.
extension ringer_result {
    init(_ outcome: SoundOutcome, startedAt: MonotonicTime?, _ position: StreamPosition?, felt: Bool = false) {
        self.init()
        set(outcome)
        started_at = startedAt?.nanoseconds ?? 0
        frames_played = UInt64(clamping: position?.played ?? 0)
        frames = UInt64(clamping: position?.total ?? 0)
        self.felt = felt ? 1 : 0
    }

    init(_ result: AlertResult) {
        self.init()
        set(result.outcome)
        started_at = result.startedAt.nanoseconds
        felt = result.vibrated ? 1 : 0
        // An alert goes on without its sound.
        if let soundError = result.soundError { explain(soundError) } else { note(result.fallback) }
    }

    init(_ result: SystemSoundResult) {
        self.init(result.outcome, startedAt: result.startedAt, result.position, felt: result.vibrated)
        note(result.fallback)
    }

    init(vibration outcome: SoundOutcome) {
        self.init()
        set(outcome)
        felt = self.outcome == RINGER_OUTCOME_FAILED ? 0 : 1
    }

    private mutating func set(_ value: SoundOutcome) {
        switch value {
        case .finished: outcome = RINGER_OUTCOME_FINISHED
        case .silenced(let why):
            outcome = RINGER_OUTCOME_SILENCED
            reason = why.constant
        case .stopped(let cause): stop(cause)
        case .failed(let error): fail(error)
        }
    }

    private mutating func stop(_ why: SoundOutcome.StopCause) {
        outcome = RINGER_OUTCOME_STOPPED
        cause = why.constant
    }

    mutating func fail(_ why: any Error) {
        outcome = RINGER_OUTCOME_FAILED
        explain(why)
    }

    private mutating func explain(_ why: any Error) {
        let failure = Failure(why)
        error = -failure.errno
        withUnsafeMutableBytes(of: &sentence) { copy(failure.sentence, to: $0) }
    }

    /// Has the sentence say why another sound was played, or not all of it, unless it says what failed.
    mutating func note(_ fallback: SoundFallback?) {
        guard let fallback, outcome != RINGER_OUTCOME_FAILED else { return }
        withUnsafeMutableBytes(of: &sentence) { copy(fallback.sentence, to: $0) }
    }
}
