import RingerCore
import Synchronization

/// A status light that records what it showed. It keeps the newest ``shownLimit`` patterns. Any thread.
public final class SimulatedStatusLight: StatusLight, ColoredLight, Sendable {
    /// A pattern and when it was shown first.
    public struct Shown: Sendable, Equatable {
        /// The pattern.
        public var pattern: LightPattern
        /// When it was shown.
        public var at: MonotonicTime
    }

    private struct State {
        var pattern = LightPattern.off
        var color: LightColor?
        var shown = Newest<Shown>()
        var error: RingerError?
        var isClosed = false
    }

    private let clock: any DeviceClock
    private let state = Mutex(State())

    /// "simulated status light".
    public let name = "simulated status light"

    /// A light that is off, on `clock`.
    public init(clock: any DeviceClock) {
        self.clock = clock
    }

    /// What it shows now.
    public var pattern: LightPattern { state.withLock { $0.pattern } }
    /// The color in which it was to be shown.
    package var color: LightColor? { state.withLock { $0.color } }
    /// The newest changes, at most ``shownLimit``, in order.
    public var shown: [Shown] { state.withLock { $0.shown.elements } }
    /// How many changes are kept: 1,000 unless set otherwise.
    public var shownLimit: Int {
        get { state.withLock { $0.shown.limit } }
        set { state.withLock { $0.shown.limit = newValue } }
    }

    /// Makes every later ``show(_:)`` throw `error`; nil makes it succeed again.
    public func fail(with error: RingerError?) {
        state.withLock { $0.error = error }
    }

    /// Shows `pattern`.
    public func show(_ pattern: LightPattern) throws(RingerError) {
        try show(pattern, in: nil)
    }

    package func show(_ pattern: LightPattern, in color: LightColor?) throws(RingerError) {
        let error: RingerError? = state.withLock { state in
            if state.isClosed { return RingerError(.closed, "show a pattern", name) }
            if let error = state.error { return error }
            set(pattern, &state)
            state.color = color
            return nil
        }
        if let error { throw error }
    }

    /// Turns the light off. It cannot be used afterwards.
    public func close() throws(RingerError) {
        state.withLock { state in
            state.isClosed = true
            set(.off, &state)
        }
    }

    private func set(_ pattern: LightPattern, _ state: inout State) {
        guard state.pattern != pattern else { return }
        state.pattern = pattern
        state.shown.append(Shown(pattern: pattern, at: clock.now))
    }
}
