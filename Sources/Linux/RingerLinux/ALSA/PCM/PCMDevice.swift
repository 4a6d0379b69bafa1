import CALSA
import RingerCore
import SystemPackage

/// The sound card's device that a PCM leads to, possibly through conversion and mixing.
struct PCMDevice: Sendable, Hashable {
    var card: Int
    var device: Int
    var subdevice: Int
    /// How many streams the hardware plays at once.
    var subdevices: Int

    /// The device of `pcm`; nil if the PCM does not lead to a card. The corresponding C function is `snd_pcm_info`.
    init?(of pcm: OpaquePointer) {
        guard let object = ALSAObject(snd_pcm_info_malloc, snd_pcm_info_free) else { return nil }
        let info = object.pointer
        guard snd_pcm_info(pcm, info) == 0, snd_pcm_info_get_card(info) >= 0 else { return nil }
        card = Int(snd_pcm_info_get_card(info))
        device = HardwareFormat.clamp(snd_pcm_info_get_device(info))
        subdevice = HardwareFormat.clamp(snd_pcm_info_get_subdevice(info))
        subdevices = HardwareFormat.clamp(snd_pcm_info_get_subdevices_count(info))
    }

    /// The device's name, the same for every PCM that leads to it.
    var name: String { "hw:\(card),\(device),\(subdevice)" }

    /// The line of `asound.conf` that makes the device mix as ALSA's default PCM, for all processes of the group
    /// `audio`. The corresponding plug-in is `dmix`.
    var mixingConfiguration: String {
        let id = AttributeFile(path: FilePath("/proc/asound/card\(card)/id"))
        // A card that was removed meanwhile still has its number.
        let card = (try? id.read()) ?? "\(card)"
        // With the subdevice: a second dmix client opens with O_APPEND, which the kernel refuses with EINVAL on a
        // device of several subdevices unless one is given.
        return "pcm.!default { type plug slave.pcm { type dmix ipc_key 5394 ipc_perm 0660 "
            + "slave { pcm \"hw:CARD=\(card),DEV=\(device),SUBDEV=\(subdevice)\" "
            + "rate 48000 period_time 10000 buffer_time 80000 } } }"
    }
}

extension HardwareProblem {
    /// The problem that the PCM `name`, which leads to `device`, plays one sound at a time. The detail of its error has the repair.
    static func doesNotMix(_ name: String, _ device: PCMDevice?) -> HardwareProblem {
        let repair = device.map {
            Repair.soundConfiguration($0.mixingConfiguration, purpose: "to mix, play to \"default\"")
        }
        return HardwareProblem(
            error: RingerError(
                .unsupported, "play two sounds at once", PCMHandle.subject(name),
                detail: repair?.sentence ?? "the second one waits for the end of the first"),
            repair: repair)
    }
}
