extension BusInterface {
    /// The interface of a simulated board, on the object ``RingerNames/path``: there with `--board simulated` alone.
    package static let simulatedBoard = BusInterface(
        RingerNames.simulatedBoardInterface,
        "A simulated board, for tests of programs that use the service: its switch, jacks, faults, time and recordings.",
        methods: [
            Method("SetSwitch", [.init("position", "s")], [], "Moves the switch: ring, vibrate or silent."),
            Method("SetJack", [.init("jack", "s"), .init("isInserted", "b")], [], "Plugs headphone or microphone."),
            Method("SetVolume", [.init("volume", "d")], [], "Sets the output volume, 0 to 1."),
            Method(
                "SetInputAvailable", [.init("isAvailable", "b")], [],
                "Says whether the board has a microphone of its own."),
            Method(
                "PressKey", [.init("key", "s")], [],
                "Presses a key, repeat, silence, volumeUp or volumeDown, and releases it."),
            Method(
                "PressButton", [.init("milliseconds", "u")], [],
                "Presses the button that moves the kept position, and releases it after this time."),
            Method(
                "SetFault", [.init("part", "s"), .init("fault", "s")], [],
                """
                Makes a part fail: switch none, unplugged or unreadable; motor none, on or off; speaker none, busy, \
                missing or unpaced; light none or failing.
                """),
            Method(
                "SetWallTime", [.init("microseconds", "t")], [],
                """
                Sets the wall clock of the virtual clock, in microseconds since the beginning of 1970, UTC; before 2026 it was never \
                set. With a real clock it is an error.
                """),
            Method(
                "SetTimeZone", [.init("rules", "s")], [],
                "Sets the time zone by its rules, as in the variable TZ, such as CET-1CEST,M3.5.0,M10.5.0/3; UTC at first."
            ),
            Method(
                "Advance", [.init("microseconds", "t")], [.init("now", "t")],
                """
                Moves the virtual clock forward, and replies when all that falls due on the way has been done, with the \
                Ended signals sent. With a real clock it is an error.
                """),
            Method(
                "Recordings", [], [.init("recordings", "aa{sv}")],
                """
                The newest 100 sounds that were handed to the speaker: start and end (t, in microseconds, where they \
                have come), frames and played (u), rate (d), channels (u), route (s), gain (d).
                """),
            Method(
                "MotorTurns", [], [.init("turns", "aa{sv}")],
                "The newest 256 turns of the motor: start and end (t, in microseconds), strength (d)."),
            Method(
                "Lights", [], [.init("lights", "aa{sv}")],
                "What the status light showed, the newest 256: pattern (s) and at (t, in microseconds)."),
        ],
        properties: [Property("Clock", "s", isConstant: true, "real or virtual.")])
}
