/// The state of the device that decides whether its sounds are heard, at one moment.
public struct DeviceState: Sendable, Hashable {
    /// Where the Ring/Silent switch stands; nil where the process cannot see a switch, which counts as ring.
    public var ringSilent: SwitchPosition?
    /// The switch that told it, as its port names itself; nil where there is none.
    public var ringSilentSource: String?
    /// When the switch came to stand there, as the kernel stamped the edge; for the first position, when it was read.
    public var ringSilentAt: MonotonicTime?
    /// Whether the switch can be read now. False after it was unplugged: the last position stays in force.
    public var isSwitchConnected: Bool
    /// Whether the screen is locked.
    public var isScreenLocked: Bool
    /// Where sound leaves the device now.
    public var route: AudioRoute
    /// Whether headphones are plugged in.
    public var isHeadphoneInserted: Bool
    /// Whether a microphone is plugged in.
    public var isMicrophoneInserted: Bool
    /// The output volume, 0 to 1; nil where no mixer tells it.
    public var outputVolume: Float?
    /// Whether sound can be recorded; nil where it is not known.
    public var isInputAvailable: Bool?
    /// What the audio sessions are doing.
    public var sessions: SessionActivity

    /// A state, by default that of a device that shows nothing: no switch, unlocked, playing from the speaker.
    public init(
        ringSilent: SwitchPosition? = nil, ringSilentSource: String? = nil, ringSilentAt: MonotonicTime? = nil,
        isSwitchConnected: Bool = false, isScreenLocked: Bool = false, route: AudioRoute = .speaker,
        isHeadphoneInserted: Bool = false, isMicrophoneInserted: Bool = false, outputVolume: Float? = nil,
        isInputAvailable: Bool? = nil, sessions: SessionActivity = []
    ) {
        self.ringSilent = ringSilent
        self.ringSilentSource = ringSilentSource
        self.ringSilentAt = ringSilentAt
        self.isSwitchConnected = isSwitchConnected
        self.isScreenLocked = isScreenLocked
        self.route = route
        self.isHeadphoneInserted = isHeadphoneInserted
        self.isMicrophoneInserted = isMicrophoneInserted
        self.outputVolume = outputVolume
        self.isInputAvailable = isInputAvailable
        self.sessions = sessions
    }
}
