import RingerPolicy

extension BusInterface {
    /// The native interface, on the object ``RingerNames/path``.
    package static let ringer = BusInterface(
        RingerNames.interface,
        """
        The device: its ring/silent switch, keys, vibration motor, status light and speaker, and the rules between them. Each request (Play, \
        Alert, Notify, Announce, Vibrate, Light, Detect) is answered with its number, and then ends with one Ended signal, sent \
        to its caller alone. A sound is a number of a system sound (u), the name of a predefined sound (s) or the \
        descriptor of a sound file (h).
        """,
        methods: [
            Method(
                "Play", [.init("sound", "v"), .init("options", "a{sv}")], [.init("request", "u")],
                """
                Plays a sound. Without options it is a system sound of at most 30 s. Options: category (s), the audio \
                category, in which a sound of any length plays, with the options that Play of a session has; options (as), \
                that category's options; alert (b), as an alert, which also vibrates; uiSound (b), whether a system sound \
                obeys the preference soundEffects, true by default; completePlaybackIfAppDies (b), whether it plays on when \
                its caller leaves the bus, not with rounds; as (s), to be judged like that kind of sound and nothing else, \
                without a vibration or a limit: systemSound, alert, alarm or notification, with the options that Decide has for it.
                """),
            Method(
                "Alert", [.init("sound", "v"), .init("options", "a{sv}")], [.init("request", "u")],
                """
                Repeats a sound and a vibration until it is stopped. One alert runs at a time: the same one again joins the \
                one that its caller began, any other replaces the one that runs. Options: kind (s), alert or alarm, which \
                the switch does not silence; way (s), sound, vibration, both or none; limit (d), in seconds, 20 by default, 0 for none; pattern (s), the vibration of each round, \
                turns and rests in milliseconds, such as 400,200,400; pause (d), in seconds, between two rounds.
                """),
            Method(
                "Notify", [.init("sound", "v"), .init("options", "a{sv}")], [.init("request", "u")],
                """
                Plays the sound of a notification; the name "" means the default one, which also stands in for a file that \
                cannot be played. Options: volume (d), 0 to 1; critical (b), which neither the switch nor do-not-disturb \
                silences.
                """),
            Method(
                "Announce", [.init("clips", "av"), .init("options", "a{sv}")], [.init("request", "u")],
                """
                Queues an announcement of clips that are joined without a gap. Options: category (s), playback by \
                default; options (as); priority (i), greater ones go first; expiry (d), in seconds; volume (d), 0 to 1, in the \
                place of the preference announcementVolume.
                """),
            Method(
                "Vibrate", [.init("pattern", "s"), .init("options", "a{sv}")], [.init("request", "u")],
                """
                Turns the motor: turns and rests in milliseconds, such as 400,200,400; the pattern "" means the standard \
                vibration. Options: strength (d), above 0 to 1; times (u), 0 until it is stopped.
                """),
            Method(
                "Light", [.init("pattern", "s")], [.init("request", "u")],
                """
                Lights the status light until it is stopped: on, or the milliseconds on and off, such as 500,500. The newest \
                request is shown; when it is stopped, the one before is shown again.
                """),
            Method(
                "Stop", [.init("request", "u")], [],
                "Stops a request. A request that has ended already is not an error."),
            Method(
                "SetVolume", [.init("request", "u"), .init("volume", "d")], [],
                "Changes the volume of a sound that Play plays in a category or a session, 0 to 1, within 20 ms."),
            Method(
                "ReleaseOutput", [], [],
                "Closes the speaker's PCMs on which no sound plays, and replies once they are closed: for a program that opens "
                    + "the hardware itself, after its own requests have ended. The sounds of others play on. Without it a PCM "
                    + "stays open for a while after its sound."),
            Method(
                "SetPosition", [.init("position", "s")], [],
                """
                Sets the position that is kept beside the switch's: ring, vibrate or silent; toggle changes between ring and \
                silent. It takes effect at once, can only add silence to a switch, and is that of a device without one. Replies \
                once it is kept. It needs the permission to control.
                """),
            Method(
                "SetPositionUntil", [.init("position", "s"), .init("until", "t")], [],
                """
                SetPosition with ring, vibrate or silent until a time, in microseconds since the beginning of 1970, UTC: then the \
                position before is in force again, ring if there was none. Another one that is set, or a press of the button, ends \
                it earlier. While the clock was never set it does not end, unless that would add silence.
                """),
            Method(
                "Decide", [.init("sound", "s"), .init("options", "a{sv}")],
                [.init("decision", "s"), .init("reason", "s"), .init("details", "a{sv}")],
                """
                Reports the decision on a sound now: play, vibrate or silence. Sounds: session, with the options \
                category (s), options (as), background (b); systemSound, with uiSound (b); alert; notification, with \
                volume (d) and critical (b); announcement, with category (s), options (as) and volume (d); alarm; vibration. Details: gain (d), route (s), vibrates (b).
                """),
            Method(
                "Detect", [], [.init("request", "u")],
                "Finds out by timing whether sounds are heard: Ended with the outcome muted, audible or unknown. It plays "
                    + "silence, and so needs the permission to play."),
            Method(
                "CreateSession", [.init("options", "a{sv}")], [.init("session", "o")],
                """
                Makes an audio session of the caller's. Options: name (s), category (s), options (as), priority (i, 0 \
                ordinary, 100 a call, 200 an alarm). It is removed by its method Release, and when its owner leaves the bus.
                """),
        ],
        properties: [
            Property(
                "SwitchPosition", "s",
                "The position of the ring/silent switch: ring, vibrate or silent; empty where it is not known."),
            Property(
                "SwitchReadability", "s", "readable, unreadable (see the preference whenSwitchUnreadable) or none."),
            Property(
                "KeptPosition", "s",
                "The position that SetPosition set, kept over a restart: ring, vibrate or silent; empty where there is none."
            ),
            Property(
                "KeptPositionUntil", "t",
                "When KeptPosition ends by itself, in microseconds since the beginning of 1970, UTC; 0 where it does not."
            ),
            Property(
                "QuietHoursNow", "s",
                "What the quiet hours of the preferences ask for now: vibrate or silent; empty outside of them."),
            Property(
                "QuietHoursUntil", "t",
                """
                When these quiet hours end, in microseconds since the beginning of 1970, UTC; 0 outside of them, and where they have \
                no end that is known: the clock was never set, or the time zone cannot be read.
                """),
            Property(
                "QuietHoursVolume", "d",
                "The volume that the quiet hours give announcements and media now, 0 to 1, a factor; -1 where they give none."
            ),
            Property(
                "QuietHoursVolumeUntil", "t",
                "When that ends or becomes another one, as QuietHoursUntil."),
            Property(
                "EffectivePosition", "s",
                """
                The position that sounds are judged by: the most silent one of the switch's, that of SetPosition and that of the \
                quiet hours. A switch that cannot be read counts as the preference whenSwitchUnreadable says; without any it is ring.
                """),
            Property(
                "SilencedBy", "as",
                "What is at EffectivePosition where that is not ring: switch, software (SetPosition), quietHours."),
            Property(
                "Route", "s", "Where sound leaves the device: speaker, receiver, headphone, headset, line, bluetooth."),
            Property(
                "ScreenLocked", "b", isWritable: true,
                "Whether the screen is locked. Writable while no logind has a session on a seat, whose lock it would report."
            ),
            Property("Jacks", "as", "What is plugged in: headphone, microphone."),
            Property(
                "Volume", "d", isWritable: true,
                "The output volume in the mixer, 0 to 1, where one that is set becomes the nearest step; -1 without a mixer."
            ),
            Property("InputAvailable", "b", "Whether there is a microphone."),
            Property(
                "PlaybackSilenced", "b",
                "Whether an active session, of the category record or audioProcessing, silences all sounds, those of active "
                    + "sessions, too. Published before the reply to Activate."),
            Property(
                "Call", "s",
                "The call that is on, by the preference alertsDuringCall: priority, where its session has a call's priority; "
                    + "ordinary, where a session of the category playAndRecord, which does not mix, has none; else empty."
            ),
            Property(
                "Requests", "a(us)", "The requests that have not ended: their numbers, and the methods that began them."
            ),
            Property(
                "Preferences", "a{sv}", isWritable: true,
                """
                What the user chose: \(UserPreferences.busNames). What is not written \
                stays as it is. The service keeps them, and replies once they are kept.
                """),
            Property("Motor", "s", isConstant: true, "The vibration motor, for people; empty where there is none."),
            Property("StatusLight", "s", isConstant: true, "The status light, for people; empty where there is none."),
            Property(
                "SampleRate", "d",
                """
                The sample rate that the sound hardware granted last, in hertz; 0 until a session is activated or a sound \
                plays.
                """),
            Property("OutputChannels", "u", "The channels that are played, granted likewise."),
            Property(
                "InputChannels", "u", "The channels that are recorded; 0 without input, and before a session records."
            ),
            Property("OutputLatency", "d", "How long a sample takes from a program to the output, in seconds."),
            Property("InputLatency", "d", "How long a sample takes from the input to a program, in seconds."),
            Property("BufferDuration", "d", "The duration of what the hardware takes at a time, in seconds."),
            Property("OutputLost", "b", "Whether the PCM that sounds go to, or the sound server behind it, is gone."),
            Property("Routes", "as", "The routes that are present now, jacks among them."),
            Property("Board", "s", isConstant: true, "hardware, or simulated."),
        ],
        signals: [
            Signal(
                "Ended",
                [
                    .init("request", "u"), .init("outcome", "s"), .init("reason", "s"), .init("details", "a{sv}"),
                ],
                """
                A request has ended: finished, silenced, stopped, timedOut or failed, or a detector's verdict; and why. \
                Details: error and message (s) of a failure; elapsed (d), in seconds; rounds (u), sounded and vibrated (b), \
                soundError (s) of an alert; vibration (s); fallback (s), why another sound played, or not all of it; \
                threshold (d), in seconds, route (s) and attempts (u) of a detector; of a sound that was played in a category, \
                a session or as a kind, started and ended (t), in nanoseconds of CLOCK_MONOTONIC, and played and frames (t), \
                of the sound.
                """),
            Signal(
                "Started", [.init("request", "u"), .init("at", "t")],
                """
                The first frame of a request's sound was accepted, in nanoseconds of CLOCK_MONOTONIC. Sent to the caller \
                alone, for sounds that are played in a category, a session or as a kind.
                """),
            Signal(
                "Key", [.init("key", "s"), .init("isPressed", "b"), .init("at", "t")],
                """
                A key of the device was pressed or released, in nanoseconds of CLOCK_MONOTONIC: repeat, to repeat the last \
                announcement; silence, to silence the ring; volumeUp and volumeDown, which change the preferences by themselves.
                """),
            Signal(
                "Degraded", [.init("message", "s")],
                "Something is wrong with the device, or was lost: the sentence names the part and the system's reason."),
        ],
        failures: failures)

    /// What the methods of every interface fail with, and what the detail error of an Ended signal may be.
    private static let failures =
        [
            ("InvalidArgs", "An argument or option has another type, an unknown name or a value out of its range."),
            ("UnknownMethod", "There is no such method."),
            ("UnknownProperty", "There is no such interface or property."),
            ("UnknownObject", "There is no such session."),
            ("PropertyReadOnly", "The property cannot be set, or not now."),
            ("AccessDenied", "The caller may not do this, by ringerd.conf, or the session is another program's."),
            (
                "LimitsExceeded",
                "The caller, its user or all programs together have as much as they may have, or the message is too large."
            ),
        ].map { Failure("org.freedesktop.DBus.Error." + $0, $1) }
        + [
            ("NotFound", "There is no such sound, device, file or PCM."),
            ("PermissionDenied", "The service may not open a device or file."),
            ("Busy", "Another process holds the device."),
            ("Disconnected", "The device was there and is gone."),
            ("Unreachable", "The motor is gone, and may still turn."),
            ("Unsupported", "The device or the file exists and cannot do what was requested."),
            ("Invalid", "The request makes no sense: a name, a number or a file that cannot be right."),
            ("SoundTooLong", "A system sound has at most 30 s."),
            ("SoundIncomplete", "The sound file ends too early."),
            ("TimedOut", "The device did not answer in time."),
            ("Closed", "The device was closed: the service ends."),
            ("NotActive", "The session cannot be active beside one that matters more."),
            ("SessionNotActive", "Nothing plays in a session that is not active."),
            ("IncompatibleCategory", "The session's category does not allow it."),
            ("NoCategorySet", "The session's category has to be set first."),
            ("NoHardware", "There is no audio input."),
            ("Session", "Anything else that a session refuses."),
            ("System", "Anything else that the system reports: the message has its reason."),
        ].map { Failure("org.ringer.Error." + $0, $1) }

    /// A session, on an object below ``RingerNames/path``.
    package static let session = BusInterface(
        RingerNames.sessionInterface, "An audio session. Only its owner may use it; its signals are sent to its owner.",
        methods: [
            Method(
                "Activate", [], [],
                """
                Activates it: others are interrupted, ducked or played beside. Where it is refused, because a session matters \
                more, RefusalEnded says when to try again.
                """),
            Method(
                "Resume", [.init("since", "t")], [.init("active", "b")],
                """
                Activates it as one that was active or interrupted with the service before this one: since is what ActiveSince was. \
                What was activated later interrupts it as before, and a session that matters more interrupts it instead of having \
                it refused. Active says that it is active, and not interrupted. A program that calls Activate instead is the newest. \
                Nothing changes for a session that is active or interrupted already.
                """),
            Method(
                "Deactivate", [.init("notifyOthers", "b")], [],
                "Deactivates it. Its sounds stop, and those that it interrupted may resume where notifyOthers says so."),
            Method(
                "SetCategory", [.init("category", "s"), .init("options", "as")], [],
                "Sets the category and its options together."),
            Method(
                "Play", [.init("sound", "v"), .init("options", "a{sv}")], [.init("request", "u")],
                """
                Plays a sound in the session. Options: from (u), the first frame; rounds (u), how often it is played without a \
                gap, 1 by default, 4294967295 for without end; volume (d), 0 to 1; announcement (d), as an announcement of this \
                volume, 0 to 1, or with -1 of the user's.
                """),
            Method("Release", [], [], "Deactivates and removes the session."),
        ],
        properties: [
            Property("Name", "s", isConstant: true, "Its name, for people."),
            Property("Priority", "i", isConstant: true, "How much it matters beside others."),
            Property("Category", "s", isWritable: true, "Its audio category."),
            Property("Options", "as", isWritable: true, "Its category's options."),
            Property("Background", "b", isWritable: true, "Whether its application is in the background."),
            Property("Spoken", "b", isWritable: true, "Whether it speaks: a podcast, a book."),
            Property(
                "Phase", "s",
                "inactive, active or interrupted. The signal of its change comes before the reply to the call that changed it."
            ),
            Property(
                "ActiveSince", "t",
                """
                When it was activated, or its options began to interrupt others, in nanoseconds of CLOCK_MONOTONIC; 0 while it is \
                inactive.
                """),
            Property("Route", "s", "Where its sound leaves the device; empty where it has no output."),
            Property("Ducked", "b", "Whether it is ducked."),
            Property(
                "OtherAudioPlaying", "b",
                """
                Whether another session plays, or a program that has none. The kernel does not report such programs: they \
                are looked for when this is read, and when the session is activated.
                """),
        ],
        signals: [
            Signal("InterruptionBegan", [.init("by", "s")], "It is silent now, and not active."),
            Signal(
                "InterruptionEnded", [.init("shouldResume", "b")],
                "What interrupted it is over. With shouldResume it is active and may play, without it is inactive."),
            Signal(
                "RefusalEnded", [],
                """
                What refused the last Activate is over: it would be admitted now, and is not active yet. Sent once after a \
                refusal, unless Deactivate was called since.
                """),
            Signal(
                "RouteChanged", [.init("reason", "u"), .init("old", "s"), .init("new", "s")],
                "Its route changed, for one of the reasons of AVAudioSession.RouteChangeReason."),
            Signal("Ducked", [.init("isDucked", "b")], "Another session lowers its sounds, or has stopped doing so."),
        ])
}

/// The names under which the service is found.
package enum RingerNames {
    /// The well-known name.
    package static let service = "org.ringer.Ringer1"
    /// The object of the device.
    package static let path = "/org/ringer/Ringer1"
    /// The native interface.
    package static let interface = "org.ringer.Ringer1"
    /// The interface of a session.
    package static let sessionInterface = "org.ringer.Session1"
    /// The interface of a simulated board.
    package static let simulatedBoardInterface = "org.ringer.SimulatedBoard1"
}
