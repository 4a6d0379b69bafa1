import RingerCore
import RingerBus

/// How much feedback is given.
package enum FeedbackLevel: String, Sendable, CaseIterable, Comparable {
    /// Light alone.
    case silent
    /// Vibration and light.
    case quiet
    /// Sound, vibration and light.
    case full

    private var rank: Int {
        switch self {
        case .silent: 0
        case .quiet: 1
        case .full: 2
        }
    }

    package static func < (left: FeedbackLevel, right: FeedbackLevel) -> Bool { left.rank < right.rank }
}

/// The feedback of an event: a sound at the level full, a vibration at quiet and full, a light at every level.
struct FeedbackEvent: Sendable {
    /// The predefined sound; nil for none.
    var sound: SystemSoundID?
    /// What the sound is for the policy.
    var kind = SoundRequest.notification()
    /// The vibration; nil for none.
    var vibration: VibrationPattern?
    /// What the status light shows until the event ends; nil for nothing.
    var light: LightPattern?
    /// Its color, where the light has several.
    var color: LightColor?

    private init(_ sound: SystemSoundID?, _ kind: SoundRequest = .notification(), vibration text: String? = nil) {
        self.sound = sound
        self.kind = kind
        vibration = text.flatMap { try? VibrationPattern(milliseconds: $0) }
    }

    /// An event of light alone: it has no end of its own.
    private init(light: LightPattern, _ color: LightColor) {
        (self.light, self.color) = (light, color)
    }

    /// An event that is in no theme, whose caller brings a sound of its own.
    static let unknown = FeedbackEvent(nil)

    /// Something that was missed. The colors are those of feedbackd's theme.
    private static func missed(_ color: LightColor = LightColor(blue: 255)) -> FeedbackEvent {
        FeedbackEvent(light: .blinking(on: .seconds(1), off: .seconds(1)), color)
    }

    private static let key = FeedbackEvent(1104, .systemSound(isUISound: true), vibration: "20")

    /// The events by name (feedbackd, "Event naming specification").
    static let named: [String: FeedbackEvent] = [
        "alarm-clock-elapsed": FeedbackEvent(1005, .alarm, vibration: "500,500,500"),
        "battery-caution": FeedbackEvent(
            light: .blinking(on: .milliseconds(200), off: .milliseconds(1800)), LightColor(red: 255)),
        "bell-terminal": FeedbackEvent(nil, vibration: "100"),
        "button-pressed": key,
        "button-released": FeedbackEvent(nil, vibration: "10"),
        "camera-focus": FeedbackEvent(1057, .systemSound(isUISound: true)),
        "camera-shutter": FeedbackEvent(1108, .systemSound(isUISound: false)),
        "key-pressed": key,
        "key-released": FeedbackEvent(nil, vibration: "10"),
        "message-missed-email": missed(LightColor(red: 128, blue: 128)),
        "message-missed-instant": missed(),
        "message-missed-notification": missed(),
        "message-missed-sms": missed(),
        "message-new-cellbroadcast": FeedbackEvent(1005, .alert, vibration: "1000,500,1000"),
        "message-new-email": FeedbackEvent(1000, vibration: "200"),
        "message-new-instant": FeedbackEvent(1003, vibration: "200,100,200"),
        "message-new-sms": FeedbackEvent(1007, vibration: "200,100,200"),
        "message-sent-instant": FeedbackEvent(nil, vibration: "50"),
        "notification-missed-generic": missed(),
        "notification-new-generic": FeedbackEvent(nil, vibration: "100"),
        "phone-failure": FeedbackEvent(1073),
        "phone-hangup": FeedbackEvent(1152),
        "phone-incoming-call": FeedbackEvent(1151, .alert, vibration: "400,200,400"),
        "phone-missed-call": missed(LightColor(green: 255, blue: 255)),
        "phone-outgoing-busy": FeedbackEvent(1070),
        "screen-capture": FeedbackEvent(1108, .systemSound(isUISound: false)),
        "theme-demo": FeedbackEvent(1025, vibration: "100,100,100"),
        "timeout-completed": FeedbackEvent(1005, .alarm, vibration: "300,200,300"),
        "window-close": FeedbackEvent(1104, .systemSound(isUISound: true), vibration: "20"),
    ]
}

/// The hints of an event; those of another type are ignored, as unknown ones are.
struct FeedbackHints: Sendable {
    /// The level that the event has at most; nil where the hint names none that is known.
    var level: FeedbackLevel? = .full
    var isImportant = false
    var soundFile: String?

    init(_ values: [String: BusValue]) {
        if let name = values["profile"]?.string { level = FeedbackLevel(rawValue: name) }
        isImportant = values["important"]?.boolean ?? false
        soundFile = values["sound-file"]?.string
    }
}
