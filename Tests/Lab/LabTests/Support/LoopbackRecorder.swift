import CALSA
import CLabSupport
import Glibc
import Synchronization

/// Records what is played to the laboratory's `loopback` PCM, sample for sample.
///
/// It runs when it is made: whatever starts to play afterwards is heard from its first frame, with silence before and
/// behind. Playing at another rate or channel count than the recorder's is converted by `plug`, and no longer equal.
final class LoopbackRecorder: Sendable {
    private struct State {
        var samples: [Int16] = []
        var error: Int32 = 0
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        let end = RecordingEnd()
    }

    private let shared = Shared()

    /// Begins to record 16-bit samples at this rate, in Hz, with so many channels.
    init(rate: Int = 48_000, channels: Int = 1) throws {
        var handle: OpaquePointer?
        func check(_ result: Int32, _ operation: String) throws {
            guard result >= 0 else {
                throw LabFailure("\(operation) loopback_capture: \(String(cString: snd_strerror(result)))")
            }
        }
        try check(snd_pcm_open(&handle, "loopback_capture", SND_PCM_STREAM_CAPTURE, 0), "snd_pcm_open")
        guard let handle else { throw LabFailure("snd_pcm_open gave nothing") }
        do {
            try Self.configure(handle, rate: rate, channels: channels, check)
            try check(snd_pcm_start(handle), "snd_pcm_start")
        } catch {
            snd_pcm_close(handle)
            throw error
        }
        // SAFETY: from here on the handle belongs to the thread alone, which closes it.
        nonisolated(unsafe) let pcm = handle
        let shared = shared
        try startThread {
            lab_calls_spare(1)
            // Ten milliseconds at once: see `stop`.
            Self.record(pcm, framesAtOnce: rate / 100, channels: channels, shared)
        }
    }

    /// Periods of 0.1 s, and a buffer of 4 s: it does not overrun where the host lets the guest wait for seconds.
    private static func configure(
        _ pcm: OpaquePointer, rate: Int, channels: Int, _ check: (Int32, String) throws -> Void
    ) throws {
        var hardware: OpaquePointer?
        var (period, buffer): (UInt32, UInt32) = (100_000, 4_000_000)
        try check(snd_pcm_hw_params_malloc(&hardware), "snd_pcm_hw_params_malloc")
        defer { snd_pcm_hw_params_free(hardware) }
        let steps = [
            ("any", snd_pcm_hw_params_any(pcm, hardware)),
            ("set_access", snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED)),
            ("set_format", snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16_LE)),
            ("set_channels", snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(channels))),
            ("set_rate", snd_pcm_hw_params_set_rate(pcm, hardware, UInt32(rate), 0)),
            ("set_period_time_near", snd_pcm_hw_params_set_period_time_near(pcm, hardware, &period, nil)),
            ("set_buffer_time_near", snd_pcm_hw_params_set_buffer_time_near(pcm, hardware, &buffer, nil)),
        ]
        for (step, result) in steps { try check(result, "snd_pcm_hw_params_\(step)") }
        try check(snd_pcm_hw_params(pcm, hardware), "snd_pcm_hw_params")
    }

    deinit {
        shared.end.ask()
    }

    /// How many samples it has recorded.
    var count: Int { shared.state.withLock { $0.samples.count } }

    /// Whether one of them is not silent.
    var hasHeard: Bool { shared.state.withLock { $0.samples.contains { $0 != 0 } } }

    /// Ends the recording 0.1 s from now, when what was played before has certainly arrived, and gives it whole.
    func stop() async throws -> [Int16] {
        await shared.end.wait()
        return try shared.state.withLock { state in
            guard state.error == 0 else {
                throw LabFailure("snd_pcm_readi loopback_capture: \(String(cString: snd_strerror(state.error)))")
            }
            return state.samples
        }
    }

    private static func record(_ pcm: OpaquePointer, framesAtOnce: Int, channels: Int, _ shared: Shared) {
        var buffer = [Int16](repeating: 0, count: framesAtOnce * channels)
        var chunksToGo: Int?
        while chunksToGo != 0 {
            let count = snd_pcm_readi(pcm, &buffer, snd_pcm_uframes_t(framesAtOnce))
            shared.state.withLock { state in
                if count < 0 {
                    state.error = Int32(count)
                } else {
                    state.samples.append(contentsOf: buffer.prefix(count * channels))
                }
            }
            if count < 0 { break }
            if let chunks = chunksToGo { chunksToGo = chunks - 1 } else if shared.end.isAskedFor { chunksToGo = 10 }
        }
        snd_pcm_close(pcm)
        shared.end.come()
    }
}
