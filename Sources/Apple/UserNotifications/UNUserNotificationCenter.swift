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
        /// When an interval is over, and by whose clock.
        var due: (clock: any DeviceClock, at: MonotonicTime)?
        /// That of the interval; nil until it is set.
        var timer: (any DeviceTimer)?
        /// Those of a calendar.
        var dates: CalendarDates?
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
        /// Waits for the next date of all requests.
        var dateTimer: (any DeviceTimer)?
        /// Counts the looks at the dates: the timer of an older one is late.
        var look: UInt64 = 0

        /// Makes a request pending on the device in use, an interval with the rest of it; one of the same identifier is replaced.
        mutating func add(
            _ request: UNNotificationRequest, rest: TimeInterval?
        ) -> (entry: Pending, replaced: Pending?) {
            last += 1
            let dates = (request.trigger as? UNCalendarNotificationTrigger).map(CalendarDates.init)
            var entry = Pending(request: request, dates: dates, number: last)
            // Under the lock, so that who follows the device finds it.
            if let rest, let clock = ProcessDevice.inUse?.clock {
                entry.due = (clock, clock.now + .nanoseconds(Int64(min(rest, 1e9) * 1e9)))
            }
            return (entry, pending.updateValue(entry, forKey: request.identifier))
        }

        /// The wall clock is at `now`.
        ///
        /// - Returns: The requests that are due, in order, and the next date; `distantFuture` while the clock has to be set.
        mutating func pass(_ now: Date) -> (due: [UNNotificationRequest], next: Date?) {
            var (due, next): ([(date: Date, request: UNNotificationRequest)], Date?) = ([], nil)
            for (identifier, var entry) in pending {
                guard var dates = entry.dates else { continue }
                if let date = dates.pass(now) { due.append((date, entry.request)) }
                if !dates.isOver { next = min(next ?? .distantFuture, dates.next ?? .distantFuture) }
                entry.dates = dates
                pending[identifier] = dates.isOver ? nil : entry
            }
            due.sort { ($0.date, $0.request.identifier) < ($1.date, $1.request.identifier) }
            return (due.map(\.request), next)
        }
    }

    private static let shared = UNUserNotificationCenter()
    private let state = Mutex(State())

    private override init() {
        super.init()
        ProcessDevice.follower.withLock { $0.follow = { [unowned self] in followDevice() } }
    }

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
        if removed.values.contains(where: { $0.dates != nil }) { lookAtDates() }
    }

    /// Delivers a request now, or at the time of its trigger.
    private func schedule(_ request: UNNotificationRequest) throws {
        let device = try ProcessDevice.device
        guard let trigger = request.trigger else {
            remove { $0 == request.identifier }
            return deliver(request, on: device.clock)
        }
        let interval = trigger as? UNTimeIntervalNotificationTrigger
        let (entry, replaced) = state.withLock { $0.add(request, rest: interval?.timeInterval) }
        replaced?.timer?.cancel()
        if interval == nil { lookAtDates() } else { setTimer(of: entry) }
    }

    /// Waits for what is pending on the clock of the device that is in use now: the one before may have stopped.
    private func followDevice() {
        let moved = state.withLock { state in
            state.pending.values.compactMap { entry in
                (entry.request.trigger as? UNTimeIntervalNotificationTrigger).map { trigger in
                    let rest = entry.due.map { ($0.at - $0.clock.now).inSeconds }
                    return state.add(entry.request, rest: rest ?? trigger.timeInterval)
                }
            }
        }
        for (entry, replaced) in moved {
            replaced?.timer?.cancel()
            setTimer(of: entry)
        }
        lookAtDates()
    }

    /// Delivers what is due by the wall clock, and waits for the next date.
    private func lookAtDates() {
        var awaited: (date: Date, device: ObjectIdentifier)?
        while let device = ProcessDevice.inUse {
            let (clock, device) = (device.clock, ObjectIdentifier(device))
            let now = clock.wallTime
            let (due, next, look) = state.withLock { state in
                let (due, next) = state.pass(Date(timeIntervalSince1970: now.inSeconds))
                state.look += 1
                return (due, next, state.look)
            }
            for request in due { deliver(request, on: clock) }
            // Again once the timer is set: the clock may have been set meanwhile, or another device be in use.
            guard let next else {
                let useless = state.withLock { $0.look == look ? $0.dateTimer.take() : nil }
                useless?.cancel()
                return
            }
            if let awaited, next == awaited.date, device == awaited.device { return }
            awaited = (next, device)
            let time = Duration.microseconds((next.timeIntervalSince1970 * 1e6).rounded(.up))
            let timer = clock.schedule(atWallTime: time) { [weak self] in
                clock.callBack { [weak self] in self?.lookAtDates() }
            }
            let (isLate, useless) = state.withLock { state -> (Bool, (any DeviceTimer)?) in
                guard state.look == look else { return (true, timer) }
                defer { state.dateTimer = timer }
                return (false, state.dateTimer)
            }
            useless?.cancel()
            if isLate { awaited = nil }
        }
    }

    private func setTimer(of entry: Pending) {
        guard let (clock, time) = entry.due else { return }
        let (request, number) = (entry.request, entry.number)
        let timer = clock.schedule(at: time) { [weak self] in
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
        let trigger = request.trigger as? UNTimeIntervalNotificationTrigger
        let (isLate, next) = state.withLock { state -> (Bool, Pending?) in
            guard state.pending[request.identifier]?.number == number else { return (true, nil) }
            // Until it is removed, a repeated one is pending without a pause.
            if let trigger, trigger.repeats { return (false, state.add(request, rest: trigger.timeInterval).entry) }
            state.pending[request.identifier] = nil
            return (false, nil)
        }
        if isLate { return }
        if let next { setTimer(of: next) }
        deliver(request, on: clock)
    }

    private func deliver(_ request: UNNotificationRequest, on clock: any DeviceClock) {
        let delegate = state.withLock { $0.delegate }
        guard delegate.object != nil else { return play(request.content.sound) }
        let notification = UNNotification(request, at: Date(timeIntervalSince1970: clock.wallTime.inSeconds))
        DispatchQueue.main.async { [self] in
            // It may be gone since.
            guard let object = delegate.object else { return play(request.content.sound) }
            object.userNotificationCenter(self, willPresent: notification) { [self] options in
                if options.contains(.sound) { play(request.content.sound) }
            }
        }
    }

    private func play(_ sound: UNNotificationSound?) {
        guard let sound, let device = try? ProcessDevice.device else { return }
        // A service without a login has a HOME; the directory that Foundation names is the user database's.
        let (named, home) = (ProcessInfo.processInfo.environment["HOME"] ?? "", NSHomeDirectory())
        var container = ApplicationContainer(
            named.hasPrefix("/") ? named : home, bundle: Bundle.main.bundlePath,
            allowsCriticalAlerts: state.withLock { $0.allowsCriticalAlerts })
        container.otherDirectory = home
        device.notifications.start(sound.sound, in: container) { ProcessDevice.note($0.outcome, $0.fallback) }
    }
}
