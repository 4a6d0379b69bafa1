import CALSA
import Glibc
import RingerCore
import SystemPackage

extension OpenPCM {
    /// The period asked for, which is also the delay of a change of a sound's gain.
    static let period: Duration = .milliseconds(10)
    /// The shortest buffer asked for: if this process's thread is late by more, the stream underruns.
    static let buffer: Duration = .milliseconds(80)

    /// The hardware rate nearest to `preferred`; nil if the hardware chooses it without being asked when it plays sound
    /// of `sampleRate`, or has no choice.
    func rateToAskFor(preferred: Double, sampleRate: Int) -> Int? {
        // The range of rates that hardware could have.
        guard preferred >= 1, preferred <= 1_000_000 else { return nil }
        let preferred = Int(preferred.rounded())
        guard preferred != sampleRate, let parameters = ALSAObject.hardwareParameters() else { return nil }
        let hw = parameters.pointer
        // Without conversion, only the rates of the hardware remain.
        guard snd_pcm_hw_params_any(pcm, hw) >= 0, snd_pcm_hw_params_set_rate_resample(pcm, hw, 0) >= 0 else {
            return nil
        }
        var (lowest, highest) = (CUnsignedInt(0), CUnsignedInt(0))
        var direction: CInt = 0
        guard snd_pcm_hw_params_get_rate_min(hw, &lowest, &direction) >= 0,
            snd_pcm_hw_params_get_rate_max(hw, &highest, &direction) >= 0, lowest < highest
        else { return nil }
        var rate = CUnsignedInt(preferred)
        guard snd_pcm_hw_params_set_rate_near(pcm, hw, &rate, &direction) >= 0 else { return nil }
        return rate == sampleRate ? nil : HardwareFormat.clamp(rate)
    }

    /// Configures the PCM for 16-bit samples in this format.
    ///
    /// - Throws: ``RingerError``: unsupported if the PCM lacks the format.
    func configure(
        sampleRate: Int, channels: Int, _ preferences: SessionPreferences
    ) throws(RingerError) -> HardwareFormat {
        ALSAMessages.forget()
        guard let hardware = ALSAObject.hardwareParameters() else { throw Self.error(-ENOMEM, "configure", subject) }
        let hw = hardware.pointer
        let format = "play 16-bit samples, \(channels) channels at \(sampleRate) Hz"
        try check(snd_pcm_hw_params_any(pcm, hw), "configure")
        try require(snd_pcm_hw_params_set_rate_resample(pcm, hw, 1), format)
        try require(snd_pcm_hw_params_set_access(pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED), format)
        try require(snd_pcm_hw_params_set_format(pcm, hw, SND_PCM_FORMAT_S16), format)
        try require(snd_pcm_hw_params_set_channels(pcm, hw, CUnsignedInt(channels)), format)
        try require(snd_pcm_hw_params_set_rate(pcm, hw, CUnsignedInt(sampleRate), 0), format)
        return try install(hw, sampleRate: sampleRate, channels: channels, preferences, format)
    }

    /// Configures a capture PCM for the rate nearest to `preferences`, in stereo if possible.
    func configureCapture(_ preferences: SessionPreferences) throws(RingerError) -> HardwareFormat {
        ALSAMessages.forget()
        guard let hardware = ALSAObject.hardwareParameters() else { throw Self.error(-ENOMEM, "configure", subject) }
        let hw = hardware.pointer
        var rate: CUnsignedInt = 48_000
        if preferences.sampleRate >= 1, preferences.sampleRate <= 1_000_000 {
            rate = CUnsignedInt(preferences.sampleRate.rounded())
        }
        var channels: CUnsignedInt = 2
        var direction: CInt = 0
        try check(snd_pcm_hw_params_any(pcm, hw), "configure")
        try require(snd_pcm_hw_params_set_rate_near(pcm, hw, &rate, &direction), "set the rate")
        try require(snd_pcm_hw_params_set_channels_near(pcm, hw, &channels), "set the channels")
        let granted = try install(
            hw, sampleRate: HardwareFormat.clamp(rate), channels: HardwareFormat.clamp(channels), preferences,
            "configure")
        return PCMDescription(of: pcm)?.hardware(behind: name) ?? granted
    }

    /// Chooses the period and the buffer, and configures the PCM with these parameters.
    private func install(
        _ hw: OpaquePointer, sampleRate: Int, channels: Int, _ preferences: SessionPreferences, _ operation: String
    ) throws(RingerError) -> HardwareFormat {
        let period = preferences.period ?? Self.period
        var periodTime = Self.microseconds(period)
        var direction: CInt = 0
        try require(snd_pcm_hw_params_set_period_time_near(pcm, hw, &periodTime, &direction), "set the period")
        // In a buffer of two periods dmix begins a stream with its card's next period, and counts frames as heard
        // meanwhile: so many of the last ones could not be taken back.
        var bufferTime = Self.microseconds(max(Self.buffer, .microseconds(Int64(periodTime) * 3)))
        direction = 0
        try require(snd_pcm_hw_params_set_buffer_time_near(pcm, hw, &bufferTime, &direction), "set the buffer")
        try require(snd_pcm_hw_params(pcm, hw), operation)
        var periodFrames: snd_pcm_uframes_t = 0
        var bufferFrames: snd_pcm_uframes_t = 0
        try check(snd_pcm_hw_params_get_period_size(hw, &periodFrames, &direction), "read the period")
        try check(snd_pcm_hw_params_get_buffer_size(hw, &bufferFrames), "read the buffer")
        return HardwareFormat(
            pcm: name, sampleRate: sampleRate, channels: channels, periodFrames: HardwareFormat.clamp(periodFrames),
            bufferFrames: HardwareFormat.clamp(bufferFrames))
    }

    /// Whether the device that the configured PCM leads to may report its position once a period only.
    var isCoarse: Bool {
        guard let hardware = ALSAObject.hardwareParameters(), snd_pcm_hw_params_current(pcm, hardware.pointer) == 0
        else {
            return true
        }
        return snd_pcm_hw_params_is_batch(hardware.pointer) != 0
    }

    /// Configures a stream of `format` to start on request, to stop on underrun, and to wake its writer every period; its
    /// writer leaves `reserve` frames of the buffer empty.
    func setThresholds(_ format: HardwareFormat, reserve: Int) throws(RingerError) {
        guard let software = ALSAObject(snd_pcm_sw_params_malloc, snd_pcm_sw_params_free) else {
            throw Self.error(-ENOMEM, "configure", subject)
        }
        let sw = software.pointer
        var boundary: snd_pcm_uframes_t = 0
        try check(snd_pcm_sw_params_current(pcm, sw), "configure")
        try check(snd_pcm_sw_params_get_boundary(sw, &boundary), "configure")
        // Only we start the stream, so that the start time is known; it stops on underrun, so that the time of that is
        // known too.
        try check(snd_pcm_sw_params_set_start_threshold(pcm, sw, boundary), "configure")
        try check(snd_pcm_sw_params_set_stop_threshold(pcm, sw, snd_pcm_uframes_t(format.bufferFrames)), "configure")
        // dmix wakes the writer at the ends of its card's periods only, the first of which is less than a period after the
        // start.
        let room = reserve > 0 ? reserve + format.periodFrames / 2 : format.periodFrames
        try check(snd_pcm_sw_params_set_avail_min(pcm, sw, snd_pcm_uframes_t(room)), "configure")
        try check(snd_pcm_sw_params(pcm, sw), "configure")
    }

    func check(_ result: CInt, _ operation: String) throws(RingerError) {
        if result < 0 { throw Self.error(result, operation, subject) }
    }

    /// Throws `unsupported` if a step of the configuration failed.
    private func require(_ result: CInt, _ operation: String) throws(RingerError) {
        guard result < 0 else { return }
        var error = Self.error(result, operation, subject)
        if error.errno == .invalidArgument { error.code = .unsupported }
        throw error
    }

    private static func microseconds(_ duration: Duration) -> CUnsignedInt {
        CUnsignedInt(clamping: duration.nanoseconds / 1000)
    }
}

extension SessionPreferences {
    /// The preferred period; nil if there is none.
    fileprivate var period: Duration? {
        let microseconds = (Double(ioBufferDuration) * 1_000_000).rounded()
        // At most a quarter of an hour: longer than any hardware's period, and short enough for every integer here.
        guard microseconds >= 1, microseconds <= 1e9 else { return nil }
        return .microseconds(Int64(microseconds))
    }
}
