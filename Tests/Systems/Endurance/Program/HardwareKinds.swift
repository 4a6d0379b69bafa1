import Glibc
import RingerLinux
import SystemPackage

extension Kinds {
    /// Devices of hardware, in a folder in place of the kernel's: what is a file there is as on a board.
    static var hardware: [Kind] {
        [
            Kind("devices of hardware that are opened and closed, and openings that fail", share: 20) {
                let machine = try Machine()
                return { number in
                    var hardware = machine.hardware
                    switch number % 5 {
                    case 0: hardware.motor = .led("missing")
                    case 1: hardware.statusLight = "missing"
                    case 2: hardware.motor = .led("vibrator")
                    case 3: hardware.following = .all
                    default: hardware.ringSilent = .evdev(.path("/dev/null"))
                    }
                    let fails = number % 5 == 0 || number % 5 == 1 || number % 5 == 4
                    do {
                        let device = try Device.open(
                            hardware, configuration: .init(observer: { _ in Depth.note() }))
                        let ends = Ends()
                        if number % 2 == 0 {
                            try device.start(Variations.sounds[round: number], completion: ends.one())
                            device.vibrator?.start(.standard, completion: ends.one())
                        }
                        device.close()
                        try ends.wait()
                        try require(!fails, "a device without its parts was opened")
                    } catch let error as RingerError { try require(fails, "\(error)") }
                }
            },
            Kind("a light and a motor of the LED class", share: 40) {
                let machine = try Machine()
                let device = try Device.open(machine.hardware)
                let (light, vibrator) = (try device.statusLight.unwrapped(), try device.vibrator.unwrapped())
                let ends = Ends()
                return { number in
                    try light.show([.off, .on, .blinking(on: .seconds(1), off: .milliseconds(20))][round: number])
                    let vibration = vibrator.start(.standard, completion: ends.one())
                    if number % 3 == 0 { vibrator.start(.standard, completion: ends.one()) }
                    vibrator.stop(number % 2 == 0 ? vibration : nil)
                    vibrator.stop()
                    try ends.wait()
                    withExtendedLifetime((machine, device)) {}
                }
            },
            Kind("input devices, chips and cards that come and go while a switch is waited for", share: 4) {
                let machine = try Machine()
                var hardware = machine.hardware
                hardware.ringSilent = .evdev(.automatic())
                let device = try Device.open(hardware, configuration: .init(observer: { _ in Depth.note() }))
                let names = ["input/event0", "input/event1", "gpiochip0", "snd/controlC0", "input/js0"]
                return { number in
                    let name = names[round: number]
                    try machine.write("", to: name)
                    if number % 2 == 0 { chmod(machine.path + "/" + name, number % 4 == 0 ? 0 : 0o600) }
                    machine.remove(name)
                    _ = device.switchProblem
                    device.core.flush()
                }
            },
            Kind("scans of the machine's hardware", share: 50) {
                let machine = try Machine()
                return { number in
                    try machine.write("", to: "input/event\(number % 3)")
                    let findings = HardwareDiscovery.scan(machine.hardware.paths)
                    try require(!findings.motors.isEmpty, "the motor was not found")
                    machine.remove("input/event\(number % 3)")
                }
            },
        ]
    }
}

extension Kinds {
    /// Only in the laboratory, whose kernel has the drivers, also with `env ALSA_CONFIG_UCM2=$PWD/Tests/Lab/ucm2`:
    ///
    ///     Tests/Lab/run -- env GLIBC_TUNABLES=glibc.malloc.tcache_count=0 .build/debug/endurance 1500 "a whole device of the laboratory"
    static var laboratory: [Kind] {
        [
            Kind("a whole device of the laboratory") {
                { number in
                    var hardware = Device.Hardware()
                    switch number % 4 {
                    case 0: hardware.ringSilent = .gpio(.named("ring-silent"))
                    case 1: hardware.motor = .gpio(.named("vibrator"))
                    case 2: (hardware.motor, hardware.following) = (.led("vibrator"), .all)
                    default: hardware.pcm = ["hw:Dummy", "mixed"][round: number, each: 4]
                    }
                    let device = try Device.open(hardware, configuration: .init(observer: { _ in Depth.note() }))
                    let ends = Ends()
                    if number % 2 == 0 {
                        try device.start(Variations.sounds[round: number, each: 2], completion: ends.one())
                        device.vibrator?.start(.standard, completion: ends.one())
                        try device.statusLight?.show(.on)
                    }
                    device.close()
                    try ends.wait()
                }
            }
        ]
    }
}

/// A folder in place of the kernel's, with a motor and a light of the LED class.
private final class Machine {
    let path: String
    private static let folders = ["", "/input", "/snd", "/sys", "/leds", "/leds/vibrator", "/leds/green:status"]

    init() throws {
        path = "/tmp/ringer-machine-\(getpid())"
        for folder in Self.folders { mkdir(path + folder, 0o700) }
        let attributes = [
            "max_brightness": "255\n", "brightness": "0\n", "activate": "0\n", "duration": "0\n", "state": "0\n",
            "delay_on": "0\n", "delay_off": "0\n",
        ]
        for (folder, trigger) in [("vibrator", "[none] transient\n"), ("green:status", "[none] timer\n")] {
            for (name, value) in attributes { try write(value, to: "leds/\(folder)/\(name)") }
            try write(trigger, to: "leds/\(folder)/trigger")
        }
    }

    deinit {
        _ = system("rm -rf '\(path)'")
    }

    var hardware: Device.Hardware {
        let root = FilePath(path)
        return Device.Hardware(
            motor: .led("vibrator"), statusLight: "green:status", pcm: "null", linger: .zero,
            paths: HardwarePaths(
                devices: root, input: root.appending("input"), leds: root.appending("leds"),
                sound: root.appending("snd"), system: root.appending("sys")))
    }

    func write(_ text: String, to name: String) throws {
        try writeFile(text, to: path + "/" + name)
    }

    func remove(_ name: String) { unlink(path + "/" + name) }
}
