import CALSA
import Glibc
import RingerCore

/// The open controls of a sound card, closed with their owner.
// SAFETY: alsa-lib keeps no state of the controls outside of these handles, which have one owner and are used by one
// thread at a time.
struct CardControls: ~Copyable, @unchecked Sendable {
    /// One boolean control: its number, which never changes, and its name.
    struct Element: Sendable, Hashable {
        var number: UInt32
        var name: String
    }

    private let controls: OpaquePointer
    private let event: OpaquePointer
    private let value: OpaquePointer
    /// Readable when something changed. The controls close it.
    let descriptor: CInt
    let card: SoundCard

    /// Opens the controls of `card`, and subscribes to their changes. The corresponding C functions are
    /// `snd_ctl_open_lconf` and `snd_ctl_subscribe_events`.
    init(_ card: SoundCard) throws(RingerError) {
        let controls = try card.openControls()
        var event: OpaquePointer?
        var value: OpaquePointer?
        do throws(RingerError) {
            try card.check(snd_ctl_event_malloc(&event), "watch the controls")
            try card.check(snd_ctl_elem_value_malloc(&value), "watch the controls")
            try card.check(snd_ctl_subscribe_events(controls, 1), "watch the controls")
            var descriptor = pollfd()
            let count = try card.check(snd_ctl_poll_descriptors(controls, &descriptor, 1), "watch the controls")
            guard count == 1, let event, let value else {
                throw RingerError(.unsupported, "watch the controls", card.description)
            }
            self.descriptor = descriptor.fd
            self.event = event
            self.value = value
        } catch {
            if let event { snd_ctl_event_free(event) }
            if let value { snd_ctl_elem_value_free(value) }
            snd_ctl_close(controls)
            throw error
        }
        self.controls = controls
        self.card = card
    }

    deinit {
        snd_ctl_event_free(event)
        snd_ctl_elem_value_free(value)
        snd_ctl_close(controls)
    }

    /// The boolean controls whose name satisfies `isWanted`. The corresponding C function is `snd_ctl_elem_list`.
    func booleans(where isWanted: (String) -> Bool) throws(RingerError) -> [Element] {
        var allocated: OpaquePointer?
        try card.check(snd_ctl_elem_list_malloc(&allocated), "list the controls")
        guard let list = allocated else { return [] }
        defer {
            snd_ctl_elem_list_free_space(list)
            snd_ctl_elem_list_free(list)
        }
        // Controls may be added between counting and listing.
        repeat {
            try card.check(snd_ctl_elem_list(controls, list), "list the controls")
            if snd_ctl_elem_list_get_count(list) == snd_ctl_elem_list_get_used(list) { break }
            try card.check(
                snd_ctl_elem_list_alloc_space(list, snd_ctl_elem_list_get_count(list)), "list the controls")
        } while true
        var elements: [Element] = []
        for index in 0..<snd_ctl_elem_list_get_used(list) {
            guard let text = snd_ctl_elem_list_get_name(list, index) else { continue }
            // SAFETY: the text ends in a zero and lives as long as the list.
            let name = String(cString: text)
            let number = snd_ctl_elem_list_get_numid(list, index)
            if isWanted(name) && isBoolean(number) { elements.append(Element(number: number, name: name)) }
        }
        return elements
    }

    private func isBoolean(_ number: UInt32) -> Bool {
        guard let object = ALSAObject(snd_ctl_elem_info_malloc, snd_ctl_elem_info_free) else { return false }
        let info = object.pointer
        snd_ctl_elem_info_set_numid(info, number)
        // A control that was removed meanwhile does not count.
        return snd_ctl_elem_info(controls, info) == 0 && snd_ctl_elem_info_get_type(info) == SND_CTL_ELEM_TYPE_BOOLEAN
    }

    /// Whether `element` is on; nil if it is gone. The corresponding C function is `snd_ctl_elem_read`.
    func isOn(_ element: Element) throws(RingerError) -> Bool? {
        ALSAMessages.forget()
        snd_ctl_elem_value_clear(value)
        snd_ctl_elem_value_set_numid(value, element.number)
        let result = snd_ctl_elem_read(controls, value)
        if result == -ENOENT { return nil }
        try card.check(result, "read \"\(element.name)\"")
        return snd_ctl_elem_value_get_boolean(value, 0) != 0
    }

    /// What happened to controls.
    struct Changes: Sendable, Hashable {
        /// Controls were added, removed or replaced.
        var hasOtherElements = false
        /// Controls have other values.
        var hasOtherValues = false
    }

    /// Reads the changes since the last call. The corresponding C function is `snd_ctl_read`.
    func changes() throws(RingerError) -> Changes {
        ALSAMessages.forget()
        var changes = Changes()
        while true {
            let result = snd_ctl_read(controls, event)
            if result == -EINTR { continue }
            if result == 0 || result == -EAGAIN { return changes }
            try card.check(result, "read the controls")
            guard snd_ctl_event_get_type(event) == SND_CTL_EVENT_ELEM else { continue }
            let mask = snd_ctl_event_elem_get_mask(event)
            // All bits set means that the control was removed.
            let isOnlyValue = mask & ~UInt32(SND_CTL_EVENT_MASK_VALUE) == 0
            changes.hasOtherElements = changes.hasOtherElements || !isOnlyValue
            changes.hasOtherValues = changes.hasOtherValues || isOnlyValue
        }
    }
}
