import CALSA
import Glibc
import RingerCore
import SystemPackage

/// An open playback PCM in one format. It is closed by ``close()``, or else on deinitialisation.
///
/// Once the PCM is open, no call blocks: it was opened with `SND_PCM_NONBLOCK`, and is never drained. All negative
/// results of alsa-lib are converted to ``RingerError`` here.
//
// alsa-lib locks the PCM's own state, and the configuration that all PCMs of the process share: `snd_pcm_open` reads it
// under `snd_config_update_r`'s lock and holds a reference to it, so that another thread's update replaces it without
// changing it. `snd_pcm_writei` on another PCM touches neither.
//
// SAFETY: one thread at a time uses it: the opener's, then the sound thread, then the opener's again, which closes it.
// The event loops' locks order each handover.
final class PCMHandle: @unchecked Sendable {
    /// The request, without a conversion put in front of the PCM.
    let request: PCMRequest
    /// What the PCM granted, without the reserve.
    let format: HardwareFormat
    /// Frames of the buffer that stay empty.
    ///
    /// dmix mixes nothing into the period that its card is playing. While some of a stream's frames wait for that,
    /// `snd_pcm_rewind` takes back these alone, and reports all that it was asked for: `snd_pcm_dmix_rewind` subtracts the
    /// two positions the wrong way round, in alsa-lib 1.2.8 to 1.2.15 at least. With a period left empty no frames wait.
    private let reserve: Int
    /// The format of the hardware behind conversion and mixing.
    let hardware: HardwareFormat
    /// The device of a sound card that the PCM leads to; nil if it leads elsewhere.
    let device: PCMDevice?
    /// Whether it is certain to play one sound at a time: the device takes a single stream, and nothing before it
    /// mixes.
    let playsOneSound: Bool
    /// Whether the PCM writes to a buffer that dmix shares among streams, where ``drop()`` leaves what is mixed already.
    let isMixed: Bool
    /// Whether the device may report its position once a period only. The corresponding C function is
    /// `snd_pcm_hw_params_is_batch`.
    let isCoarse: Bool
    private let open: OpenPCM
    private var name: String { request.name }
    private var pcm: OpaquePointer { open.pcm }

    /// Opens a PCM as near to the preferences as the hardware allows.
    ///
    /// The PCM is opened through `plug`, which converts, if it does not take the rate, channel count or 16-bit samples,
    /// or if the hardware is to run at another rate than the sound's.
    ///
    /// - Throws: ``RingerError``: not found, busy, permission denied, unsupported if `plug` cannot convert either.
    init(_ request: PCMRequest) throws(RingerError) {
        self.request = request
        var granted: HardwareFormat
        (open, granted) = try Self.open(
            request.name, sampleRate: request.sampleRate, channels: request.channels, request.preferences)
        let description = PCMDescription(of: open.pcm)
        let behind = description?.hardware(behind: granted.pcm)
        hardware = behind ?? granted
        device = PCMDevice(of: open.pcm)
        playsOneSound = device?.subdevices == 1 && behind != nil && description?.isShared == false
        isMixed = device != nil && behind != nil && description?.isMixed == true
        isCoarse = open.isCoarse
        // In a buffer of two periods a single one would be written ahead.
        reserve = isMixed && granted.bufferFrames / 3 >= granted.periodFrames ? granted.periodFrames : 0
        try open.setThresholds(granted, reserve: reserve)
        granted.bufferFrames -= reserve
        format = granted
    }

    /// Closes the PCM, which must not be used afterwards. The corresponding C function is `snd_pcm_close`.
    func close() {
        open.close()
    }

    // MARK: - The stream's life

    /// Makes the stream ready for its first frame. The corresponding C function is `snd_pcm_prepare`.
    func prepare() throws(RingerError) {
        try check(snd_pcm_prepare(pcm), "prepare")
    }

    /// Writes up to `frames` frames of `samples`.
    ///
    /// - Returns: How many frames were taken; 0 if there is no room. The corresponding C function is `snd_pcm_writei`.
    func write(_ samples: UnsafePointer<Int16>, frames: Int) throws(RingerError) -> Int {
        var frames = frames
        if reserve > 0 { frames = min(frames, try check(snd_pcm_avail_update(pcm), "write") - reserve) }
        if frames <= 0 { return 0 }
        while true {
            let result = snd_pcm_writei(pcm, samples, snd_pcm_uframes_t(frames))
            if result == -Int(EAGAIN) { return 0 }
            if result == -Int(EINTR) { continue }
            // A plug-in may take more than it was offered.
            return min(frames, try check(result, "write"))
        }
    }

    /// Starts the stream, unless writing started it. The corresponding C function is `snd_pcm_start`.
    func start() throws(RingerError) {
        // alsa-lib's plug-ins abort on an assertion if a stream is started in any other state.
        switch snd_pcm_state(pcm) {
        case SND_PCM_STATE_RUNNING: return
        case SND_PCM_STATE_PREPARED: try check(snd_pcm_start(pcm), "start")
        case let state: throw error(-stateError(state), "start")
        }
    }

    /// How many written frames have not been heard, including those in the device's own queues; may be negative briefly
    /// after an underrun. The corresponding C function is `snd_pcm_delay`.
    func delay() throws(RingerError) -> Int {
        var delay: snd_pcm_sframes_t = 0
        try check(snd_pcm_delay(pcm, &delay), "read the position")
        return HardwareFormat.clamp(delay)
    }

    /// What the PCM's own judge says of what it plays; nil if the PCM plays everything. The corresponding C function is
    /// `snd_pcm_dump`.
    var judgement: OutputJudgement? { PCMDescription(of: pcm)?.judgement }

    /// Takes back the frames written last, except for the next `frames` to be heard.
    ///
    /// This works only for a stream in a card's own buffer, including dmix's: frames that a plug-in passed to another
    /// process are gone, even if it claims otherwise.
    ///
    /// - Returns: How many frames were taken back; 0 if the stream does not support it. The corresponding C functions
    ///   are `snd_pcm_rewindable` and `snd_pcm_rewind`.
    func rewind(keeping frames: Int) -> Int {
        guard device != nil, snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING else { return 0 }
        let most = min(HardwareFormat.clamp(snd_pcm_rewindable(pcm)), format.bufferFrames) - frames
        guard most > 0 else { return 0 }
        // The next write will report an error of the stream.
        return min(max(0, HardwareFormat.clamp(snd_pcm_rewind(pcm, snd_pcm_uframes_t(most)))), most)
    }

    /// How many written frames were left in the buffer when the stream stopped on its own; nil if unknown. The
    /// corresponding C function is `snd_pcm_status`.
    func framesLeftAtStop() -> Int? {
        guard let status = ALSAObject.status(of: pcm) else { return nil }
        return max(0, buffered(status.pointer))
    }

    /// The delay beyond the buffer of a running stream: the device's own queues, a wireless link; nil if it is not
    /// running, or unknown. The corresponding C function is `snd_pcm_status`.
    func delayBeyondBuffer() -> Duration? {
        guard let status = ALSAObject.status(of: pcm),
            snd_pcm_status_get_state(status.pointer) == SND_PCM_STATE_RUNNING
        else { return nil }
        let delay = HardwareFormat.clamp(snd_pcm_status_get_delay(status.pointer))
        return format.duration(ofFrames: max(0, delay - buffered(status.pointer)))
    }

    /// How many frames are in the buffer. The corresponding C function is `snd_pcm_status_get_avail`.
    private func buffered(_ status: OpaquePointer) -> Int {
        format.bufferFrames + reserve - HardwareFormat.clamp(snd_pcm_status_get_avail(status))
    }

    /// The result of an attempt to resume.
    enum Resumption {
        /// The stream is running again.
        case running
        /// The stream has to be started.
        case prepared
        /// The device is not awake yet.
        case later
        /// The device cannot resume: the stream has to be prepared again.
        case refused
    }

    /// Tries to resume after the system was suspended. The corresponding C function is `snd_pcm_resume`.
    func resume() throws(RingerError) -> Resumption {
        let result = snd_pcm_resume(pcm)
        if result == -EAGAIN { return .later }
        if result < 0 && result != -ENODEV { return .refused }
        try check(result, "resume")
        // alsa-lib 1.2.8 does not report that an external plug-in refused; the state shows it.
        switch snd_pcm_state(pcm) {
        case SND_PCM_STATE_RUNNING, SND_PCM_STATE_DRAINING: return .running
        case SND_PCM_STATE_PREPARED: return .prepared
        case SND_PCM_STATE_DISCONNECTED: throw error(-ENODEV, "resume")
        default: return .refused
        }
    }

    /// Stops the stream at once. Frames in the buffer are not heard, unless it ``isMixed``: see ``rewind(keeping:)``. The
    /// corresponding C function is `snd_pcm_drop`.
    func drop() throws(RingerError) {
        try check(snd_pcm_drop(pcm), "stop")
    }

    // MARK: - Waiting for room

    /// The descriptors to wait for until there is room for a period. The corresponding C function is
    /// `snd_pcm_poll_descriptors`.
    func pollDescriptors() -> [pollfd] {
        // Beyond any limit of a process's descriptors the number is a mistake.
        let count = snd_pcm_poll_descriptors_count(pcm)
        guard count > 0, count < 1 << 20 else { return [] }
        var descriptors = [pollfd](repeating: pollfd(), count: Int(count))
        let filled = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count))
        return Array(descriptors.prefix(Int(max(0, filled))))
    }

    /// The stream's events, `POLLOUT`, `POLLERR` or none, for these results of a poll. The corresponding C function is
    /// `snd_pcm_poll_descriptors_revents`.
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
        if result < 0 { throw error(result, operation) }
        return HardwareFormat.clamp(result)
    }

    private func error(_ result: some BinaryInteger, _ operation: String) -> RingerError {
        OpenPCM.error(result, operation, Self.subject(name))
    }

    private func stateError(_ state: snd_pcm_state_t) -> CInt {
        switch state {
        case SND_PCM_STATE_XRUN: EPIPE
        case SND_PCM_STATE_SUSPENDED: ESTRPIPE
        case SND_PCM_STATE_DISCONNECTED: ENODEV
        default: EBADFD
        }
    }

    /// The name of a PCM in errors.
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
            // The exclusive device was closed: it can be opened through plug.
            return try configured(OpenPCM(OpenPCM.plug(name), subject: subject))
        }
        guard let rate else { return try configured(OpenPCM(name, subject: subject)) }
        do throws(RingerError) {
            return try configured(OpenPCM(name, subject: subject, convertingTo: rate))
        } catch let refusal where refusal.code == .unsupported {
            // If the preferences are the reason for the failure, play without them.
            var others = preferences
            others.sampleRate = 0
            return try open(name, sampleRate: sampleRate, channels: channels, others)
        }
    }
}
