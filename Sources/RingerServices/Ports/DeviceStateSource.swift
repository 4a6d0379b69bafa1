/// The rest of the device's state: jacks, volume, input, screen lock.
///
/// On Linux an input device with jack switches, a mixer; in a test, one that the test sets.
public protocol DeviceStateSource: Sendable {
    /// What it is, for people.
    var name: String { get }

    /// Begins to watch, and tells `handler` what is so now, then each change, in order.
    ///
    /// What is so now is told before the call returns.
    ///
    /// - Throws: ``RingerError`` where it is missing or forbidden.
    func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError)

    /// Ends watching and frees what the kernel holds for it. A second call does nothing.
    func close()
}

/// One change of the device's state.
@nonexhaustive
public enum DeviceStateChange: Sendable, Hashable {
    /// Headphones were plugged in, or pulled out.
    case headphoneInserted(Bool)
    /// A microphone was plugged in, or pulled out.
    case microphoneInserted(Bool)
    /// The output volume, 0 to 1; nil where no mixer tells it any more.
    case outputVolume(Float?)
    /// Whether sound can be recorded.
    case inputAvailable(Bool)
    /// Whether the screen is locked.
    case screenLocked(Bool)
    /// Sound leaves the device elsewhere now.
    case route(AudioRoute)
    /// A route that comes and goes, a line output or a Bluetooth device, is there, or is not any more.
    case routePresent(AudioRoute, Bool)
    /// Whether another process plays: a PCM substream runs that is not this process's.
    case otherAudioPlaying(Bool)
    /// What the output was granted, and how late it is.
    case outputFormat(SoundPortFormat)
    /// What the input was granted, and how late it is.
    case inputFormat(SoundPortFormat)
    /// Whether the PCM that sounds go to, or the sound server behind it, is gone.
    case outputLost(Bool)
    /// The device woke from sleep.
    case wokeFromSleep
    /// The source is gone, and waits to come back.
    case lost(RingerError)
    /// The source is back; what is so now follows.
    case found
}
