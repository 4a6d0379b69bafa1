// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Dispatch
internal import ProcessDevice
internal import RingerCore
import Synchronization

/// The ways of notifying that a program asks for.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A number at the program's picture.
    public static let badge = UNAuthorizationOptions(rawValue: 1)
    /// A sound.
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    /// A text.
    public static let alert = UNAuthorizationOptions(rawValue: 4)
    /// In a car.
    public static let carPlay = UNAuthorizationOptions(rawValue: 8)
    /// Critical sounds ignore the switch once they were asked for.
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 16)
    /// Quietly at first.
    public static let provisional = UNAuthorizationOptions(rawValue: 64)
}

/// How a notification is presented while its program is in front.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A number at the program's picture.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1)
    /// Its sound.
    public static let sound = UNNotificationPresentationOptions(rawValue: 2)
    /// A text.
    public static let alert = UNNotificationPresentationOptions(rawValue: 4)
    /// In the list of notifications.
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    /// At the top of the screen.
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

/// Plays the sounds of notifications, at once or when their triggers say.
/// Any thread; the delegate is called on the main queue.
// SAFETY: its state is under the lock.
public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private struct Pending {
        var request: UNNotificationRequest
        /// Nil until it is set.
        var timer: (any DeviceTimer)?
        /// A timer of an older request of the same identifier is late.
        var number: UInt64
    }

    /// The program's delegate.
    // SAFETY: the reference alone is used on any thread; the object is called on the main queue.
    private struct Delegate: @unchecked Sendable {
        weak var object: (any UNUserNotificationCenterDelegate)?
    }

    private struct State {
        var delegate = Delegate()
        var allowsCriticalAlerts = false
        var pending: [String: Pending] = [:]
        var last: UInt64 = 0

        /// Makes a request pending, without a timer; one of the same identifier is replaced.
        mutating func add(_ request: UNNotificationRequest) -> (number: UInt64, replaced: Pending?) {
            last += 1
            let replaced = pending.updateValue(Pending(request: request, number: last), forKey: request.identifier)
            return (last, replaced)
        }
    }

    private static let shared = UNUserNotificationCenter()
    private let state = Mutex(State())

    private override init() {}

    /// The process's center.
    public class func current() -> UNUserNotificationCenter { shared }

    /// Is asked, on the main queue, how a notification is presented.
    public var delegate: (any UNUserNotificationCenterDelegate)? {
        get { state.withLock { $0.delegate }.object }
        set {
            let delegate = Delegate(object: newValue)
            state.withLock { $0.delegate = delegate }
        }
    }

    // MARK: - Authorization

    /// Linux asks nobody: everything is granted.
    @preconcurrency
    public func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        authorize(options)
        DispatchQueue.global().async { completionHandler(true, nil) }
    }

    /// Asks whether the program may notify.
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        authorize(options)
        return true
    }

    private func authorize(_ options: UNAuthorizationOptions) {
        if options.contains(.criticalAlert) { state.withLock { $0.allowsCriticalAlerts = true } }
    }

    /// Reports what is switched on.
    @preconcurrency
    public func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        let settings = settings
        DispatchQueue.global().async { completionHandler(settings) }
    }

    /// What is switched on.
    public func notificationSettings() async -> UNNotificationSettings { settings }

    private var settings: UNNotificationSettings {
        UNNotificationSettings(allowsCriticalAlerts: state.withLock { $0.allowsCriticalAlerts })
    }

    // MARK: - Requests

    /// Adds a request; one of the same identifier that is pending is replaced.
    @preconcurrency
    public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        var failure: (any Error)?
        do {
            try schedule(request)
        } catch {
            failure = error
        }
        guard let completionHandler else { return }
        let known = failure
        DispatchQueue.global().async { completionHandler(known) }
    }

    /// Adds a request; one of the same name is replaced.
    public func add(_ request: UNNotificationRequest) async throws {
        try schedule(request)
    }

    /// Removes every request that is not due yet.
    public func removeAllPendingNotificationRequests() {
        remove { _ in true }
    }

    /// Removes the requests of these names that are not due yet.
    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        remove(identifiers.contains)
    }

    /// Reports the requests that are not due yet.
    @preconcurrency
    public func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        let requests = pending
        DispatchQueue.global().async { completionHandler(requests) }
    }

    /// The requests that are not due yet.
    public func pendingNotificationRequests() async -> [UNNotificationRequest] { pending }

    private var pending: [UNNotificationRequest] { state.withLock { $0.pending.values.map(\.request) } }

    private func remove(_ isMeant: (String) -> Bool) {
        let removed = state.withLock { state in
            let removed = state.pending.filter { isMeant($0.key) }
            for identifier in removed.keys { state.pending[identifier] = nil }
            return removed
        }
        for entry in removed.values { entry.timer?.cancel() }
    }

    /// Delivers a request now, or at the time of its trigger.
    private func schedule(_ request: UNNotificationRequest) throws {
        let clock = try ProcessDevice.device.clock
        guard let interval = request.trigger?.interval(after: Date()) else {
            remove { $0 == request.identifier }
            if request.trigger == nil { deliver(request) }
            return
        }
        let (number, replaced) = state.withLock { $0.add(request) }
        replaced?.timer?.cancel()
        setTimer(of: request, number, interval, on: clock)
    }

    private func setTimer(
        of request: UNNotificationRequest, _ number: UInt64, _ interval: TimeInterval, on clock: any DeviceClock
    ) {
        let timer = clock.schedule(at: clock.now + .nanoseconds(Int64(min(interval, 1e9) * 1e9))) { [weak self] in
            clock.callBack { [weak self] in self?.isDue(request, number, on: clock) }
        }
        // It may be due, removed or replaced already.
        let isPending = state.withLock { state in
            guard state.pending[request.identifier]?.number == number else { return false }
            state.pending[request.identifier]?.timer = timer
            return true
        }
        if !isPending { timer.cancel() }
    }

    private func isDue(_ request: UNNotificationRequest, _ number: UInt64, on clock: any DeviceClock) {
        let next = request.trigger.flatMap { $0.repeats ? $0.interval(after: Date()) : nil }
        let nextNumber = state.withLock { state -> UInt64? in
            guard state.pending[request.identifier]?.number == number else { return nil }
            // Until it is removed, a repeated one is pending without a pause.
            if next != nil { return state.add(request).number }
            state.pending[request.identifier] = nil
            return 0
        }
        guard let nextNumber else { return }
        if let next { setTimer(of: request, nextNumber, next, on: clock) }
        deliver(request)
    }

    private func deliver(_ request: UNNotificationRequest) {
        let delegate = state.withLock { $0.delegate }
        guard delegate.object != nil else { return play(request.content.sound) }
        let notification = UNNotification(request, at: Date())
        DispatchQueue.main.async { [self] in
            // It may be gone since.
            guard let object = delegate.object else { return play(request.content.sound) }
            object.userNotificationCenter(self, willPresent: notification) { [self] options in
                if options.contains(.sound) { play(request.content.sound) }
            }
        }
    }

    /// The home directory: `HOME` comes first, as a service without a login has it. Foundation asks the user database alone.
    private var home: String {
        let named = ProcessInfo.processInfo.environment["HOME"] ?? ""
        return named.hasPrefix("/") ? named : NSHomeDirectory()
    }

    private func play(_ sound: UNNotificationSound?) {
        guard let sound, let device = try? ProcessDevice.device else { return }
        let container = ApplicationContainer(
            home, bundle: Bundle.main.bundlePath,
            allowsCriticalAlerts: state.withLock { $0.allowsCriticalAlerts })
        device.notifications.start(sound.sound, in: container)
    }
}
