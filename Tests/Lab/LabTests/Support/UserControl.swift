import CALSA
import Glibc

/// A control that the test adds to a sound card, and that goes with its last reference.
final class UserControl: @unchecked Sendable {
    // SAFETY: a test uses its control from one task; alsa-lib keeps no state outside of these handles.
    private let controls: OpaquePointer
    private let id: OpaquePointer
    private let isBoolean: Bool

    /// Adds a boolean control.
    static func boolean(_ name: String, card: String = "Dummy") throws -> UserControl {
        let control = try UserControl(name, card: card, isBoolean: true)
        try control.check(snd_ctl_elem_add_boolean(control.controls, control.id, 1), "add \(name)")
        return control
    }

    /// Adds a control of whole numbers.
    static func integer(_ name: String, in range: ClosedRange<Int>, card: String = "Dummy") throws -> UserControl {
        let control = try UserControl(name, card: card, isBoolean: false)
        try control.check(
            snd_ctl_elem_add_integer(control.controls, control.id, 1, range.lowerBound, range.upperBound, 1),
            "add \(name)")
        return control
    }

    private init(_ name: String, card: String, isBoolean: Bool) throws {
        var controls: OpaquePointer?
        var id: OpaquePointer?
        guard snd_ctl_open(&controls, "hw:\(card)", 0) == 0, let controls else { throw LabFailure("open \(card)") }
        guard snd_ctl_elem_id_malloc(&id) == 0, let id else { throw LabFailure("no memory") }
        // Jacks are the card's; the rest is the mixer's.
        snd_ctl_elem_id_set_interface(
            id, name.hasSuffix(" Jack") ? SND_CTL_ELEM_IFACE_CARD : SND_CTL_ELEM_IFACE_MIXER)
        snd_ctl_elem_id_set_name(id, name)
        self.controls = controls
        self.id = id
        self.isBoolean = isBoolean
    }

    deinit {
        snd_ctl_elem_remove(controls, id)
        snd_ctl_elem_id_free(id)
        snd_ctl_close(controls)
    }

    /// Lets others write the control, which the kernel locks when it is added.
    func unlock() throws {
        try check(snd_ctl_elem_unlock(controls, id), "unlock")
    }

    /// Gives the control the value `number`; for a boolean, 0 or 1.
    func set(_ number: Int) throws {
        var value: OpaquePointer?
        guard snd_ctl_elem_value_malloc(&value) == 0, let value else { throw LabFailure("no memory") }
        defer { snd_ctl_elem_value_free(value) }
        snd_ctl_elem_value_set_id(value, id)
        if isBoolean {
            snd_ctl_elem_value_set_boolean(value, 0, number)
        } else {
            snd_ctl_elem_value_set_integer(value, 0, number)
        }
        try check(snd_ctl_elem_write(controls, value), "set to \(number)")
    }

    private func check(_ result: CInt, _ operation: String) throws {
        if result < 0 { throw LabFailure("\(operation): \(String(cString: snd_strerror(result)))") }
    }
}
