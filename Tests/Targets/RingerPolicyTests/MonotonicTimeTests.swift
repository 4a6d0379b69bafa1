import Testing

@testable import RingerPolicy

@Suite("Instants and durations")
struct MonotonicTimeTests {
    @Test("an instant is a timespec, and a difference of two is a duration")
    func arithmetic() {
        let time = MonotonicTime(seconds: 3, nanoseconds: 500)
        #expect(time.nanoseconds == 3_000_000_500)
        #expect(time + .microseconds(2) - time == .nanoseconds(2000))
        #expect(time - (time + .seconds(1)) == .seconds(-1))
        #expect(time < time + .nanoseconds(1))
    }

    @Test("a duration beyond 292 years is held at the limits instead of overflowing")
    func limits() {
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(Duration.milliseconds(-1).nanoseconds == -1_000_000)
        #expect(Duration.nanoseconds(Int64.min).nanoseconds == .min)
        #expect((Duration.nanoseconds(Int64.max) - .nanoseconds(1)).nanoseconds == Int64.max - 1)
        // More than any count of seconds in 64 bits.
        #expect((Duration.seconds(Int64.max) + .seconds(Int64.max)).nanoseconds == .max)
    }

    // Adding a duration without an end to an instant used to trap.
    @Test("an instant beyond the limits is held at them")
    func instants() {
        let now = MonotonicTime(nanoseconds: 1_000)
        #expect(now + .seconds(Int64.max) == MonotonicTime(nanoseconds: .max))
        #expect(now + .seconds(Int64.max) + .seconds(1) == MonotonicTime(nanoseconds: .max))
        #expect(MonotonicTime(nanoseconds: -1_000) + .seconds(Int64.min) == MonotonicTime(nanoseconds: .min))
        #expect(MonotonicTime(seconds: .max, nanoseconds: .max) == MonotonicTime(nanoseconds: .max))
        let (first, last) = (MonotonicTime(nanoseconds: .min), MonotonicTime(nanoseconds: .max))
        #expect((last - first).nanoseconds == .max && (first - last).nanoseconds == .min)
        #expect(first + (last - first) < last)
    }
}

@Suite("Categories and options")
struct CategoryTests {
    @Test("the options have Apple's bits, and duck implies mixing")
    func bits() {
        #expect(CategoryOptions.named.map(\.option.rawValue) == [1, 2, 4, 8, 17, 1 << 16])
        #expect(CategoryOptions.duckOthers.mixes)
        #expect(CategoryOptions.interruptSpokenAudioAndMixWithOthers.contains(.mixWithOthers))
        #expect(!CategoryOptions.defaultToSpeaker.mixes)
    }

    @Test("ducking holds for playback, calls and multi-route only")
    func ducking() {
        let ducking = AudioCategory.allCases.filter { $0.allowedOptions.contains(.duckOthers) }
        #expect(ducking == [.playback, .playAndRecord, .multiRoute])
    }

    @Test("a route set holds just the routes that were put in", arguments: AudioRoute.allCases)
    func routeSets(route: AudioRoute) {
        #expect(AudioRoute.allCases.filter { AudioRouteSet(route).contains($0) } == [route])
    }
}
