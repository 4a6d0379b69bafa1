/// What the sound hardware grants and says, as far as properties tell it.
public struct SessionHardware: Sendable, Hashable {
    /// The sample rate granted, in hertz.
    public var sampleRate: Double
    /// Channels that are recorded; 0 without input.
    public var inputChannels: UInt32
    /// Channels that are played.
    public var outputChannels: UInt32
    /// The output volume, 0 to 1; nil where no mixer tells it, which properties tell as 1.
    public var outputVolume: Float?
    /// How long a sample takes from the input to the program, in seconds.
    public var inputLatency: Float
    /// How long a sample takes from the program to the output, in seconds.
    public var outputLatency: Float
    /// The duration of what the hardware takes at a time, in seconds.
    public var ioBufferDuration: Float
    /// Whether sound can be recorded; nil where it is not known, which properties tell as true.
    public var isInputAvailable: Bool?
    /// Whether the PCM, or the sound server behind it, is gone.
    public var isServerDead: Bool

    /// Hardware, by default such as tells nothing.
    public init(
        sampleRate: Double = 0, inputChannels: UInt32 = 0, outputChannels: UInt32 = 0, outputVolume: Float? = nil,
        inputLatency: Float = 0, outputLatency: Float = 0, ioBufferDuration: Float = 0, isInputAvailable: Bool? = nil,
        isServerDead: Bool = false
    ) {
        self.sampleRate = sampleRate
        self.inputChannels = inputChannels
        self.outputChannels = outputChannels
        self.outputVolume = outputVolume
        self.inputLatency = inputLatency
        self.outputLatency = outputLatency
        self.ioBufferDuration = ioBufferDuration
        self.isInputAvailable = isInputAvailable
        self.isServerDead = isServerDead
    }
}
