/// One thing that happens, on any thread: a request of a caller, an event of the world, or what goes on by itself.
struct Step: Hashable, CustomStringConvertible {
    enum Kind: UInt8, CaseIterable {
        // Requests of two callers.
        case activate, deactivate, startFirst, startSecond, stopFirst, stopSecond
        case announce, clear, alert, alarm, stopAlert, vibrate, vibrateLong, stopVibration
        // Events of the world.
        case silence, ring, press, boundary, interrupt, endInterruption, time
        // What goes on by itself: the device's thread, the sound thread, the hardware.
        case perform, look, begun, drain, answerMotor, answerHardware, keep
        // The one that fails instead.
        case failSound, failMotor, failHardware
    }

    var kind: Kind
    /// The voice that it concerns, in the order in which the output got them.
    var voice: UInt8 = 0

    /// In 2 bytes.
    var code: UInt16 { UInt16(kind.rawValue) << 8 | UInt16(voice) }

    init(_ kind: Kind, _ voice: Int = 0) {
        self.kind = kind
        self.voice = UInt8(voice)
    }

    init(code: UInt16) {
        kind = Kind(rawValue: UInt8(code >> 8)) ?? .time
        voice = UInt8(code & 0xff)
    }

    var description: String {
        switch kind {
        case .activate: "the first caller activates its session (soloAmbient)"
        case .deactivate: "the first caller deactivates its session"
        case .startFirst: "the first caller starts a sound in its session"
        case .startSecond: "the second caller starts a system sound"
        case .stopFirst: "the first caller's sound is stopped"
        case .stopSecond: "the second caller's sound is stopped"
        case .announce: "an announcement is added"
        case .clear: "the announcements are cleared"
        case .alert: "an alert is started"
        case .alarm: "an alarm is started"
        case .stopAlert: "the alert is stopped"
        case .vibrate: "a vibration of 0.4 s is started"
        case .vibrateLong: "a vibration until it is stopped is started"
        case .stopVibration: "every vibration is stopped"
        case .silence: "the switch goes to silent"
        case .ring: "the switch goes to ring"
        case .press: "the button is pressed, which moves the kept position"
        case .boundary: "the wall clock reaches the next boundary of the quiet hours"
        case .interrupt: "an interruption begins"
        case .endInterruption: "the interruption ends"
        case .time: "time passes up to the next timer, which expires"
        case .perform: "the device's thread performs the oldest effect"
        case .look: "voice \(voice): the sound thread looks at the gate, and begins or drops the sound"
        case .begun: "voice \(voice): its report of the beginning arrives"
        case .drain: "voice \(voice): the last frame was played"
        case .answerMotor: "the motor answers"
        case .answerHardware: "the sound hardware answers what it grants"
        case .keep: "the kept position is durable"
        case .failSound: "voice \(voice): the output fails"
        case .failMotor: "the motor answers with an error"
        case .failHardware: "the sound hardware answers with an error"
        }
    }
}

/// How often each kind of event may still come: what makes the space finite. Everything else ends by itself.
struct Budget: Hashable {
    /// Whether the first caller's session is active from the beginning.
    var isActive = false
    var activations: UInt8 = 0
    /// Whether each caller may start a sound.
    var sounds: UInt8 = 0
    var stops: UInt8 = 0
    var flips: UInt8 = 0
    var interruptions: UInt8 = 0
    var announcements: UInt8 = 0
    var clears: UInt8 = 0
    var alerts: UInt8 = 0
    /// Vibrations that end by themselves, and those that are stopped.
    var vibrations: UInt8 = 0
    var longVibrations: UInt8 = 0
    var motorStops: UInt8 = 0
    var times: UInt8 = 0
    var faults: UInt8 = 0
    var presses: UInt8 = 0
    var boundaries: UInt8 = 0
    var alarms: UInt8 = 0

    /// The budgets by name: one of everything, and small ones, which are searched to their end.
    static let named: [(name: String, budget: Budget)] = [
        (
            "all",
            Budget(
                isActive: true, sounds: 1, stops: 1, flips: 1, interruptions: 1, alerts: 1, vibrations: 1, times: 1,
                faults: 1)
        ),
        (
            "wide",
            Budget(
                activations: 1, sounds: 1, stops: 2, flips: 2, interruptions: 1, announcements: 2, clears: 1, alerts: 1,
                vibrations: 1, longVibrations: 1, motorStops: 1, times: 2, faults: 1)
        ),
        ("sounds", Budget(activations: 1, sounds: 1, stops: 2, flips: 2, interruptions: 1, faults: 1)),
        ("queue", Budget(activations: 1, flips: 1, interruptions: 1, announcements: 2, clears: 1, faults: 1)),
        ("alert", Budget(flips: 3, alerts: 1, times: 2, faults: 1)),
        ("silence", Budget(sounds: 1, flips: 1, presses: 1, boundaries: 1, alarms: 1)),
        ("motor", Budget(vibrations: 1, longVibrations: 2, motorStops: 2, times: 4, faults: 1)),
    ]
}
