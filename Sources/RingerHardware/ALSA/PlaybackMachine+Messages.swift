import RingerServices

extension PlaybackMachine {
    /// What bounds its patience.
    struct Limits: Sendable {
        /// How long the position may stand still beyond a full buffer, before the stream counts as dead.
        var stall: Duration = .seconds(1)
        /// How often a resume is tried while the device is not awake yet.
        var resumeAttempts = 20
        /// How long to wait between two attempts to resume.
        var resumePause: Duration = .milliseconds(100)
        /// How often in a row the stream may fail without a frame having been heard.
        var fruitlessRestarts = 5
    }

    /// What it can be woken for; one of each at a time.
    enum Timer: Sendable, Hashable, CaseIterable {
        /// The report that was asked for.
        case report
        /// The end, or room for more.
        case wake
        /// The check that the stream is alive.
        case stall
        /// The next attempt to resume.
        case resume
    }

    /// What can happen.
    enum Event: Sendable {
        case play(at: MonotonicTime)
        case opened(HardwareFormat)
        /// Of the frames last asked to be written or padded, so many were taken.
        case wrote(Int)
        case started(at: MonotonicTime)
        /// There may be room for a period, or the stream has failed.
        case ready
        /// `delay` frames were not heard yet, read after `before` and not later than `at`.
        case position(delay: Int, before: MonotonicTime, at: MonotonicTime)
        case due(Timer, at: MonotonicTime)
        case prepared
        case resumption(PCMHandle.Resumption, at: MonotonicTime)
        /// A call failed; `left` frames were in the buffer then, where that is known.
        case failed(RingerError, left: Int?, at: MonotonicTime)
        case setGain(Float, over: Duration)
        /// The frames written last that were taken back: they are to be written again.
        case rewound(Int)
        case stop
    }

    /// What can be asked to be done.
    enum Action: Sendable {
        case open
        case write(Range<Int>, GainRamp)
        case pad(frames: Int)
        case start
        case readPosition
        /// Take back what was written, up to so many frames from being heard.
        case rewind(keeping: Int)
        /// Call back when there is room for a period. Nothing where that is so already.
        case watch
        case unwatch
        /// Replaces the timer of that name.
        case schedule(Timer, at: MonotonicTime)
        case prepare
        case resume
        case tell(PlaybackEvent)
        /// Drop, forget timers and descriptors, give the PCM back if it can play on, and tell the end: at `at`, or when
        /// the stream has stopped.
        case end(PlaybackEnd, at: MonotonicTime?, StreamPosition, isReusable: Bool)
    }
}
