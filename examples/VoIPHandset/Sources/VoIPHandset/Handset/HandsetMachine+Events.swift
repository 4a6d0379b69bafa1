import Ringer

extension HandsetMachine {
    enum Event: Sendable {
        /// A call came, and its caller hears it ring; here by the ring that it chose, nil the default one.
        case incoming(CallNumber, name: String, peer: String, ring: Ring? = nil, at: MonotonicTime)
        /// A call was refused before it rang.
        case busy(name: String, peer: String, reason: String, at: MonotonicTime)
        /// Another caller, with that Call-ID, has taken the place of the one of an answered call, which goes on.
        case replaced(CallNumber, by: String, peer: String, at: MonotonicTime)
        /// The caller of an answered call has dialled a digit.
        case dialled(CallNumber, digit: String, way: String, at: MonotonicTime)
        /// A call is over, and its PCM is closed: its caller gave up or hung up, or this side did.
        case closed(CallNumber, heard: Duration, at: MonotonicTime)
        /// The user answers the call that rings longest.
        case answer
        /// The user refuses it.
        case reject
        /// The user ends the call that is talked to.
        case hangUp
        /// The user presses the one key for both: it ends the call that is talked to, else it answers.
        case answerOrHangUp
        /// The user silences the ring; the callers still wait.
        case silence
        case ringLimit(CallNumber)
        /// A call is to be answered, unless another one is talked to.
        case answerTime(CallNumber)
        /// The alert of that number is over: sound and motor have stopped.
        case alertEnded(Int, at: MonotonicTime)
        /// The device's PCMs are closed.
        case outputReleased(CallNumber, at: MonotonicTime)
        /// The device's sound or motor, or what the rules allow, changed.
        case observed(Observation, at: MonotonicTime)
        /// The audio session is heard, or is not: an alarm interrupted it.
        case sessionAudible(Bool)
        /// The audio session was refused beside one that matters more.
        case sessionRefused(String)
        /// The audio session is to be activated again: after a refusal, or an interruption that left it inactive.
        case sessionDue
    }

    enum Action: Sendable, Equatable {
        case startAlert(Int, Attention, Ring? = nil)
        /// Stop it; `.alertEnded` follows.
        case stopAlert
        case useSession(SessionUse)
        /// Deactivate it, and cancel its timer.
        case endSession
        /// Send `.sessionDue`, once.
        case setSessionTimer(after: Duration)
        /// Close the device's PCMs, and send `.outputReleased`.
        case releaseOutput(CallNumber)
        case answer(CallNumber)
        /// The user does not want it.
        case refuse(CallNumber)
        /// Nobody answered it.
        case giveUp(CallNumber)
        case hangUp(CallNumber)
        case openAudio(CallNumber)
        case mute(CallNumber, Bool)
        case light(Light)
        case setRingLimit(CallNumber, after: Duration)
        case setAnswerTime(CallNumber, after: Duration)
        case cancelTimers(CallNumber)
        case report(HandsetEvent)
        case complain(String)
    }

    /// What the device does, and what the rules allow an alert now.
    struct Observation: Sendable, Hashable {
        /// Whether a round of the ring tone is heard.
        var isHeard = false
        /// Whether the motor turns.
        var isFelt = false
        /// Whether the switch and the preferences let an alert be heard.
        var mayBeHeard = false
        /// Whether they let it be felt.
        var mayBeFelt = false
        /// Why the ring tone is not heard although it may be: its PCM cannot be opened.
        var failure: String?
    }
}
