import CALSA
import SystemPackage

/// The hardware parameters of a PCM, while they are chosen. The corresponding C type is `snd_pcm_hw_params_t`.
struct PCMHardwareParameters: ~Copyable {
    let pointer: OpaquePointer

    /// All configurations. The corresponding C function is `snd_pcm_hw_params_malloc`.
    init?() {
        var pointer: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&pointer) == 0, let pointer else { return nil }
        self.pointer = pointer
    }

    deinit {
        snd_pcm_hw_params_free(pointer)
    }
}

/// The software parameters of a PCM. The corresponding C type is `snd_pcm_sw_params_t`.
struct PCMSoftwareParameters: ~Copyable {
    let pointer: OpaquePointer

    /// Parameters to fill in. The corresponding C function is `snd_pcm_sw_params_malloc`.
    init?() {
        var pointer: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&pointer) == 0, let pointer else { return nil }
        self.pointer = pointer
    }

    deinit {
        snd_pcm_sw_params_free(pointer)
    }
}

/// A snapshot of a stream's state. The corresponding C type is `snd_pcm_status_t`.
struct PCMStatus: ~Copyable {
    let pointer: OpaquePointer

    /// An empty snapshot. The corresponding C function is `snd_pcm_status_malloc`.
    init?() {
        var pointer: OpaquePointer?
        guard snd_pcm_status_malloc(&pointer) == 0, let pointer else { return nil }
        self.pointer = pointer
    }

    deinit {
        snd_pcm_status_free(pointer)
    }
}
