import RingerBus

extension BusInterface {
    /// The interface of feedbackd, as its clients know it (feedbackd, `data/org.sigxcpu.Feedback.xml`).
    package static let feedback = BusInterface(
        FeedbackNames.interface,
        "Feedback of events by sound, vibration and light, for programs that were written for feedbackd.",
        methods: [
            Method(
                "TriggerFeedback",
                [.init("app_id", "s"), .init("event", "s"), .init("hints", "a{sv}"), .init("timeout", "i")],
                [.init("id", "u")],
                """
                Gives the feedback of an event: once with the timeout -1, for so many seconds with a positive one, until \
                EndFeedback with 0. Hints: profile (s), which lowers the level; important (b); sound-file (s), a path.
                """),
            Method(
                "EndFeedback", [.init("id", "u")], [],
                "Ends the feedback of an event of the caller's own. One that has ended is not an error."),
        ],
        properties: [
            Property(
                "Profile", "s", isWritable: true,
                "The noisiest feedback that is given: full (sound, vibration, light), quiet (vibration, light), silent (light)."
            )
        ],
        signals: [
            Signal(
                "FeedbackEnded", [.init("id", "u"), .init("reason", "u")],
                """
                An event's feedback has ended: 0 by itself, 2 by EndFeedback or the profile, 4294967295 where there is none. \
                Sent to its caller alone.
                """)
        ])

    /// The motor, for feedbackd's clients.
    package static let haptic = BusInterface(
        FeedbackNames.hapticInterface, "The vibration motor.",
        methods: [
            Method(
                "Vibrate", [.init("app_id", "s"), .init("pattern", "a(du)")], [.init("success", "b")],
                """
                Turns the motor: amplitudes from 0 to 1, each with its milliseconds, at most ten pairs of at most 10,000 ms. \
                An empty pattern stops it. False where the level is silent, while an event vibrates, and without a motor.
                """)
        ])
}

/// The names under which feedbackd's clients find it.
package enum FeedbackNames {
    /// The well-known name.
    package static let service = "org.sigxcpu.Feedback"
    /// The object.
    package static let path = "/org/sigxcpu/Feedback"
    /// The interface of events.
    package static let interface = "org.sigxcpu.Feedback"
    /// The interface of the motor.
    package static let hapticInterface = "org.sigxcpu.Feedback.Haptic"
}
