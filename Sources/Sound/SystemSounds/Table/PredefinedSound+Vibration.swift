// The vibration every device has: 4095.
extension PredefinedSound {
    static let vibrations: [PredefinedSound] = [
        .init(4095, nil, "Vibrate", categorySince: "2.2", vibration: plainVibration)
    ]
}

// The vibration patterns of predefined sounds, each distinguishable by touch.
extension PredefinedSound {
    /// `Vibrate` (4095), which C programs know as `kSystemSoundID_Vibrate`: one plain pulse.
    static let plainVibration = [VibrationPulse(on: .milliseconds(400))]

    /// A message that arrives unheard (1011): two long pulses.
    static let messageVibration = [
        VibrationPulse(on: .milliseconds(250), off: .milliseconds(150)),
        VibrationPulse(on: .milliseconds(250)),
    ]

    /// The same as the settings show it (1311): shorter and softer.
    static let messageVibrationPreview = [
        VibrationPulse(on: .milliseconds(150), off: .milliseconds(100), strength: 0.7),
        VibrationPulse(on: .milliseconds(150), strength: 0.7),
    ]

    /// "Vibrate on ring" was switched (1350): short, then long, as a ring begins.
    static let ringerVibrationChanged = [
        VibrationPulse(on: .milliseconds(80), off: .milliseconds(80)),
        VibrationPulse(on: .milliseconds(320)),
    ]

    /// "Vibrate on silent" was switched (1351): long, then two short ones.
    static let silentVibrationChanged = [
        VibrationPulse(on: .milliseconds(300), off: .milliseconds(80), strength: 0.8),
        VibrationPulse(on: .milliseconds(80), off: .milliseconds(80), strength: 0.8),
        VibrationPulse(on: .milliseconds(80), strength: 0.8),
    ]
}
