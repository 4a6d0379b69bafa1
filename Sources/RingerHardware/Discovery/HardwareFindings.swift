import RingerServices
import SystemPackage

/// What the kernel shows of a device's hardware, and what it does not let this process see.
package struct HardwareFindings: Sendable {
    /// A part that was found.
    package struct Candidate<Specification: Sendable & Hashable>: Sendable, Hashable {
        /// How to name it, such that it is found again under another number after it was unplugged.
        package var specification: Specification
        /// What it is, for people: "evdev /dev/input/event0 (ring-silent-switch)".
        package var name: String
        /// Its file.
        package var path: FilePath
        /// Why it cannot be opened now; nil where it can.
        package var problem: HardwareProblem?

        /// A part that is named by `specification`.
        package init(
            specification: Specification, name: String, path: FilePath, problem: HardwareProblem? = nil
        ) {
            self.specification = specification
            self.name = name
            self.path = path
            self.problem = problem
        }
    }

    /// The Ring/Silent switches, the one to use first: evdev switches, then sliders, then a GPIO line. One that sysfs or the
    /// device tree shows and that this process cannot read has a ``Candidate/problem``.
    package var switches: [Candidate<SwitchSpecification>] = []
    /// The vibration motors, the one to use first: force feedback, then an LED, then a GPIO line.
    package var motors: [Candidate<MotorSpecification>] = []
    /// The input devices with jacks, by number.
    package var jacks: [Candidate<EvdevSelector>] = []
    /// What could not be looked at, or is there and cannot be had.
    package var problems: [HardwareProblem] = []

    /// Findings of nothing.
    package init() {}
}
