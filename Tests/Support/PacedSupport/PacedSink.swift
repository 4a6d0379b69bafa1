import Glibc

/// The paced test sink: an ALSA playback PCM that keeps real time without a sound card and fails on demand.
///
/// `PacedSink.install()` builds it where it is missing and makes it this process's whole ALSA configuration, with
/// `default` and `null` besides. Call it before the process opens its first PCM; calling it again costs nothing.
///
///     try PacedSink.install()
///     let name = PacedSink.name(.fault(.xrun, frame: 4_800), .capture("/tmp/played.raw"))
///
/// What each fault does is written in Tests/Support/Paced/paced.h, and how names are read in Tests/Support/Paced/asound.conf.in.
public enum PacedSink {
    /// What goes wrong with the stream.
    public enum Fault: String, Sendable {
        /// The stream underruns: `EPIPE`.
        case xrun
        /// The system sleeps: `ESTRPIPE`.
        case suspend
        /// The device is unplugged: `ENODEV`.
        case gone
        /// The position stands still: a drain never ends.
        case stall
        /// Everything is played the moment it is written, as a muted sink does.
        case unpaced
        /// The delay is the least number that there is; after so many frames the greatest.
        case absurd
    }

    /// One argument of the PCM's name.
    public enum Argument: Sendable {
        /// A fault, after so many frames since the start, so often for each opened PCM (0: always).
        case fault(Fault, frame: Int = 0, times: Int = 1)
        /// A suspended stream cannot be resumed, only prepared.
        case refusesResume
        /// What a converter's own queue adds to the delay, in milliseconds.
        case latency(milliseconds: Int)
        /// Appends the frames that were really played to this file.
        case capture(String)
        /// Appends the time of each start to this file: a line with the nanoseconds of `CLOCK_MONOTONIC`.
        case starts(String)
        /// Takes one stream only: opening locks this file, and fails with `EBUSY` while another stream holds it.
        case lock(String)
        /// Opening fails with this error instead of `EBUSY` while another stream holds the lock. Named before it.
        case lockError(String)
        /// Opening fails with this error: `EBUSY`, `ENODEV`, `ENOENT`, `EACCES`, `EIO`, `EMFILE`, `ENFILE` or `ENOMEM`.
        case openError(String)
        /// Opening waits while another holds a lock (`flock`) of this file.
        case gate(String)
        /// Callers must pass both descriptors; with only one of them the device counts as lost.
        case twoDescriptors
        /// The clock waits for a late writer: no underrun on a busy machine.
        case waitsForWriter
        /// The only rate that the sink itself accepts, in Hz.
        case rate(Int)
        /// The only channel count that the sink itself accepts.
        case channels(Int)
    }

    /// The sink could not be built; the compiler's words are on standard error.
    public struct BuildFailure: Error {
        /// What `system` returned for the build.
        public let status: Int32
    }

    /// The name of the PCM with these arguments; `plugged` puts ALSA's conversions in front of it.
    public static func name(plugged: Bool = true, _ arguments: Argument...) -> String {
        let base = plugged ? "paced" : "paced_hw"
        guard !arguments.isEmpty else { return base }
        return base + ":" + arguments.map(spelling).joined(separator: ",")
    }

    /// Builds the sink where it is missing, and points alsa-lib at its configuration.
    public static func install() throws(BuildFailure) {
        try outcome.get()
    }

    private static let outcome: Result<Void, BuildFailure> = {
        let package = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        let status = system("'\(package)/Tests/Support/Paced/build' >/dev/null </dev/null")
        guard status == 0 else { return .failure(BuildFailure(status: status)) }
        setenv("ALSA_CONFIG_PATH", "\(package)/.build/paced/asound.conf", 1)
        return .success(())
    }()

    private static func spelling(_ argument: Argument) -> String {
        switch argument {
        case .fault(let fault, let frame, let times): "FAULT=\(fault.rawValue),FRAME=\(frame),TIMES=\(times)"
        case .refusesResume: "RESUME=false"
        case .latency(let milliseconds): "LATENCY=\(milliseconds)"
        case .capture(let path): "CAPTURE=\(path)"
        case .starts(let path): "STARTS=\(path)"
        case .lock(let path): "LOCK=\(path)"
        case .lockError(let name): "LOCK_ERROR=\(name)"
        case .openError(let name): "OPEN_ERROR=\(name)"
        case .gate(let path): "GATE=\(path)"
        case .twoDescriptors: "DESCRIPTORS=2"
        case .waitsForWriter: "UNDERRUNS=false"
        case .rate(let hertz): "RATE=\(hertz)"
        case .channels(let count): "CHANNELS=\(count)"
        }
    }
}
