// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Dispatch
@_exported import Foundation
internal import ProcessDevice
internal import RingerCore
import Synchronization

/// Plays a sound file of any length in the process's audio session, which it activates.
/// Any thread; the delegate is called on the main queue.
///
/// While the switch silences the session, the player goes on without a sound, and is heard again where the switch allows it. An
/// interruption, headphones that are pulled out, and a deactivation of the session pause it.
///
/// A file may be CAF, AIFF, AIFF-C or WAV with linear PCM, IMA4, u-law or A-law, or MP3 where libmpg123 is installed.
// SAFETY: its state is under the lock.
public final class AVAudioPlayer: NSObject, @unchecked Sendable {
    /// The program's delegate.
    // SAFETY: the reference alone is used on any thread; the object is called on the main queue.
    private struct Delegate: @unchecked Sendable {
        weak var object: (any AVAudioPlayerDelegate)?
    }

    private struct State: Sendable {
        var delegate = Delegate()
        var volume: Float = 1
        var numberOfLoops = 0
        /// How many rounds have ended.
        var rounds = 0
        var isPlaying = false
        /// The position, in frames, when it began to play or was paused.
        var frame = 0
        /// When it was there.
        var since = MonotonicTime(nanoseconds: 0)
        /// What plays from one position on, heard or not, has a number: what belongs to an older one is late.
        var stretch: UInt64 = 0
        /// The sound that is heard, and its session: the process may have another device by now.
        var sound: (id: SoundPlayer.ID, session: AudioSession)?
        /// The end of a stretch that is not heard.
        var timer: (any DeviceTimer)?
        /// The heard stretch that was paused, and where it began: its sound's end says where exactly.
        var paused: (stretch: UInt64, frame: Int)?
    }

    private let sound: PCMBuffer
    /// The file that it plays; nil for data.
    public let url: URL?
    /// The contents that it plays; nil for a file.
    public let data: Data?
    private let state = Mutex(State())

    private init(_ sound: PCMBuffer, _ url: URL?, _ data: Data?) {
        self.sound = sound
        self.url = url
        self.data = data
    }

    /// A player of a sound without frames, as a first value of a property.
    public override convenience init() {
        self.init(PCMBuffer(sampleRate: 44_100, channels: 1, samples: []), nil, nil)
    }

    /// - Throws: An error of `NSOSStatusErrorDomain`: -43 where the file cannot be read, `typ?` where it is no sound.
    public convenience init(contentsOf url: URL) throws {
        guard url.isFileURL else { throw Self.error(Self.fileNotFound, "\(url) is no file") }
        do {
            self.init(try SoundLoader.load(url.path), url, nil)
        } catch {
            throw Self.error(error.errno == nil ? Self.unsupportedFileType : Self.fileNotFound, "\(error)")
        }
    }

    /// A player of a file. The hint is ignored: the contents say what it is.
    public convenience init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        try self.init(contentsOf: url)
    }

    /// A player of a sound file's contents.
    public convenience init(data: Data) throws {
        do {
            self.init(try SoundFiles.decode(Array(data)), nil, data)
        } catch {
            throw Self.error(Self.unsupportedFileType, "\(error)")
        }
    }

    /// A player of a sound file's contents. The hint is ignored.
    public convenience init(data: Data, fileTypeHint utiString: String?) throws {
        try self.init(data: data)
    }

    private static let fileNotFound: Int32 = -43
    private static let unspecified: Int32 = 0x7768_743F  // 'wht?'
    private static let unsupportedFileType: Int32 = 0x7479_703F  // 'typ?'

    private static func error(_ code: Int32, _ sentence: String) -> NSError {
        AVAudioSession.error(code, sentence)
    }

    deinit {
        let state = state.withLock { $0 }
        state.timer?.cancel()
        if let sound = state.sound { sound.session.stop(sound.id) }
    }

    // MARK: - Properties

    /// Is told on the main queue when the sound is over.
    public var delegate: (any AVAudioPlayerDelegate)? {
        get { state.withLock { $0.delegate }.object }
        set {
            let delegate = Delegate(object: newValue)
            state.withLock { $0.delegate = delegate }
        }
    }

    /// Whether it plays, heard or silenced.
    public var isPlaying: Bool { state.withLock { $0.isPlaying } }
    /// The sound's channels.
    public var numberOfChannels: Int { sound.channels }
    /// The length of the sound, in seconds.
    public var duration: TimeInterval { Double(sound.frames) / sound.sampleRate }
    /// The device's clock, in seconds.
    public var deviceCurrentTime: TimeInterval { (now?.nanoseconds).map { Double($0) / 1e9 } ?? 0 }

    /// How often the sound is played after the first time; any negative number for ever.
    public var numberOfLoops: Int {
        get { state.withLock { $0.numberOfLoops } }
        set { state.withLock { $0.numberOfLoops = newValue } }
    }

    /// The gain, 0 to 1.
    public var volume: Float {
        get { state.withLock { $0.volume } }
        set {
            let isHeard = state.withLock { state in
                state.volume = newValue.isNaN ? 0 : min(max(newValue, 0), 1)
                return state.sound != nil
            }
            if isHeard { move(to: nil) }
        }
    }

    /// Sets the gain at once: there are no fades.
    public func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
        self.volume = volume
    }

    /// The position in the sound, in seconds.
    public var currentTime: TimeInterval {
        get {
            let now = now
            return state.withLock { Double(position($0, now)) / sound.sampleRate }
        }
        set {
            let seconds = newValue.isNaN ? 0 : min(max(newValue, 0), duration)
            move(to: min(Int(seconds * sound.sampleRate), sound.frames))
        }
    }

    // MARK: - Playing

    /// The sound is decoded already.
    @discardableResult
    public func prepareToPlay() -> Bool { (try? ProcessDevice.session) != nil }

    /// Plays from the present position on.
    ///
    /// - Returns: False if the session cannot be activated: another one has a higher priority, a call is under way, or there is
    ///   no device.
    @discardableResult
    public func play() -> Bool {
        // Its events tell when the session is heard again.
        guard let session = try? AVAudioSession.sharedInstance().session else { return false }
        let before = state.withLock { $0.isPlaying ? nil : $0.stretch }
        guard let before else { return true }
        do {
            if !session.isActive { try ProcessDevice.setActive(true) }
        } catch {
            return false
        }
        Players.add(self)
        begin(after: before)
        return true
    }

    /// Plays at a time of ``deviceCurrentTime``.
    @discardableResult
    public func play(atTime time: TimeInterval) -> Bool {
        guard let clock = try? ProcessDevice.device.clock, time.isFinite, abs(time) < 1e9 else { return false }
        let stretch = state.withLock { $0.stretch }
        _ = clock.schedule(at: MonotonicTime(nanoseconds: Int64(time * 1e9))) { [weak self] in
            clock.callBack { [weak self] in
                // It may have been played or stopped meanwhile.
                guard let self, self.state.withLock({ $0.stretch == stretch }) else { return }
                self.play()
            }
        }
        return true
    }

    /// Stops, and keeps the position.
    public func pause() {
        let now = now
        end { pause(&$0, now) }
    }

    private func pause(_ state: inout State, _ now: MonotonicTime?) {
        if state.sound != nil { state.paused = (state.stretch, state.frame) }
        state.frame = position(state, now)
        state.isPlaying = false
    }

    /// Stops, and keeps the position; the next ``play()`` begins its rounds anew.
    public func stop() {
        pause()
        state.withLock { $0.rounds = 0 }
    }

    private var now: MonotonicTime? { try? ProcessDevice.device.clock.now }

    /// The position, in frames.
    private func position(_ state: State, _ now: MonotonicTime?) -> Int {
        guard state.isPlaying, let now else { return state.frame }
        let played = Double((now - state.since).nanoseconds) / 1e9 * sound.sampleRate
        return min(state.frame + Int(played.rounded()), sound.frames)
    }

    /// Goes to another position, or with nil begins anew at the present one.
    private func move(to frame: Int?) {
        let now = now
        let ended = end { state in
            pause(&state, now)
            if let frame { (state.frame, state.paused) = (frame, nil) }
        }
        if ended.wasPlaying { begin(after: ended.stretch) }
    }

    /// Ends the stretch that plays, and changes the state.
    ///
    /// - Parameter stretch: The stretch to end; another one is left alone. Nil for any.
    /// - Returns: Whether it played, and the number of the pause that follows it.
    @discardableResult
    private func end(
        _ stretch: UInt64? = nil, _ change: @Sendable (inout State) -> Void
    ) -> (wasPlaying: Bool, stretch: UInt64) {
        let (sound, timer, wasPlaying, next) = state.withLock { state in
            if let stretch, state.stretch != stretch {
                return (
                    nil as (id: SoundPlayer.ID, session: AudioSession)?, nil as (any DeviceTimer)?, false, state.stretch
                )
            }
            let (sound, timer, wasPlaying) = (state.sound, state.timer, state.isPlaying)
            change(&state)
            state.stretch += 1
            (state.sound, state.timer) = (nil, nil)
            return (sound, timer, wasPlaying, state.stretch)
        }
        timer?.cancel()
        if let sound { sound.session.stop(sound.id) }
        return (wasPlaying, next)
    }

    /// Begins a stretch, unless the player was played, paused or stopped since `previous`.
    private func begin(from start: Int? = nil, after previous: UInt64) {
        guard let session = try? ProcessDevice.session, let now else { return }
        let begun = state.withLock { state -> (stretch: UInt64, frame: Int, volume: Float)? in
            guard state.stretch == previous else { return nil }
            state.stretch += 1
            if let start { state.frame = start }
            if state.frame >= sound.frames { state.frame = 0 }
            state.isPlaying = true
            state.paused = nil
            state.since = now
            return (state.stretch, state.frame, state.volume)
        }
        guard let (stretch, frame, volume) = begun else { return }
        let id = session.start(volume == 1 ? sound : sound.scaled(by: volume), from: frame) { [weak self] result in
            self?.ended(stretch, result)
        }
        let isLate = state.withLock { state in
            guard state.stretch == stretch else { return true }
            if state.timer == nil { state.sound = (id, session) }
            return false
        }
        if isLate { session.stop(id) }
    }

    /// The sound of a stretch has ended.
    private func ended(_ stretch: UInt64, _ result: SoundResult) {
        let isCurrent = state.withLock { state in
            if let paused = state.paused, paused.stretch == stretch {
                state.frame = min(paused.frame + result.position.played, sound.frames)
                state.paused = nil
            }
            return state.stretch == stretch
        }
        guard isCurrent else { return }
        switch result.outcome {
        case .finished:
            roundEnded(stretch, result)
        case .silenced(by: .interruption), .silenced(by: .sessionPriority), .stopped:
            pause(stretch, result)
        case .silenced:
            goOnSilently(stretch, result)
        case .failed(let error) where error.code == .sessionNotActive:
            pause(stretch, result)
        case .failed(let error):
            pause(stretch, result)
            tell { player, delegate in
                delegate.audioPlayerDecodeErrorDidOccur(
                    player, error: AVAudioSession.error(Self.unspecified, "\(error)"))
                delegate.audioPlayerDidFinishPlaying(player, successfully: false)
            }
        }
    }

    private func pause(_ stretch: UInt64, _ result: SoundResult) {
        end(stretch) { state in
            state.frame = min(state.frame + result.position.played, sound.frames)
            state.isPlaying = false
        }
    }

    /// The switch or the lock silences the session: time goes on.
    private func goOnSilently(_ stretch: UInt64, _ result: SoundResult) {
        guard let clock = try? ProcessDevice.device.clock else { return }
        let left = state.withLock { state -> Int? in
            guard state.stretch == stretch else { return nil }
            state.frame = min(state.frame + result.position.played, sound.frames)
            state.since = result.endedAt
            state.sound = nil
            return sound.frames - state.frame
        }
        guard let left else { return }
        let end = result.endedAt + .nanoseconds(Int64(Double(left) / sound.sampleRate * 1e9))
        let timer = clock.schedule(at: end) { [weak self] in
            clock.callBack { [weak self] in self?.roundEnded(stretch, nil) }
        }
        let isLate = state.withLock { state in
            if state.stretch != stretch { return true }
            state.timer = timer
            return false
        }
        if isLate { return timer.cancel() }
        // It may be heard again since.
        _ = clock.schedule(at: clock.now + .milliseconds(20)) { [weak self] in
            clock.callBack { [weak self] in
                if let session = try? ProcessDevice.session, session.isAudible { self?.becomesAudible() }
            }
        }
    }

    /// The session is heard again.
    func becomesAudible() {
        if state.withLock({ $0.isPlaying && $0.timer != nil }) { move(to: nil) }
    }

    /// The sound was played to its end, heard or not.
    private func roundEnded(_ stretch: UInt64, _ result: SoundResult?) {
        let again = state.withLock { state -> Bool? in
            guard state.stretch == stretch else { return nil }
            state.timer = nil
            state.sound = nil
            state.frame = 0
            state.rounds += 1
            // A sound without frames would be repeated without end, and without a pause.
            let isRepeated = state.numberOfLoops < 0 || state.rounds <= state.numberOfLoops
            if isRepeated && sound.frames > 0 { return true }
            state.stretch += 1
            state.rounds = 0
            state.isPlaying = false
            return false
        }
        guard let again else { return }
        if again { return begin(from: 0, after: stretch) }
        guard let result, let device = try? ProcessDevice.device else { return finished() }
        ProcessDevice.callBack(on: device)(result.outcome, result.position, result.endedAt) { [weak self] in
            self?.finished()
        }
    }

    private func finished() {
        tell { player, delegate in delegate.audioPlayerDidFinishPlaying(player, successfully: true) }
    }

    private func tell(_ body: @escaping @Sendable (AVAudioPlayer, any AVAudioPlayerDelegate) -> Void) {
        DispatchQueue.main.async { [weak self] in
            guard let self, let delegate = self.delegate else { return }
            Callbacks.perform { body(self, delegate) }
        }
    }
}

/// The players that have played.
enum Players {
    private struct Entry: Sendable {
        weak var player: AVAudioPlayer?
    }

    private static let players = Mutex<[Entry]>([])

    static func add(_ player: AVAudioPlayer) {
        players.withLock { players in
            players.removeAll { $0.player == nil || $0.player === player }
            players.append(Entry(player: player))
        }
    }

    /// The session is heard: those that went on without a sound are heard again.
    static func areHeard() {
        for entry in players.withLock({ $0 }) { entry.player?.becomesAudible() }
    }

    /// The session's sounds were stopped.
    static func pause() {
        for entry in players.withLock({ $0 }) { if entry.player?.isPlaying == true { entry.player?.pause() } }
    }
}

extension PCMBuffer {
    /// The sound with another gain.
    fileprivate func scaled(by gain: Float) -> PCMBuffer {
        PCMBuffer(
            sampleRate: sampleRate, channels: channels, samples: samples.map { Int16((Float($0) * gain).rounded()) })
    }
}
