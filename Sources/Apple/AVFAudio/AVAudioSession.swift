// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Dispatch
@_exported import Foundation
internal import ProcessDevice
internal import RingerCore
import Synchronization

/// The process's audio session. Any thread.
///
/// Notifications are posted from the first call of ``sharedInstance()`` on: of interruptions on the main queue, of route changes
/// on a serial queue of their own.
// SAFETY: its state is under the lock, or the device's, which any thread may use.
public final class AVAudioSession: NSObject, @unchecked Sendable {
    private struct State {
        /// The session whose events are observed.
        weak var observed: AudioSession?
        var mode = Mode.default
        var preferredInput: AVAudioSessionPortDescription?
        var observation: NSObjectProtocol?
    }

    private static let shared = AVAudioSession()
    private static let routeChanges = DispatchQueue(label: "ringer.route-changes")
    private let state = Mutex(State())

    private override init() {}

    /// The process's session.
    public class func sharedInstance() -> AVAudioSession {
        _ = try? shared.session
        return shared
    }

    /// The process's session, whose events are posted as notifications.
    var session: AudioSession {
        get throws {
            let session: AudioSession
            do {
                session = try ProcessDevice.session
            } catch {
                throw Self.error(SessionError.Code.notInitialized.rawValue, "\(error)")
            }
            let isNew = state.withLock { state in
                defer { state.observed = session }
                return state.observed !== session
            }
            if isNew {
                try ProcessDevice.observeSession { [weak self] event in self?.post(event) }
            }
            return session
        }
    }

    /// An error as the phone's session throws it, with the sentence about its reason.
    static func error(_ code: Int32, _ sentence: String) -> NSError {
        NSError(domain: NSOSStatusErrorDomain, code: Int(code), userInfo: [NSLocalizedDescriptionKey: sentence])
    }

    /// Carries out a request.
    private func request(_ body: (AudioSession) throws(SessionError) -> Void) throws {
        let session = try session
        do throws(SessionError) {
            try body(session)
        } catch {
            throw Self.error(error.code.rawValue, "\(error)")
        }
    }

    // MARK: - Category

    /// The session's category.
    public var category: Category { Category((try? session)?.category ?? .soloAmbient) }

    /// The options of the session's category.
    public var categoryOptions: CategoryOptions {
        CategoryOptions(rawValue: UInt((try? session)?.options.rawValue ?? 0) & 0xFFFF)
    }

    /// The categories that there are.
    public var availableCategories: [Category] { AudioCategory.allCases.map { Category($0) } }

    /// The session's mode.
    public var mode: Mode { state.withLock { $0.mode } }

    /// The modes that there are.
    public var availableModes: [Mode] { Mode.all }

    /// Sets the category, without options.
    public func setCategory(_ category: Category) throws {
        try setCategory(category, mode: mode, options: [])
    }

    /// Sets the category and its options. Throws an error with Apple's code where it is refused.
    public func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, options: options)
    }

    /// Sets category, mode and options. Of the modes only ``Mode/spokenAudio`` has an effect.
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        guard let own = AudioCategory(category) else {
            throw Self.error(
                SessionError.Code.incompatibleCategory.rawValue, "there is no category \(category.rawValue)")
        }
        try request { session throws(SessionError) in
            try session.setCategory(own, options: RingerCore.CategoryOptions(options))
        }
        try setMode(mode)
    }

    /// Sets the mode.
    public func setMode(_ mode: Mode) throws {
        try request { session throws(SessionError) in try session.setSpoken(mode == .spokenAudio) }
        state.withLock { $0.mode = mode }
    }

    // MARK: - Activity

    /// Activates or deactivates the session. Throws where another session matters more.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        try request { _ throws(SessionError) in
            try ProcessDevice.setActive(active, notifyOthers: options.contains(.notifyOthersOnDeactivation))
        }
    }

    /// Whether another session, or another process, plays.
    public var isOtherAudioPlaying: Bool { (try? session)?.isOtherAudioPlaying ?? false }

    /// Whether other audio plays that does not mix: sound that is not important is better left out.
    public var secondaryAudioShouldBeSilencedHint: Bool { isOtherAudioPlaying }

    // MARK: - Routes

    /// The inputs and outputs in use; without outputs while the switch silences the session.
    public var currentRoute: AVAudioSessionRouteDescription {
        AVAudioSessionRouteDescription((try? session)?.route)
    }

    /// Whether sound can be recorded.
    public var isInputAvailable: Bool { (try? session)?.isInputAvailable ?? false }

    /// The inputs that there are.
    public var availableInputs: [AVAudioSessionPortDescription]? {
        guard isInputAvailable else { return [] }
        return [AVAudioSessionPortDescription(.microphone)]
    }

    /// The input that the program noted.
    public var preferredInput: AVAudioSessionPortDescription? { state.withLock { $0.preferredInput } }

    /// Notes the input; the board has one.
    public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        state.withLock { $0.preferredInput = inPort }
    }

    /// Has a call heard from the speaker, until the category or the route changes.
    public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        try request { session throws(SessionError) in
            try session.overrideRoute(toSpeaker: portOverride == .speaker)
        }
    }

    // MARK: - Permission to record

    /// Granted where there is an input.
    public var recordPermission: RecordPermission { isInputAvailable ? .granted : .denied }

    /// Linux asks nobody: the answer is whether there is an input.
    @preconcurrency
    public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
        let isGranted = isInputAvailable
        DispatchQueue.main.async { response(isGranted) }
    }

    // MARK: - Hardware

    /// The volume, 0 to 1.
    public var outputVolume: Float { Float((try? session)?.outputVolume ?? 1) }
    /// The rate that the hardware granted, in Hz.
    public var sampleRate: Double { (try? session)?.sampleRate ?? 0 }
    /// The rate that the session prefers, in Hz; 0 for none.
    public var preferredSampleRate: Double { (try? session)?.preferredSampleRate ?? 0 }
    /// The period that the hardware granted, in seconds.
    public var ioBufferDuration: TimeInterval { (try? session)?.ioBufferDuration ?? 0 }
    /// The period that the session prefers, in seconds; 0 for none.
    public var preferredIOBufferDuration: TimeInterval { (try? session)?.preferredIOBufferDuration ?? 0 }
    /// The input's channels.
    public var inputNumberOfChannels: Int { (try? session)?.inputChannels ?? 0 }
    /// The output's channels.
    public var outputNumberOfChannels: Int { (try? session)?.outputChannels ?? 0 }
    /// The input's latency, in seconds.
    public var inputLatency: TimeInterval { (try? session)?.inputLatency ?? 0 }
    /// The output's latency, in seconds.
    public var outputLatency: TimeInterval { (try? session)?.outputLatency ?? 0 }

    /// Prefers a rate, in Hz. The hardware may grant another.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        try request { session throws(SessionError) in try session.setPreferredSampleRate(sampleRate) }
    }

    /// Prefers a period, in seconds. The hardware may grant another.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try request { session throws(SessionError) in try session.setPreferredIOBufferDuration(duration) }
    }

    // MARK: - Notifications

    /// Runs in the callbacks' thread.
    private func post(_ event: SessionEvent) {
        switch event {
        // Players are paused before the program hears of it, as on the phone; not where it has activated the session since.
        case .soundStopped(.oldDeviceUnavailable):
            Players.pause()
        case .deactivated:
            if (try? session)?.isActive == false { Players.pause() }
        case .interruptionBegan:
            if (try? session)?.isActive == false { Players.pause() }
            postOnMain([AVAudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.began.rawValue)])
        case .interruptionEnded(let shouldResume):
            let options: InterruptionOptions = shouldResume ? .shouldResume : []
            postOnMain([
                AVAudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.ended.rawValue),
                AVAudioSessionInterruptionOptionKey: NSNumber(value: options.rawValue),
            ])
        case .routeChanged(let change):
            // The center waits for an observer that has a queue, such as the main one, which may itself wait for a callback.
            Self.routeChanges.async { [self] in
                NotificationCenter.default.post(
                    name: Self.routeChangeNotification, object: self,
                    userInfo: [
                        AVAudioSessionRouteChangeReasonKey: NSNumber(value: UInt(change.reason.rawValue)),
                        AVAudioSessionRouteChangePreviousRouteKey: AVAudioSessionRouteDescription(change.old),
                    ])
            }
        case .audible:
            Players.areHeard()
        default: break
        }
    }

    private func postOnMain(_ information: [String: NSNumber]) {
        // As an operation: for an observer whose queue is another one than the current the center waits, and on the main
        // queue it would wait for itself.
        OperationQueue.main.addOperation {
            NotificationCenter.default.post(
                name: Self.interruptionNotification, object: self, userInfo: information)
        }
    }
}
