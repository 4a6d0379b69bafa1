/// What ALSA granted when a PCM was last opened, and what the mixer and the input report.
package struct HardwareFigures: Sendable, Hashable {
    /// The sample rate granted, in hertz.
    package var sampleRate: Double
    /// Channels that are recorded; 0 without input.
    package var inputChannels: UInt32
    /// Channels that are played.
    package var outputChannels: UInt32
    /// The output volume, 0 to 1; nil without a mixer, which sessions report as 1.
    package var outputVolume: Float?
    /// How long a sample takes from the input to the program, in seconds.
    package var inputLatency: Float
    /// How long a sample takes from the program to the output, in seconds.
    package var outputLatency: Float
    /// The duration of what the hardware takes at a time, in seconds.
    package var ioBufferDuration: Float
    /// Whether sound can be recorded; nil if it is not known, which sessions report as true.
    package var isInputAvailable: Bool?
    /// Whether the PCM, or the sound server behind it, is gone.
    package var isServerDead: Bool

    /// Figures, by default those before anything was opened.
    package init(
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
