import CALSA

/// An object that alsa-lib allocates to pass values in and out, freed with its owner.
struct ALSAObject: ~Copyable {
    let pointer: OpaquePointer
    private let free: (OpaquePointer?) -> Void

    /// An object of the type that the two functions allocate and free; nil if there is no memory left.
    init?(_ allocate: (UnsafeMutablePointer<OpaquePointer?>?) -> CInt, _ free: @escaping (OpaquePointer?) -> Void) {
        var pointer: OpaquePointer?
        guard allocate(&pointer) == 0, let pointer else { return nil }
        self.pointer = pointer
        self.free = free
    }

    deinit {
        free(pointer)
    }

    /// The hardware parameters of a PCM, while they are chosen. The corresponding C type is `snd_pcm_hw_params_t`.
    static func hardwareParameters() -> ALSAObject? { ALSAObject(snd_pcm_hw_params_malloc, snd_pcm_hw_params_free) }

    /// A snapshot of the state of `pcm`; nil if alsa-lib has none. The corresponding C function is `snd_pcm_status`.
    static func status(of pcm: OpaquePointer) -> ALSAObject? {
        guard let status = ALSAObject(snd_pcm_status_malloc, snd_pcm_status_free),
            snd_pcm_status(pcm, status.pointer) == 0
        else { return nil }
        return status
    }
}
