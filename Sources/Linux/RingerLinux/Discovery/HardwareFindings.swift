import RingerCore
import SystemPackage

/// The hardware that the kernel shows, and what this process may not see of it.
package struct HardwareFindings: Sendable {
    /// A part that was found.
    package struct Candidate<Specification: Sendable & Hashable>: Sendable, Hashable {
        /// A specification that finds the part again if it comes back under another number.
        package var specification: Specification
        /// The part's name, for people: "evdev /dev/input/event0 (ring-silent-switch)".
        package var name: String
        /// The part's file.
        package var path: FilePath
        /// Why the part cannot be opened now, or is not used unless it is named; nil if it can and is.
        package var problem: HardwareProblem?

        package init(
            specification: Specification, name: String, path: FilePath, problem: HardwareProblem? = nil
        ) {
            self.specification = specification
            self.name = name
            self.path = path
            self.problem = problem
        }
    }

    /// The Ring/Silent switches, the preferred one first: evdev switches, then sliders, then a GPIO line. A switch that
    /// sysfs or the device tree shows and that this process cannot read has a ``Candidate/problem``.
    package var switches: [Candidate<SwitchSpecification>] = []
    /// The vibration motors, the preferred one first: force feedback, then an LED, then a GPIO line. Gamepads come last, with a
    /// ``Candidate/problem``: one may be named.
    package var motors: [Candidate<MotorSpecification>] = []
    /// The input devices with jacks, by number.
    package var jacks: [Candidate<EvdevSelector>] = []
    /// The input devices with keys of the device, by number.
    package var keys: [Candidate<EvdevSelector>] = []
    /// The input devices with volume keys, by number.
    package var volumeKeys: [Candidate<EvdevSelector>] = []
    /// The LEDs that are a status light: first those with the function `status`, then `indicator`; among these first those
    /// without a trigger or with the trigger `timer`, then those that this process may write, then by name.
    package var lights: [Candidate<String>] = []
    /// What could not be looked at, or exists and cannot be used.
    package var problems: [HardwareProblem] = []

    /// Findings of nothing.
    package init() {}
}
