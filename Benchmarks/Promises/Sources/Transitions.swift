import Glibc
import RingerLinux

/// Times calls that are one transition each, at 64 active sessions, 100 sounds and 1,000 announcements, in processor time of
/// the calling thread: what else the machine does is left out, and so are the effects, which the device's thread performs.
enum Transitions {
    static func measure(rounds: Int) throws {
        let loop = try EventLoop(name: "device")
        let silent = PositionSource()
        let ports = Device.Ports(clock: loop, ringSilent: silent, motor: nil, speaker: EndlessOutput())
        let device = try Device(ports)
        defer { device.close() }
        silent.move(to: .ring)
        var sessions: [AudioSession] = []
        for number in 0..<64 {
            let session = try device.sessions.make(
                name: "session \(number)", category: .playback, options: number == 0 ? .duckOthers : .mixWithOthers)
            sessions.append(session)
        }
        for session in sessions.dropFirst() { session.activate { _ in } }
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 1, count: 48_000))
        func play() {
            for number in 0..<100 { sessions[1 + number % 63].start(sound) }
        }
        play()
        settle(loop)
        precondition(device.player.playing == 100)

        var longest: [(name: String, time: Int)] = []
        func time(_ name: String, restore: () -> Void = {}, _ body: () -> Void) {
            var most = 0
            for _ in 0..<rounds {
                let before = processorTime()
                body()
                most = max(most, processorTime() - before)
                restore()
                settle(loop)
            }
            longest.append((name, most))
        }
        var preferences = device.preferences
        time("preferences are set") {
            preferences.soundEffects.toggle()
            device.preferences = preferences
        }
        time("the switch moves") { silent.move(to: silent.position == .ring ? .silent : .ring) }
        time("a session ducks 63 others", restore: { sessions[0].deactivate { _ in } }) {
            sessions[0].activate { _ in }
        }
        time(
            "a sound begins",
            restore: {
                device.player.stopAll(); loop.sync {}; play()
            }
        ) { sessions[1].start(sound) }
        time("a call interrupts all, and ends") {
            device.sessions.interruptionEnded(device.sessions.interruptionBegan())
        }
        time("everything stops", restore: { play() }) { device.player.stopAll() }
        let announcement = Announcement(sound, options: .honoursRingSilentSwitch, expiry: .seconds(3600))
        func announce() {
            silent.move(to: .ring)
            do {
                for _ in 0..<1_000 { try device.announcements.add(announcement) }
            } catch {
                preconditionFailure("\(error)")
            }
        }
        announce()
        loop.sync {}
        time(
            "the switch silences 1,000 announcements",
            restore: {
                while device.announcements.count > 0 { loop.sync {} }
                announce()
            }
        ) { silent.move(to: .silent) }
        for (name, time) in longest { print("\(time / 1_000) \(name)") }
    }

    /// Waits until no effect is left. What an effect adds is performed in the next turn: a transition that is measured
    /// meanwhile waits for the lock, which the device's thread takes for each of them.
    private static func settle(_ loop: EventLoop) {
        for _ in 0..<10 { loop.sync {} }
    }

    private static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// A switch that the benchmark moves, on its own thread.
// SAFETY: used on the main thread alone.
private final class PositionSource: RingSilentSwitch, @unchecked Sendable {
    private var handler: (@Sendable (SwitchEvent) -> Void)?
    private(set) var position: SwitchPosition?

    var name: String { "benchmark" }
    func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) { self.handler = handler }
    func reread() {}
    func close() { handler = nil }

    func move(to position: SwitchPosition) {
        self.position = position
        handler?(.position(position, at: .now))
    }
}

/// An output whose sounds end when they are stopped.
private struct EndlessOutput: SoundOutput {
    private struct Endless: Playback {
        let handler: @Sendable (PlaybackEvent) -> Void

        func stop() { handler(.ended(.stopped, at: .now, StreamPosition(played: 0, total: 48_000))) }
        func setGain(_ gain: Float, over duration: Duration) {}
    }

    var name: String { "endless" }
    func pcm(for route: AudioRoute) -> String { "endless" }
    func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback { Endless(handler: handler) }
    func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {}
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {}
    func prefer(_ preferences: SessionPreferences) {}
    func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void) { completion(nil) }
    func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void) { completion() }
    func close() {}
}
