import CALSA
import Glibc
import RingerServices
import SystemPackage

/// An open playback PCM, in one format; closes it when it goes.
///
/// Once it is open, nothing here blocks: the PCM is opened with `SND_PCM_NONBLOCK`, and nothing drains. Every negative
/// result of alsa-lib becomes a ``RingerError`` here, and nowhere else.
// SAFETY: one thread at a time uses it: the opener's until it hands the handle over, then the sound thread, then the
// opener's again, which closes it. Each handing over is ordered by the event loops' locks. The PCM's own state is locked by
// alsa-lib. So is the configuration, which all PCMs of the process share: `snd_pcm_open` reads it under
// `snd_config_update_r`'s lock and holds a reference to it, so that another thread's update replaces it without changing
// it. `snd_pcm_writei` on another PCM touches neither.
final class PCMHandle: @unchecked Sendable {
    /// The PCM as it was asked for, without the conversion that was put in front of it.
    let request: PCMRequest
    /// What the PCM granted.
    let format: HardwareFormat
    /// The hardware behind conversion and mixing: what it runs at, and how it buffers.
    let hardware: HardwareFormat
    /// The device of a sound card that it leads to; nil where it leads elsewhere.
    let device: PCMDevice?
    /// Whether it certainly plays one sound at a time: a device of one stream, and nothing that mixes before it.
    let playsOneSound: Bool
    private let open: OpenPCM
    private var name: String { request.name }
    private var pcm: OpaquePointer { open.pcm }

    /// Opens a PCM, as near to what is preferred as the hardware comes.
    ///
    /// A PCM that cannot take that rate, channel count or 16-bit samples is opened through `plug`, which converts; and so
    /// is one whose hardware is to run at another rate than the sound's.
    ///
    /// - Throws: ``RingerError``: not found, busy, permission denied, unsupported where `plug` cannot convert either.
    init(_ request: PCMRequest) throws(RingerError) {
        self.request = request
        (open, format) = try Self.open(
            request.name, sampleRate: request.sampleRate, channels: request.channels, request.preferences)
        try open.setThresholds(format)
        let setup = PCMSetup(of: open.pcm)
        hardware = open.hardware(behind: format, setup)
        device = PCMDevice(of: open.pcm)
        playsOneSound = device?.subdevices == 1 && setup?.isShared == false
    }

    /// Closes it; nothing else is called afterwards. The corresponding C function is `snd_pcm_close`.
    func close() {
        open.close()
    }

    // MARK: - The stream's life

    /// Makes the stream ready for its first frame. The corresponding C function is `snd_pcm_prepare`.
    func prepare() throws(RingerError) {
        try check(snd_pcm_prepare(pcm), "prepare")
    }

    /// Writes `frames` frames from `samples` on, as far as there is room.
    ///
    /// - Returns: How many frames were taken; 0 where there is no room. The corresponding C function is
    ///   `snd_pcm_writei`.
    func write(_ samples: UnsafePointer<Int16>, frames: Int) throws(RingerError) -> Int {
        while true {
            let result = snd_pcm_writei(pcm, samples, snd_pcm_uframes_t(frames))
            if result == -Int(EAGAIN) { return 0 }
            if result == -Int(EINTR) { continue }
            return try check(result, "write")
        }
    }

    /// Starts the stream, unless writing has started it. The corresponding C function is `snd_pcm_start`.
    func start() throws(RingerError) {
        // alsa-lib's plugins assert, and abort, where one is started in any other state.
        switch snd_pcm_state(pcm) {
        case SND_PCM_STATE_RUNNING: return
        case SND_PCM_STATE_PREPARED: try check(snd_pcm_start(pcm), "start")
        case let state: throw error(stateError(state), "start")
        }
    }

    /// How many written frames have not been heard yet, those in the device's own queues included; may be negative
    /// for a moment when the stream has run dry. The corresponding C function is `snd_pcm_delay`.
    func delay() throws(RingerError) -> Int {
        var delay: snd_pcm_sframes_t = 0
        try check(snd_pcm_delay(pcm, &delay), "read the position")
        return delay
    }

    /// Takes back what was written last, except for the `frames` that are heard next.
    ///
    /// Only a stream that lies in a card's own buffer, dmix's included, can be taken back: what a plugin has passed on to
    /// another process is gone, whatever it says of itself.
    ///
    /// - Returns: How many frames were taken back; 0 where the stream cannot. The corresponding C functions are
    ///   `snd_pcm_rewindable` and `snd_pcm_rewind`.
    func rewind(keeping frames: Int) -> Int {
        guard device != nil, snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING else { return 0 }
        let most = min(snd_pcm_rewindable(pcm), snd_pcm_sframes_t(format.bufferFrames)) - frames
        guard most > 0 else { return 0 }
        // A stream that fails here says so again when it is written to.
        return max(0, snd_pcm_rewind(pcm, snd_pcm_uframes_t(most)))
    }

    /// How many written frames were left in the buffer when the stream stopped by itself; nil where it cannot tell.
    /// The corresponding C function is `snd_pcm_status`.
    func framesLeftAtStop() -> Int? {
        guard let status = PCMStatus(), snd_pcm_status(pcm, status.pointer) == 0 else { return nil }
        return max(0, format.bufferFrames - Int(clamping: snd_pcm_status_get_avail(status.pointer)))
    }

    /// How long a way lies beyond the buffer of a stream that runs: the device's own queues, a wireless link; nil where it
    /// does not run, or cannot tell. The corresponding C function is `snd_pcm_status`.
    func delayBeyondBuffer() -> Duration? {
        guard let status = PCMStatus(), snd_pcm_status(pcm, status.pointer) == 0,
            snd_pcm_status_get_state(status.pointer) == SND_PCM_STATE_RUNNING
        else { return nil }
        let buffered = format.bufferFrames - Int(clamping: snd_pcm_status_get_avail(status.pointer))
        return format.duration(ofFrames: max(0, snd_pcm_status_get_delay(status.pointer) - buffered))
    }

    /// How an attempt to resume went.
    enum Resumption {
        /// The stream runs where it stopped.
        case running
        /// The stream is to be started.
        case prepared
        /// The device is not awake yet.
        case later
        /// The device cannot: the stream is to be prepared again.
        case refused
    }

    /// Tries to go on after the system was suspended. The corresponding C function is `snd_pcm_resume`.
    func resume() throws(RingerError) -> Resumption {
        let result = snd_pcm_resume(pcm)
        if result == -EAGAIN { return .later }
        if result < 0 && result != -ENODEV { return .refused }
        try check(result, "resume")
        // alsa-lib 1.2.8 keeps to itself that an external plugin refused; the state tells.
        switch snd_pcm_state(pcm) {
        case SND_PCM_STATE_RUNNING, SND_PCM_STATE_DRAINING: return .running
        case SND_PCM_STATE_PREPARED: return .prepared
        case SND_PCM_STATE_DISCONNECTED: throw error(ENODEV, "resume")
        default: return .refused
        }
    }

    /// Stops the stream at once; what is in the buffer is not heard. The corresponding C function is `snd_pcm_drop`.
    func drop() throws(RingerError) {
        try check(snd_pcm_drop(pcm), "stop")
    }

    // MARK: - Waiting for room

    /// What to wait for until there is room for a period. The corresponding C function is `snd_pcm_poll_descriptors`.
    func pollDescriptors() -> [pollfd] {
        let count = snd_pcm_poll_descriptors_count(pcm)
        guard count > 0 else { return [] }
        var descriptors = [pollfd](repeating: pollfd(), count: Int(count))
        let filled = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count))
        return Array(descriptors.prefix(Int(max(0, filled))))
    }

    /// What it means for the stream that descriptors came back ready: `POLLOUT`, `POLLERR` or nothing.
    /// The corresponding C function is `snd_pcm_poll_descriptors_revents`.
    func meaning(of descriptors: [pollfd]) throws(RingerError) -> Int16 {
        var descriptors = descriptors
        var events: UInt16 = 0
        let count = UInt32(descriptors.count)
        try check(snd_pcm_poll_descriptors_revents(pcm, &descriptors, count, &events), "wait for room")
        return Int16(bitPattern: events)
    }

    // MARK: - Errors

    @discardableResult
    private func check(_ result: some BinaryInteger, _ operation: String) throws(RingerError) -> Int {
        guard result < 0 else { return Int(result) }
        throw error(-CInt(result), operation)
    }

    private func error(_ number: CInt, _ operation: String) -> RingerError {
        OpenPCM.error(number, operation, Self.subject(name))
    }

    private func stateError(_ state: snd_pcm_state_t) -> CInt {
        switch state {
        case SND_PCM_STATE_XRUN: EPIPE
        case SND_PCM_STATE_SUSPENDED: ESTRPIPE
        case SND_PCM_STATE_DISCONNECTED: ENODEV
        default: EBADFD
        }
    }

    /// What errors call the PCM `name`.
    static func subject(_ name: String) -> String { "PCM \(name)" }
}

// MARK: - Opening

extension PCMHandle {
    private static func open(
        _ name: String, sampleRate: Int, channels: Int, _ preferences: SessionPreferences
    ) throws(RingerError) -> (OpenPCM, HardwareFormat) {
        func configured(_ pcm: OpenPCM) throws(RingerError) -> (OpenPCM, HardwareFormat) {
            (pcm, try pcm.configure(sampleRate: sampleRate, channels: channels, preferences))
        }
        let subject = subject(name)
        var rate: Int?
        var converts = false
        do throws(RingerError) {
            let pcm = try OpenPCM(name, subject: subject)
            converts = pcm.converts
            rate = pcm.rateToAskFor(preferred: preferences.sampleRate, sampleRate: sampleRate)
            if rate == nil { return try configured(pcm) }
        } catch let direct where direct.code == .unsupported && !converts {
            // An exclusive device was let go of: it can be opened through plug.
            return try configured(OpenPCM(OpenPCM.plug(name), subject: subject))
        }
        guard let rate else { return try configured(OpenPCM(name, subject: subject)) }
        do throws(RingerError) {
            return try configured(OpenPCM(name, subject: subject, convertingTo: rate))
        } catch let refusal where refusal.code == .unsupported {
            // A preference is no reason not to play.
            var others = preferences
            others.sampleRate = 0
            return try open(name, sampleRate: sampleRate, channels: channels, others)
        }
    }
}
