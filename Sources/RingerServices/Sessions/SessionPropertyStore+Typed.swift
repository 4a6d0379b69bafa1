// The typed view: names and types in Swift over the same table. A session's own handle is made with the session, so
// nothing here asks whether it was initialised.
extension SessionPropertyStore {
    private func number(_ code: FourCharacterCode) -> Double {
        switch SessionProperty(code: code)?.read?(facts, preferences) {
        case .uint32(let number): Double(number)
        case .float32(let number): Double(number)
        case .float64(let number): number
        case .string, .routeChange, nil: 0
        }
    }

    private func isOn(_ code: FourCharacterCode) -> Bool { number(code) != 0 }

    /// The sample rate that the session would like, in hertz; 0 for none. Property `hwsr`.
    public var preferredSampleRate: Double { number("hwsr") }
    /// The duration of the buffer that the session would like, in seconds; 0 for none. Property `iobd`.
    public var preferredIOBufferDuration: Double { number("iobd") }
    /// The category. Property `acat`.
    public var category: AudioCategory { facts.settings.category }
    /// The route's name; empty while the Ring/Silent switch silences the session. Property `rout`.
    public var routeName: String {
        if case .string(let name)? = SessionProperty(code: "rout")?.read?(facts, preferences) { name } else { "" }
    }
    /// The sample rate that the hardware has, in hertz. Property `chsr`.
    public var sampleRate: Double { number("chsr") }
    /// How many channels are recorded. Property `chic`.
    public var inputChannels: Int { Int(number("chic")) }
    /// How many channels are played. Property `choc`.
    public var outputChannels: Int { Int(number("choc")) }
    /// The output volume, 0 to 1. Property `chov`.
    public var outputVolume: Double { number("chov") }
    /// How long a sample takes from the input to the program, in seconds. Property `cilt`.
    public var inputLatency: Double { number("cilt") }
    /// How long a sample takes from the program to the output, in seconds. Property `colt`.
    public var outputLatency: Double { number("colt") }
    /// The duration of the buffer that the hardware has, in seconds. Property `chbd`.
    public var ioBufferDuration: Double { number("chbd") }
    /// Whether another session, or a process that knows of no sessions, plays. Property `othr`.
    public var isOtherAudioPlaying: Bool { isOn("othr") }
    /// Whether sound can be recorded. Property `aiav`.
    public var isInputAvailable: Bool { isOn("aiav") }
    /// Whether others go down while the session is active. Property `duck`.
    public var ducksOthers: Bool { isOn("duck") }
    /// Whether the category was overridden to mix. Property `cmix`.
    public var mixesWithOthers: Bool { isOn("cmix") }
    /// Whether calls were overridden to the speaker for good. Property `cspk`.
    public var defaultsToSpeaker: Bool { isOn("cspk") }
    /// Whether input may come from a Bluetooth hands-free device. Property `cblu`.
    public var takesBluetoothInput: Bool { isOn("cblu") }
}
