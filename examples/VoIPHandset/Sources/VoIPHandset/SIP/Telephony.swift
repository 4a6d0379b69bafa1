import Ringer

/// The SIP side of the handset. Every method may be called from any thread, and does not block; a call that is over is
/// ignored.
protocol Telephony: Sendable {
    /// Begins to take calls; those that came before have waited.
    func start()
    /// Answers a ringing call. It is heard once ``openAudio(_:)`` was called.
    func answer(_ call: CallNumber)
    /// Opens the PCMs of an answered call.
    func openAudio(_ call: CallNumber)
    /// Mutes both directions of an answered call, or no longer.
    func mute(_ call: CallNumber, _ isMuted: Bool)
    /// Refuses a ringing call: the user does not want it.
    func refuse(_ call: CallNumber)
    /// Refuses a ringing call: nobody answered it.
    func giveUp(_ call: CallNumber)
    /// Ends an answered call.
    func hangUp(_ call: CallNumber)
}

/// What the SIP side says.
enum TelephonyEvent: Sendable {
    /// A call came, with the Alert-Info of its caller.
    case incoming(CallNumber, name: String, peer: String, alertInfo: String = "")
    /// Another caller has taken the place of the one of an answered call.
    case replaced(CallNumber, name: String, peer: String)
    /// The caller has dialled a digit.
    case dialled(CallNumber, digit: String, way: String)
    case refused(name: String, peer: String, reason: String)
    case closed(CallNumber, heard: Duration)
    case audioFailed(CallNumber, pcm: String, reason: String)
    /// Registered at the registrar of that number, or refreshed.
    case registered(Int, for: Duration)
    /// Not registered there, or not any more.
    case registrationFailed(Int, RegistrationMachine.Failure)
    /// The SIP side works: the answer to ``Watchdog``'s question.
    case answered
}
