/// A chip of the kernel's GPIO simulator: what hangs on its lines, and what it drives them to.
///
/// Source: the kernel's gpio-sim, `sim_gpioN/pull` and `sim_gpioN/value`.
struct SimulatedChip: Sendable {
    /// What an input line is connected to.
    enum Pull: String, Sendable {
        case up = "pull-up"
        case down = "pull-down"
    }

    /// The character device, /dev/gpiochipN.
    let devicePath: String
    /// The folder of the lines in sysfs.
    private let folder: String

    /// A chip by the names that the kernel gave it: the platform device's, such as `gpio-sim.0`, and the chip's, such
    /// as `gpiochip1`.
    init(device: String, chip: String) {
        devicePath = "/dev/\(chip)"
        folder = "/sys/devices/platform/\(device)/\(chip)"
    }

    /// Pulls an input line up or down; its readers see an edge where that changes its level.
    func setPull(_ line: Int, _ pull: Pull) throws {
        try KernelFile.write(pull.rawValue, to: "\(folder)/sim_gpio\(line)/pull")
    }

    /// What an input line is pulled to.
    func pull(of line: Int) throws -> Pull {
        let text = try KernelFile.read("\(folder)/sim_gpio\(line)/pull")
        guard let pull = Pull(rawValue: text) else { throw LabFailure("line \(line): pull is '\(text)'") }
        return pull
    }

    /// Whether a line is high: driven as an output, or pulled as an input.
    func isHigh(_ line: Int) throws -> Bool {
        try KernelFile.read(valuePath(of: line)) == "1"
    }

    /// The file that `isHigh` reads.
    func valuePath(of line: Int) -> String {
        "\(folder)/sim_gpio\(line)/value"
    }
}
