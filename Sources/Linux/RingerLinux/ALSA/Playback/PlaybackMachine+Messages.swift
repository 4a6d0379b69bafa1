import RingerCore

extension PlaybackMachine {
    enum Phase {
        /// Not prepared.
        case new
        case opening
        /// Prepared, not started.
        case filling
        case starting
        /// Frames of the sound remain to be written.
        case running
        /// The sound is written; the zeros after it are not.
        case padding
        /// All is written; the last frame has not been heard.
        case draining
        case preparing
        case resuming
        case ended
    }

    enum Interruption {
        case underrun
        case suspension
    }

    /// Time-outs and retry limits.
    struct Limits: Sendable {
        /// How long a PCM may take to be opened, until the sound fails.
        var open: Duration = .seconds(5)
        /// How long closing the output waits for alsa-lib.
        var close: Duration = .milliseconds(500)
        /// How long the position may not change, beyond the length of a full buffer, until the stream counts as dead.
        var stall: Duration = .seconds(1)
        /// How often a resume is tried while the device is not awake yet.
        var resumeAttempts = 20
        /// How long to wait between two attempts to resume.
        var resumePause: Duration = .milliseconds(100)
        /// How often in a row the stream may fail without any frame having been heard.
        var fruitlessRestarts = 5
    }

    /// The timers; one of each at a time.
    enum Timer: Sendable, Hashable, CaseIterable {
        /// Report the position, as requested.
        case report
        /// The end, or room for more.
        case wake
        /// Check that the stream is running.
        case stall
        /// The next attempt to resume.
        case resume
    }

    /// What can happen.
    enum Event: Sendable {
        case play(at: MonotonicTime)
        /// The PCM is open. If it `isMixed`, frames in its buffer are heard even if the stream is stopped; if it `isCoarse`,
        /// its position may stand still for a period.
        case opened(HardwareFormat, isMixed: Bool, isCoarse: Bool)
        /// How many of the frames of the last write, or padding, were taken.
        case wrote(Int)
        case started(at: MonotonicTime)
        /// There may be room for a period, or the stream has failed.
        case ready
        /// `delay` frames had not been heard, according to a reading between `before` and `at`.
        case position(delay: Int, before: MonotonicTime, at: MonotonicTime)
        case due(Timer, at: MonotonicTime)
        case prepared
        case resumption(PCMHandle.Resumption, at: MonotonicTime)
        /// A call failed; `left` frames were in the buffer then, if known.
        case failed(RingerError, left: Int?, at: MonotonicTime)
        case setGain(Float, over: Duration)
        /// The sound is to end after so many frames, or with a later round of so many.
        case end(after: Int64, rounds: Int)
        /// How many frames were taken back: they have to be written again.
        case rewound(Int)
        /// Stop. In a shared buffer the sound is over once the frames that could not be taken back are heard.
        case stop
        /// Stop, and end the sound before this is handled: the PCM is about to be closed.
        case stopAtOnce
    }

    /// What to do.
    enum Action: Sendable {
        case open
        case write(Range<Int64>, GainRamp)
        case pad(frames: Int)
        case start
        case readPosition
        /// Take back what was written, except for so many frames.
        case rewind(keeping: Int)
        /// Send ``Event/ready`` once there is room for a period. Does nothing while that is requested already.
        case watch
        case unwatch
        /// Replaces the timer of that name.
        case schedule(Timer, at: MonotonicTime)
        case prepare
        case resume
        case tell(PlaybackEvent)
        /// Stop the stream, cancel timers and descriptors, give the PCM back if it is reusable, and report the end, at
        /// `at` or once the stream has stopped.
        case end(PlaybackEnd, at: MonotonicTime?, StreamPosition, isReusable: Bool)
    }
}
