import RingerCore
import SystemPackage

/// The directories in which the kernel shows its devices.
public struct HardwarePaths: Sendable, Hashable {
    /// The device files, GPIO chips among them.
    public var devices: FilePath
    /// The input devices' files.
    public var input: FilePath
    /// The LED class.
    public var leds: FilePath
    /// The sound cards' files. alsa-lib itself looks in /dev/snd.
    public var sound: FilePath
    /// The processes; `asound` in it shows the state of sound cards.
    public var processes: FilePath
    /// sysfs: the input devices' capabilities, the GPIO chips and the device tree. Every user may read it.
    public var system: FilePath

    /// The paths, by default those of every Linux system.
    public init(
        devices: FilePath = "/dev", input: FilePath = "/dev/input", leds: FilePath = "/sys/class/leds",
        sound: FilePath = "/dev/snd", processes: FilePath = "/proc", system: FilePath = "/sys"
    ) {
        self.devices = devices
        self.input = input
        self.leds = leds
        self.sound = sound
        self.processes = processes
        self.system = system
    }

    /// The directory of the LED `name`.
    func led(_ name: String) throws(RingerError) -> FilePath {
        guard let component = FilePath.Component(name), component.kind == .regular else {
            throw RingerError(.invalid, "use as an LED's name", name)
        }
        return leds.appending(component)
    }

    /// The paths of every Linux system.
    public static let standard = HardwarePaths()
}
