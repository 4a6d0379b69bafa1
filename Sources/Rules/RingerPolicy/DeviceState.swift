#if !hasFeature(Embedded)
import Synchronization
#endif

/// The state of the device at one moment, which decides whether its sounds are heard.
///
/// It holds no reference: at each edge of the switch it is copied several times.
public struct DeviceState: Sendable, Hashable {
    /// The newest known position of the Ring/Silent switch; nil while ``isSwitchUnreadable``, and if there is no
    /// switch: then ``keptPosition`` is in its place, and without one it counts as ring.
    public var ringSilent: SwitchPosition?
    /// The name of the switch, such as "evdev /dev/input/event0 (ring-silent-switch)"; nil if there is none. A process
    /// remembers the first 256 names: a later one is nil.
    public var ringSilentSource: String? {
        get { source?.text }
        set { source = newValue.flatMap(KeptName.init) }
    }
    private var source: KeptName?
    /// The kernel's timestamp of the edge to this position; for the first position, the time of reading.
    public var ringSilentAt: MonotonicTime?
    /// Whether the switch can be read now. False after it was unplugged: the last position stays in force.
    public var isSwitchConnected: Bool
    /// Whether there is a switch whose position was never read: permission is missing, or a slider has not settled yet.
    /// It counts as ``UserPreferences/whenSwitchUnreadable`` until its first position is read.
    public var isSwitchUnreadable: Bool
    /// The position that software set (a push button's or a menu's), which is kept until the next one; nil if none was set. It adds silence to
    /// the switch's. On a device without a switch it is the switch's: ``ringSilent`` has it too.
    public var keptPosition: SwitchPosition?
    /// What the quiet hours ask for now, which adds silence too: silent or vibrate; nil outside of them.
    public var quietHours: SwitchPosition?
    /// When ``quietHours`` ends, in seconds of UTC since 1970; nil outside of them, and where they have no end.
    public var quietHoursUntil: Int64?
    /// The volume of announcements and media in the quiet hours, clamped to 0...1, a factor for the user's; nil outside of spans that
    /// have a volume.
    public var quietHoursVolume: Float?
    /// When ``quietHoursVolume`` ends or becomes another one, in seconds of UTC since 1970; nil as ``quietHoursUntil``.
    public var quietHoursVolumeUntil: Int64?
    /// When ``keptPosition`` ends by itself, in seconds of UTC since 1970; nil where it stays until the next one.
    public var keptPositionUntil: Int64?
    /// Whether the screen is locked.
    public var isScreenLocked: Bool
    /// The route of the device's sound.
    public var route: AudioRoute
    /// Whether headphones are plugged in.
    public var isHeadphoneInserted: Bool
    /// Whether a microphone is plugged in.
    public var isMicrophoneInserted: Bool
    /// The output volume, 0 to 1; nil if no mixer reports it.
    public var outputVolume: Float?
    /// Whether sound can be recorded; nil if it is not known.
    public var isInputAvailable: Bool?
    /// The activity of the audio sessions.
    public var sessions: SessionActivity
    /// Whether the device has a receiver. A call on a device without one is heard from the speaker.
    public var hasReceiver: Bool

    /// ``ringSilentSource`` where the kept position is in the switch's place.
    package static let keptPositionSource = "kept position"

    /// By default a device without a switch, unlocked, with the speaker as its route.
    public init(
        ringSilent: SwitchPosition? = nil, ringSilentSource: String? = nil, ringSilentAt: MonotonicTime? = nil,
        isSwitchConnected: Bool = false, isSwitchUnreadable: Bool = false, keptPosition: SwitchPosition? = nil,
        quietHours: SwitchPosition? = nil, quietHoursUntil: Int64? = nil,
        quietHoursVolume: Float? = nil, quietHoursVolumeUntil: Int64? = nil,
        isScreenLocked: Bool = false,
        route: AudioRoute = .speaker,
        isHeadphoneInserted: Bool = false, isMicrophoneInserted: Bool = false, outputVolume: Float? = nil,
        isInputAvailable: Bool? = nil, sessions: SessionActivity = [],
        hasReceiver: Bool = true, keptPositionUntil: Int64? = nil
    ) {
        self.ringSilent = ringSilent
        source = ringSilentSource.flatMap(KeptName.init)
        self.ringSilentAt = ringSilentAt
        self.isSwitchConnected = isSwitchConnected
        self.isSwitchUnreadable = isSwitchUnreadable
        self.keptPosition = keptPosition
        self.quietHours = quietHours
        self.quietHoursUntil = quietHoursUntil
        self.quietHoursVolume = quietHoursVolume
        self.quietHoursVolumeUntil = quietHoursVolumeUntil
        self.isScreenLocked = isScreenLocked
        self.route = route
        self.isHeadphoneInserted = isHeadphoneInserted
        self.isMicrophoneInserted = isMicrophoneInserted
        self.outputVolume = outputVolume
        self.isInputAvailable = isInputAvailable
        self.sessions = sessions
        self.hasReceiver = hasReceiver
        self.keptPositionUntil = keptPositionUntil
    }
}

#if hasFeature(Embedded)
/// A name, as it is: Embedded Swift has no locks.
private struct KeptName: Sendable, Hashable {
    let text: String

    init?(_ name: String) {
        text = name
    }
}
#else
/// A name as a number: it holds no reference.
private struct KeptName: Sendable, Hashable, CustomStringConvertible {
    private static let names = Mutex(SwitchNames())
    private let number: Int

    /// Nil if there is no room for another name.
    init?(_ name: String) {
        guard let number = Self.names.withLock({ $0.add(name) }) else { return nil }
        self.number = number
    }

    var text: String { Self.names.withLock { $0.names[number] } }
    var description: String { text }
}

/// The first ``limit`` names.
struct SwitchNames {
    static let limit = 256
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]

    /// The number of `name`; nil if it is a new one, and there is no room.
    mutating func add(_ name: String) -> Int? {
        if let known = numbers[name] { return known }
        if names.count == Self.limit { return nil }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }
}
#endif
