import CALSA
import Glibc
import RingerServices
import SystemPackage

/// An open playback PCM, in one format; closes it when it goes.
///
/// Never blocks: the PCM is opened with `SND_PCM_NONBLOCK`, and nothing here drains. Used on one thread at a time.
/// Every negative result of alsa-lib becomes a ``RingerError`` here, and nowhere else.
final class PCMHandle {
    /// What the PCM granted.
    let format: HardwareFormat
    /// The name that was asked for, without the conversion that was put in front of it.
    let name: String
    private let pcm: OpaquePointer

    /// The period asked for; a sound is stopped and its gain changed at most that late.
    static let period: Duration = .milliseconds(10)
    /// The buffer asked for: how late this process's thread may be without an underrun.
    static let buffer: Duration = .milliseconds(80)

    /// Opens `name` for sound of `channels` channels at `sampleRate` frames a second.
    ///
    /// A PCM that cannot take that rate, channel count or 16-bit samples is opened through `plug`, which converts.
    ///
    /// - Throws: ``RingerError``: not found, busy, permission denied, unsupported where `plug` cannot convert either.
    init(name: String, sampleRate: Int, channels: Int) throws(RingerError) {
        self.name = name
        var opened = try Self.open(name, subject: name)
        do throws(RingerError) {
            format = try Self.configure(opened, name, subject: name, sampleRate: sampleRate, channels: channels)
        } catch let direct where direct.code == .unsupported && !Self.converts(opened) {
            // An exclusive device must be let go before it can be opened through plug.
            snd_pcm_close(opened)
            let plug = Self.plug(name)
            opened = try Self.open(plug, subject: name)
            do throws(RingerError) {
                format = try Self.configure(opened, plug, subject: name, sampleRate: sampleRate, channels: channels)
            } catch {
                snd_pcm_close(opened)
                throw error
            }
        } catch {
            snd_pcm_close(opened)
            throw error
        }
        pcm = opened
    }

    deinit {
        snd_pcm_close(pcm)
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
        guard isOnCard, snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING else { return 0 }
        let most = min(snd_pcm_rewindable(pcm), snd_pcm_sframes_t(format.bufferFrames)) - frames
        guard most > 0 else { return 0 }
        // A stream that fails here says so again when it is written to.
        return max(0, snd_pcm_rewind(pcm, snd_pcm_uframes_t(most)))
    }

    /// Whether the PCM is a card's, possibly with conversion or mixing in front of it. The corresponding C function is
    /// `snd_pcm_info_get_card`.
    private var isOnCard: Bool {
        var info: OpaquePointer?
        guard snd_pcm_info_malloc(&info) == 0, let info else { return false }
        defer { snd_pcm_info_free(info) }
        return snd_pcm_info(pcm, info) == 0 && snd_pcm_info_get_card(info) >= 0
    }

    /// How many written frames were left in the buffer when the stream stopped by itself; nil where it cannot tell.
    /// The corresponding C function is `snd_pcm_status`.
    func framesLeftAtStop() -> Int? {
        guard let status = PCMStatus(), snd_pcm_status(pcm, status.pointer) == 0 else { return nil }
        return max(0, format.bufferFrames - Int(clamping: snd_pcm_status_get_avail(status.pointer)))
    }

    /// What came of an attempt to resume.
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
        Self.error(number, operation, name)
    }

    private func stateError(_ state: snd_pcm_state_t) -> CInt {
        switch state {
        case SND_PCM_STATE_XRUN: EPIPE
        case SND_PCM_STATE_SUSPENDED: ESTRPIPE
        case SND_PCM_STATE_DISCONNECTED: ENODEV
        default: EBADFD
        }
    }

    fileprivate static func error(_ number: CInt, _ operation: String, _ name: String) -> RingerError {
        RingerError(operation, subject(name), Errno(rawValue: number), detail: ALSAMessages.take())
    }

    /// What errors call the PCM `name`.
    static func subject(_ name: String) -> String { "PCM \(name)" }
}

// MARK: - Opening

extension PCMHandle {
    private static func open(_ name: String, subject: String) throws(RingerError) -> OpaquePointer {
        ALSAMessages.forget()
        var pcm: OpaquePointer?
        let result = snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
        if let pcm, result >= 0 { return pcm }
        var error = error(-result, "open", subject)
        // Nothing was there that could have gone.
        if result == -ENODEV || result == -ENXIO { error.code = .notFound }
        throw error
    }

    private static func plug(_ name: String) -> String {
        // The name may have arguments of its own; a quote keeps their commas together.
        let quote = name.contains("'") ? "\"" : "'"
        return "plug:\(quote)\(name)\(quote)"
    }

    /// Whether `pcm` converts already, so that plug in front of it would not help.
    private static func converts(_ pcm: OpaquePointer) -> Bool {
        snd_pcm_type(pcm) == SND_PCM_TYPE_PLUG
    }

    private static func configure(
        _ pcm: OpaquePointer, _ name: String, subject: String, sampleRate: Int, channels: Int
    ) throws(RingerError) -> HardwareFormat {
        func check(_ result: CInt, _ operation: String) throws(RingerError) {
            if result < 0 { throw error(-result, operation, subject) }
        }
        /// A step that fails because the PCM has no such format.
        func require(_ result: CInt, _ operation: String) throws(RingerError) {
            guard result < 0 else { return }
            var error = error(-result, operation, subject)
            if error.errno == .invalidArgument { error.code = .unsupported }
            throw error
        }

        ALSAMessages.forget()
        guard let hardware = PCMHardwareParameters(), let software = PCMSoftwareParameters() else {
            throw error(ENOMEM, "configure", subject)
        }
        let hw = hardware.pointer
        let format = "play 16-bit samples, \(channels) channels at \(sampleRate) Hz"
        try check(snd_pcm_hw_params_any(pcm, hw), "configure")
        try require(snd_pcm_hw_params_set_rate_resample(pcm, hw, 1), format)
        try require(snd_pcm_hw_params_set_access(pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED), format)
        try require(snd_pcm_hw_params_set_format(pcm, hw, SND_PCM_FORMAT_S16), format)
        try require(snd_pcm_hw_params_set_channels(pcm, hw, CUnsignedInt(channels)), format)
        try require(snd_pcm_hw_params_set_rate(pcm, hw, CUnsignedInt(sampleRate), 0), format)
        var direction: CInt = 0
        var periodTime = CUnsignedInt(period.nanoseconds / 1000)
        try require(snd_pcm_hw_params_set_period_time_near(pcm, hw, &periodTime, &direction), "set the period")
        direction = 0
        var bufferTime = CUnsignedInt(buffer.nanoseconds / 1000)
        try require(snd_pcm_hw_params_set_buffer_time_near(pcm, hw, &bufferTime, &direction), "set the buffer")
        try require(snd_pcm_hw_params(pcm, hw), format)

        var periodFrames: snd_pcm_uframes_t = 0
        var bufferFrames: snd_pcm_uframes_t = 0
        try check(snd_pcm_hw_params_get_period_size(hw, &periodFrames, &direction), "read the period")
        try check(snd_pcm_hw_params_get_buffer_size(hw, &bufferFrames), "read the buffer")

        let sw = software.pointer
        var boundary: snd_pcm_uframes_t = 0
        try check(snd_pcm_sw_params_current(pcm, sw), "configure")
        try check(snd_pcm_sw_params_get_boundary(sw, &boundary), "configure")
        // Started by us alone, so that the moment is known; stopped when it runs dry, so that an underrun is too.
        try check(snd_pcm_sw_params_set_start_threshold(pcm, sw, boundary), "configure")
        try check(snd_pcm_sw_params_set_stop_threshold(pcm, sw, bufferFrames), "configure")
        try check(snd_pcm_sw_params_set_avail_min(pcm, sw, periodFrames), "configure")
        try check(snd_pcm_sw_params(pcm, sw), "configure")
        return HardwareFormat(
            pcm: name, sampleRate: sampleRate, channels: channels, periodFrames: Int(periodFrames),
            bufferFrames: Int(bufferFrames))
    }
}
