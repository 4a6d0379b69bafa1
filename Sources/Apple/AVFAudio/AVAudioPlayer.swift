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
/// A file may be CAF, AIFF, AIFF-C or WAV with linear PCM, IMA4, u-law or A-law, or MP3, Ogg or FLAC where libmpg123
/// or libsndfile is installed.
// SAFETY: its state is under the lock.
public final class AVAudioPlayer: NSObject, @unchecked Sendable {
    private let sound: PCMBuffer
    /// The file that it plays; nil for data.
    public let url: URL?
    /// The contents that it plays; nil for a file.
    public let data: Data?
    private let state: Mutex<State>

    private init(_ sound: PCMBuffer, _ url: URL?, _ data: Data?) {
        self.sound = sound
        state = Mutex(State(sound))
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
        state.start?.cancel()
        if let heard = state.heard { heard.session.stop(heard.id) }
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

    /// How often the sound is played after the first time; any negative number for ever. Where it is changed, the round that has
    /// begun is played to its end.
    public var numberOfLoops: Int {
        get { state.withLock { $0.numberOfLoops } }
        set {
            let now = now
            let isSilent = state.withLock { state in
                state.begun = state.manner.rounds - state.left(now).rounds + 1
                state.numberOfLoops = newValue
                return state.timer != nil
            }
            // The end of what is not heard is a timer.
            if isSilent { move(to: nil) } else { change() }
        }
    }

    /// The gain, 0 to 1. A sound that is heard reaches it in a ramp of 20 ms; one whose end was written to the PCM already keeps
    /// its gain.
    public var volume: Float {
        get { state.withLock { $0.volume } }
        set {
            state.withLock { state in
                state.volume = Self.gain(newValue)
                state.fade += 1
            }
            change()
        }
    }

    /// Changes the gain evenly, over so many seconds.
    public func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
        guard duration > 0, duration.isFinite, let clock = try? ProcessDevice.device.clock else {
            return self.volume = volume
        }
        let (number, from) = state.withLock { state in
            state.fade += 1
            return (state.fade, state.volume)
        }
        fade(number, from, Self.gain(volume), since: clock.now, duration, on: clock)
    }

    private func fade(
        _ number: UInt64, _ from: Float, _ to: Float, since: MonotonicTime, _ seconds: TimeInterval,
        on clock: any DeviceClock
    ) {
        let share = Float(Double((clock.now - since).nanoseconds) / 1e9 / seconds)
        let isCurrent = state.withLock { state in
            if state.fade == number { state.volume = share < 1 ? from + (to - from) * share : to }
            return state.fade == number
        }
        guard isCurrent else { return }
        change()
        if share >= 1 { return }
        _ = clock.schedule(at: clock.now + SoundPlayer.gainRamp) { [weak self] in
            clock.callBack { [weak self] in self?.fade(number, from, to, since: since, seconds, on: clock) }
        }
    }

    private static func gain(_ volume: Float) -> Float { volume.isNaN ? 0 : min(max(volume, 0), 1) }

    /// Has the sound that is heard play on as the properties say by now: one thread at a time, so that the newest values are last.
    private func change() {
        var mayBegin = true
        while true {
            let next = state.withLock {
                state -> (player: SoundPlayer, id: SoundPlayer.ID, from: SoundManner, to: SoundManner)? in
                if mayBegin && state.isChanging { return nil }
                mayBegin = false
                state.isChanging = false
                let wanted = state.wanted
                guard let heard = state.heard, heard.manner != wanted else { return nil }
                state.isChanging = true
                state.heard?.manner = wanted
                return (heard.session.service.player, heard.id, heard.manner, wanted)
            }
            guard let (player, id, before, manner) = next else { return }
            if manner.volume != before.volume { player.setVolume(manner.volume, of: id) }
            // The service would have to begin it anew.
            if manner.rounds != before.rounds, !player.setRounds(manner.rounds, of: id) { move(to: nil) }
        }
    }

    /// The position in the sound, in seconds.
    public var currentTime: TimeInterval {
        get {
            let now = now
            return Double(state.withLock { $0.left(now).first }) / sound.sampleRate
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
        guard sound.frames > 0, let session = try? AVAudioSession.sharedInstance().session else { return false }
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
        guard sound.frames > 0, let clock = try? ProcessDevice.device.clock, time.isFinite, abs(time) < 1e9 else {
            return false
        }
        let stretch = state.withLock { $0.stretch }
        let timer = clock.schedule(at: MonotonicTime(nanoseconds: Int64(time * 1e9))) { [weak self] in
            clock.callBack { [weak self] in
                // It may have been played or stopped meanwhile.
                guard let self, self.state.withLock({ $0.stretch == stretch }) else { return }
                self.play()
            }
        }
        let replaced = state.withLock { state in
            guard state.stretch == stretch else { return timer as (any DeviceTimer)? }
            defer { state.start = timer }
            return state.start
        }
        replaced?.cancel()
        return true
    }

    /// Stops, and keeps the position.
    public func pause() {
        let now = now
        end { pause(&$0, now) }
    }

    private func pause(_ state: inout State, _ now: MonotonicTime?) {
        let (manner, left) = (state.manner, state.left(now))
        if state.heard != nil { state.paused = (state.stretch, manner, manner.rounds - left.rounds) }
        state.advance(to: left)
        state.isPlaying = false
    }

    /// Stops, and keeps the position; the next ``play()`` begins its rounds anew.
    public func stop() {
        let now = now
        end {
            pause(&$0, now)
            $0.rounds = 0
        }
    }

    private var now: MonotonicTime? { try? ProcessDevice.device.clock.now }

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
        let (ended, next) = state.withLock { state in
            if let stretch, state.stretch != stretch { return (nil as State?, state.stretch) }
            let ended = state
            change(&state)
            state.stretch += 1
            (state.heard, state.timer, state.start) = (nil, nil, nil)
            return (ended, state.stretch)
        }
        ended?.timer?.cancel()
        ended?.start?.cancel()
        if let heard = ended?.heard { heard.session.stop(heard.id) }
        return (ended?.isPlaying ?? false, next)
    }

    /// Begins a stretch, unless the player was played, paused or stopped since `previous`.
    private func begin(after previous: UInt64) {
        guard let session = try? ProcessDevice.session, let now else { return }
        let begun = state.withLock { state -> (stretch: UInt64, manner: SoundManner)? in
            guard state.stretch == previous else { return nil }
            state.stretch += 1
            state.start = nil
            if state.frame >= sound.frames { state.frame = 0 }
            state.isPlaying = true
            state.paused = nil
            state.since = now
            state.begun = 1
            return (state.stretch, state.manner)
        }
        guard let (stretch, manner) = begun else { return }
        let id = session.service.player.reserve()
        session.start(sound, in: manner, reserved: id) { [weak self] in self?.ended(stretch, $0) }
        let isLate = state.withLock { state in
            guard state.stretch == stretch else { return true }
            if state.timer == nil { state.heard = (id, manner, session) }
            return false
        }
        if isLate { session.stop(id) } else { change() }
    }

    /// The sound of a stretch has ended.
    private func ended(_ stretch: UInt64, _ result: SoundResult) {
        let isCurrent = state.withLock { state in
            if let paused = state.paused, paused.stretch == stretch {
                let left = paused.manner.after(result.position.played, of: sound)
                state.frame = left.first
                state.rounds = max(0, state.rounds + paused.manner.rounds - left.rounds - paused.rounds)
                state.paused = nil
            }
            return state.stretch == stretch
        }
        ProcessDevice.note(result.outcome, result.fallback)
        guard isCurrent else { return }
        switch result.outcome {
        case .finished:
            isOver(stretch, result)
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
            state.advance(to: state.manner.after(result.position.played, of: sound))
            state.isPlaying = false
        }
    }

    /// The switch or the lock silences the session: time goes on.
    private func goOnSilently(_ stretch: UInt64, _ result: SoundResult) {
        guard let clock = try? ProcessDevice.device.clock else { return }
        let left = state.withLock { state -> Int64? in
            guard state.stretch == stretch else { return nil }
            state.advance(to: state.manner.after(result.position.played, of: sound))
            state.since = result.endedAt
            state.heard = nil
            return state.manner.frames(of: sound)
        }
        guard let left else { return }
        let end = result.endedAt + .nanoseconds(Int64(Double(left) / sound.sampleRate * 1e9))
        let timer = clock.schedule(at: end) { [weak self] in
            clock.callBack { [weak self] in self?.isOver(stretch, nil) }
        }
        let (isLate, hasOtherEnd) = state.withLock { state in
            if state.stretch != stretch { return (true, false) }
            state.timer = timer
            return (false, state.manner.frames(of: sound) != left)
        }
        if isLate { return timer.cancel() }
        // The loops were changed since.
        if hasOtherEnd { move(to: nil) }
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

    /// All rounds were played to their end, heard or not.
    private func isOver(_ stretch: UInt64, _ result: SoundResult?) {
        let again = state.withLock { state -> Bool? in
            guard state.stretch == stretch else { return nil }
            state.timer = nil
            state.heard = nil
            let played = Int64(state.frame) + (result?.position.played ?? state.manner.frames(of: sound))
            (state.rounds, state.frame) = (
                state.rounds + Int(clamping: max(1, played / Int64(max(1, sound.frames)))), 0
            )
            // The output may have written the last frame before more rounds were wanted.
            // A sound without frames would be repeated without end, and without a pause.
            let isRepeated = state.numberOfLoops < 0 || state.rounds <= state.numberOfLoops
            if isRepeated && sound.frames > 0 { return true }
            state.stretch += 1
            state.rounds = 0
            state.isPlaying = false
            return false
        }
        guard let again else { return }
        if again { return begin(after: stretch) }
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
