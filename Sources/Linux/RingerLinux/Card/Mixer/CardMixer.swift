import CALSA
import Glibc
import RingerCore

/// The open mixer of a sound card, closed with its owner.
// SAFETY: alsa-lib keeps no state of a mixer outside of this handle, which has one owner and is used by one thread at a
// time.
struct CardMixer: ~Copyable, @unchecked Sendable {
    private let mixer: OpaquePointer
    /// Readable when something changed. The mixer closes it.
    let descriptor: CInt
    let card: SoundCard

    /// Opens the mixer of `card`. The corresponding C functions are `snd_mixer_open` and `snd_mixer_attach_hctl`.
    init(_ card: SoundCard) throws(RingerError) {
        let controls = try card.openControls(isWritable: true)
        // Subscribe before anything is read: alsa-lib would do it afterwards.
        let subscribed = snd_ctl_subscribe_events(controls, 1)
        var elements: OpaquePointer?
        let wrapped = subscribed < 0 ? subscribed : snd_hctl_open_ctl(&elements, controls)
        guard wrapped >= 0, let elements else {
            snd_ctl_close(controls)
            try card.check(wrapped < 0 ? wrapped : -ENOMEM, "open the mixer")
            throw RingerError(.system, "open the mixer", card.description)
        }
        var opened: OpaquePointer?
        let result = snd_mixer_open(&opened, 0)
        guard result >= 0, let mixer = opened else {
            snd_hctl_close(elements)
            try card.check(result < 0 ? result : -ENOMEM, "open the mixer")
            throw RingerError(.system, "open the mixer", card.description)
        }
        do throws(RingerError) {
            // The mixer closes what is attached to it, and attaching closes what it refuses.
            try card.check(snd_mixer_attach_hctl(mixer, elements), "open the mixer")
            try card.check(snd_mixer_selem_register(mixer, nil, nil), "open the mixer")
            try card.check(snd_mixer_load(mixer), "read the mixer")
            var descriptor = pollfd()
            let count = try card.check(snd_mixer_poll_descriptors(mixer, &descriptor, 1), "watch the mixer")
            guard count == 1 else { throw RingerError(.unsupported, "watch the mixer", card.description) }
            self.descriptor = descriptor.fd
        } catch {
            snd_mixer_close(mixer)
            throw error
        }
        self.mixer = mixer
        self.card = card
    }

    deinit {
        snd_mixer_close(mixer)
    }

    /// Takes in the changes. The corresponding C function is `snd_mixer_handle_events`.
    func handleEvents() throws(RingerError) {
        ALSAMessages.forget()
        try card.check(snd_mixer_handle_events(mixer), "read the mixer")
    }

    /// The playback volume of an element, 0 to 1; nil if there is none.
    ///
    /// - Parameter name: The element's name; nil for the first of ``MixerElement/preferred`` that exists.
    func volume(of name: String?) -> Float? {
        element(name).flatMap { volume(of: $0) }
    }

    /// Sets the playback volume of an element, 0 to 1, and turns its playback switch on where the volume is above 0.
    ///
    /// The corresponding C functions are `snd_mixer_selem_set_playback_volume_all` and
    /// `snd_mixer_selem_set_playback_switch_all`.
    ///
    /// - Parameters:
    ///   - volume: The volume, 0 to 1.
    ///   - name: The element's name; nil for the one of ``volume(of:)``.
    /// - Returns: False if there is no such element.
    func setVolume(_ volume: Float, of name: String?) throws(RingerError) -> Bool {
        guard let element = element(name) else { return false }
        ALSAMessages.forget()
        // SAFETY: the text ends in a zero and lives as long as its element, which nothing removes meanwhile.
        let called = snd_mixer_selem_get_name(element).map { String(cString: $0) } ?? "an element"
        let operation = "set the volume of \(called)"
        var low = 0
        var high = 0
        try card.check(snd_mixer_selem_get_playback_volume_range(element, &low, &high), operation)
        let step = MixerElement.step(of: volume, low: low, high: high)
        try card.check(snd_mixer_selem_set_playback_volume_all(element, step), operation)
        // Last, so that nothing is heard at the old volume.
        if volume > 0, snd_mixer_selem_has_playback_switch(element) == 1 {
            try card.check(snd_mixer_selem_set_playback_switch_all(element, 1), operation)
        }
        return true
    }

    /// The element `name` with a playback volume; for nil, the first of ``MixerElement/preferred`` that exists.
    private func element(_ name: String?) -> OpaquePointer? {
        var best: (rank: Int, element: OpaquePointer)?
        var next = snd_mixer_first_elem(mixer)
        while let element = next {
            next = snd_mixer_elem_next(element)
            guard snd_mixer_selem_has_playback_volume(element) == 1,
                let text = snd_mixer_selem_get_name(element)
            else { continue }
            // SAFETY: the text ends in a zero and lives as long as its element, which nothing removes meanwhile.
            let called = String(cString: text)
            if let name {
                if called == name { return element }
            } else {
                let rank = MixerElement.rank(of: called)
                if rank < best?.rank ?? .max { best = (rank, element) }
            }
        }
        return best?.element
    }

    private func volume(of element: OpaquePointer) -> Float? {
        var low = 0
        var high = 0
        guard snd_mixer_selem_get_playback_volume_range(element, &low, &high) == 0 else { return nil }
        let hasSwitch = snd_mixer_selem_has_playback_switch(element) == 1
        var channels: [MixerElement.Channel] = []
        for number in SND_MIXER_SCHN_FRONT_LEFT.rawValue...SND_MIXER_SCHN_LAST.rawValue {
            let id = snd_mixer_selem_channel_id_t(rawValue: number)
            guard snd_mixer_selem_has_playback_channel(element, id) == 1 else { continue }
            var value = 0
            var isOn: CInt = 1
            guard snd_mixer_selem_get_playback_volume(element, id, &value) == 0 else { return nil }
            if hasSwitch { guard snd_mixer_selem_get_playback_switch(element, id, &isOn) == 0 else { return nil } }
            channels.append(MixerElement.Channel(value: value, isOn: isOn != 0))
        }
        return MixerElement.fraction(channels, low: low, high: high)
    }
}
