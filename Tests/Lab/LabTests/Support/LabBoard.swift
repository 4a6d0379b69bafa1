/// The laboratory's board, as the laboratory's board.dts and its parts describe it.
enum LabBoard {
    /// The only chip that the board has from the start.
    static let chip = SimulatedChip(device: "gpio-sim", chip: "gpiochip0")

    /// gpio-keys, `SW_MUTE_DEVICE`: high is silent. Debounced by the kernel for 10 ms.
    static let switchLine = 0
    /// gpio-vibrator, an input device with force feedback: high turns.
    static let motorLine = 1
    /// Free and named `ring-silent`.
    static let rawSwitchLine = 2
    /// Free and named `vibrator`.
    static let rawMotorLine = 3
    /// gpio-leds: /sys/class/leds/vibrator.
    static let ledMotorLine = 4
    /// gpio-keys-polled, `ABS_SND_PROFILE`: silent 0, vibrate 1, ring 2; read every 20 ms while it is open.
    static let sliderLines = (silent: 5, vibrate: 6, ring: 7)
    /// Free and without a name.
    static let freeLines = 8..<16
    /// gpio-leds: the status light.
    static let statusLightLine = 16
    /// gpio-keys: `KEY_AGAIN`, `KEY_MUTE`.
    static let keyLines = (repeat: 17, silence: 18)
    /// gpio-keys, `SW_HEADPHONE_INSERT`: high with a plug. Debounced by the kernel for 100 ms.
    static let jackLine = 19

    /// The names of the board's input devices.
    static let switchName = "ring-silent-switch"
    static let motorName = "gpio-vibrator"
    static let sliderName = "sound-profile-slider"
    static let keysName = "ringer-keys"
    static let jackName = "headphone-jack"
    /// The LED class device of the status light.
    static let statusLightName = "green:status"
    /// The LED class device of the motor.
    static let ledFolder = "/sys/class/leds/vibrator"

    /// The position of the three-position slider.
    enum SliderPosition: Int, Sendable, CaseIterable {
        case silent = 0
        case vibrate = 1
        case ring = 2

        /// The line that is high at this position.
        var line: Int {
            switch self {
            case .silent: sliderLines.silent
            case .vibrate: sliderLines.vibrate
            case .ring: sliderLines.ring
            }
        }
    }

    /// Moves the ring/silent switch; the kernel reports it 10 ms later.
    static func setSwitch(silent: Bool) throws {
        try chip.setPull(switchLine, silent ? .up : .down)
    }

    /// Moves the slider in one go, or with `nil` to between two positions, if none of its lines is high.
    static func setSlider(_ position: SliderPosition?) throws {
        for other in SliderPosition.allCases where other != position {
            try chip.setPull(other.line, .down)
        }
        if let position { try chip.setPull(position.line, .up) }
    }

    /// The board at rest: the switch and the slider at ring, every other input low, the LED off.
    static func reset() async throws {
        try setSlider(.ring)
        for line in [rawSwitchLine, rawMotorLine, jackLine] + freeLines where try chip.pull(of: line) == .up {
            try chip.setPull(line, .down)
        }
        // Off, and the trigger as it is at first: brightness 0 would take the trigger away.
        try KernelFile.write("none", to: "\(ledFolder)/trigger")
        try KernelFile.write("transient", to: "\(ledFolder)/trigger")

        // The debounced switch is at rest when the kernel says so.
        let device = try InputDevice(named: switchName)
        try setSwitch(silent: false)
        while try device.isOn(switch: Int(SwitchCode.muteDevice)) {
            _ = try await device.next(within: .seconds(60))
        }
    }
}
