import CEvdev
import Glibc
import SystemPackage

extension EvdevHandle {
    /// Whose the device's motor is, nil without rumble effects: 0 if it has nothing else, 1 if udev calls it a phone's, as the
    /// rules of feedbackd do, or nothing of it is pressed or moved, 2 otherwise, as a gamepad.
    var motorRank: Int? {
        guard has(EvdevCode(type: UInt16(EV_FF), code: UInt16(FF_RUMBLE))) else { return nil }
        let types = (1...EV_MAX).filter { libevdev_has_event_type(device, UInt32($0)) == 1 }
        if types == [EV_FF] { return 0 }
        if !types.contains(where: { [EV_KEY, EV_REL, EV_ABS].contains($0) }) { return 1 }
        var (major, minor): (CUnsignedInt, CUnsignedInt) = (0, 0)
        ringer_evdev_numbers(descriptor, &major, &minor)
        let properties = try? AttributeFile(path: FilePath("/run/udev/data/c\(major):\(minor)")).read()
        return properties?.split(separator: "\n").contains("E:FEEDBACKD_TYPE=vibra") == true ? 1 : 2
    }
}
