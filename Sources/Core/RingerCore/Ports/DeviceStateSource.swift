/// A source of the device's state other than the switch: jacks, keys, volume, input, screen lock.
///
/// On Linux an input device with jack switches, or a mixer; in a test, one that the test sets. A source of your own keeps its
/// handler in a structure; ``SoundOutput`` says why.
public protocol DeviceStateSource: Sendable {
    /// The source's name, for people.
    var name: String { get }

    /// Starts watching: reports to `handler` the current state before the call returns, then each change, in order.
    ///
    /// - Throws: ``RingerError`` if the source is missing or forbidden.
    func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError)

    /// Reads the state anew, and reports what is another one before it returns: some changes while the machine sleeps cause no
    /// edge. Does nothing by default.
    func rereadAfterSleep()

    /// Ends watching and frees the source's kernel resources. A second call does nothing.
    func close()
}

extension DeviceStateSource {
    /// Does nothing: for a source whose changes are reported when the machine wakes.
    public func rereadAfterSleep() {}
}

/// One change of the device's state.
@nonexhaustive
public enum DeviceStateChange: Sendable, Hashable {
    /// Headphones were plugged in, or pulled out. Of several sources' jacks one with a plug in it counts.
    case headphoneInserted(Bool)
    /// A microphone was plugged in, or pulled out. Of several sources' jacks one with a plug in it counts.
    case microphoneInserted(Bool)
    /// The output volume, 0 to 1; nil if no mixer reports it any more.
    case outputVolume(Float?)
    /// Whether sound can be recorded.
    case inputAvailable(Bool)
    /// Whether the screen is locked.
    case screenLocked(Bool)
    /// The position that is kept beside the switch's was set, or is gone with the service that had it:
    /// ``DeviceState/keptPosition``; and when it ends by itself, in seconds of UTC since 1970, nil where it does not.
    /// ``Device/setPosition(_:)`` reports it; one that a source reports is not kept, and does not end.
    case keptPosition(SwitchPosition?, until: Int64? = nil)
    /// What the quiet hours ask for from now on, nil for nothing, and when that ends, in seconds of UTC since 1970.
    case quietHours(SwitchPosition?, until: Int64?)
    /// The volume that the quiet hours give announcements and media from now on, nil for none, and when that ends or becomes another
    /// one.
    case quietHoursVolume(Float?, until: Int64?)
    /// The device's sound goes to another route.
    case route(AudioRoute)
    /// A removable route, such as a line output or a Bluetooth device, appeared or disappeared.
    case routePresent(AudioRoute, Bool)
    /// Whether another process plays sound: a playback substream is running that this process did not open.
    case otherAudioPlaying(Bool)
    /// The format and latency that the output granted.
    case outputFormat(SoundPortFormat)
    /// The format and latency that the input granted.
    case inputFormat(SoundPortFormat)
    /// Whether the PCM that sounds go to, or the sound server behind it, is gone.
    case outputLost(Bool)
    /// A key was pressed or released; reported as ``DeviceEvent/key(_:isPressed:at:)``.
    case key(DeviceKey, isPressed: Bool, at: MonotonicTime)
    /// A key that is held repeats, which a volume key counts as one more press. No event reports it.
    case keyRepeated(DeviceKey, at: MonotonicTime)
    /// The button that moves the kept position was pressed, and the press counts. ``keptPosition(_:until:)`` is reported in its place.
    case buttonPressed(PositionButton.Order, at: MonotonicTime)
    /// The kernel dropped edges of that button, or it is gone, or back. On a device without a switch it is reported as the
    /// switch's event; beside a switch, as ``lost(_:)`` and ``found`` are.
    case button(SwitchEvent)
    /// The device woke from sleep.
    case wokeFromSleep
    /// The source is gone; it is waited for. What was plugged into its jacks counts as pulled out.
    case lost(RingerError)
    /// The source is back; its current state follows.
    case found
}
