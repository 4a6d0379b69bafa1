import RingerCore
import RingerBus

/// The events whose feedback is given: their sounds, their vibrations and their lights, until they are over. It runs on the
/// event loop's thread.
// SAFETY: all state is used on the loop's thread alone, where the tasks below run.
final class FeedbackEvents: @unchecked Sendable {
    /// Why an event's feedback ended, as libfeedback knows it.
    enum Reason: UInt32 {
        case natural = 0
        case explicit = 2
        case notFound = 4_294_967_295
    }

    /// An event whose feedback is given. It runs on the event loop's thread.
    // SAFETY: used on the loop's thread alone.
    final class Running: @unchecked Sendable {
        let id: UInt32
        let client: String
        let app: String
        let event: FeedbackEvent
        let hints: FeedbackHints
        let timeout: Int32
        /// What it has taken of the budget.
        let share: BudgetShare
        /// Reads its caller's files.
        let reads: FileReads
        var sound: SoundPlayer.ID?
        var vibration: Vibrator.ID?
        var light: ServiceLight.Token?
        var timer: (any DeviceTimer)?
        /// What gives it.
        var task: Task<Void, Never>?
        /// Whether the motor has turned for it.
        var hasTurned = false
        var isOver = false

        init(
            _ id: UInt32, _ client: ServiceClient, _ app: String, _ event: FeedbackEvent, _ hints: FeedbackHints,
            _ timeout: Int32, _ share: BudgetShare
        ) {
            (self.id, self.client, self.app, reads) = (id, client.name, app, client.reads)
            (self.event, self.hints, self.timeout, self.share) = (event, hints, timeout, share)
        }

        /// Whether it is given again and again.
        var repeats: Bool { timeout >= 0 }

        /// Whether it ends with its caller: what plays once is played to its end, but a light has none.
        var endsWithCaller: Bool { repeats || light != nil }
    }

    let service: Service
    private let profile: FeedbackProfile
    let haptic: HapticRunner
    private var running: [UInt32: Running] = [:]
    private var last: UInt32 = 0

    var device: Device { service.device }

    init(_ service: Service, _ profile: FeedbackProfile, _ haptic: HapticRunner) {
        (self.service, self.profile, self.haptic) = (service, profile, haptic)
    }

    /// Whether the motor turns for an event.
    var isVibrating: Bool { running.values.contains { $0.vibration != nil } }

    /// Gives the feedback that a call of TriggerFeedback asks for.
    func begin(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) throws {
        let (app, name) = (arguments[0].string ?? "", arguments[1].string ?? "")
        guard !app.isEmpty, !name.isEmpty else {
            throw BusError.invalidArguments("TriggerFeedback: \(app.isEmpty ? "the app_id" : "the event") is empty")
        }
        let hints = FeedbackHints(arguments[2].dictionary ?? [:])
        let timeout = max(arguments[3].int32 ?? -1, -1)
        let share = try client.take(.requests)
        repeat { last = last == .max ? 1 : last + 1 } while running[last] != nil
        let id = last
        // libfeedback knows an event by the reply's number: its end must come after it.
        service.connection.reply(to: message, [.uint32(id)])
        let known = FeedbackEvent.named[name]
        let event = Running(id, client, app, known ?? .unknown, hints, timeout, share)
        let hasLight = event.event.light != nil && device.statusLight != nil
        guard known != nil || hints.soundFile != nil, hints.level != nil,
            hasLight || parts(of: event) != (false, false)
        else {
            return ended(event, .notFound)
        }
        running[id] = event
        event.task = Task(executorPreference: service.loop) { [self] in await give(event) }
    }

    /// Ends an event of this client: nobody ends the event of another.
    func end(_ id: UInt32, of client: String) {
        if running[id]?.client == client { end(id, .explicit) }
    }

    /// Ends every event.
    func stop() {
        for id in running.keys.sorted() { end(id, .explicit) }
    }

    /// A client has left the bus: what repeats ends, and what plays once plays out, and counts for the client's user until then.
    func forget(_ client: ServiceClient) {
        for event in running.values where event.client == client.name && event.endsWithCaller {
            end(event.id, .explicit)
        }
    }

    /// Stops what the profile no longer permits.
    func judgeAnew() {
        for (id, event) in running.sorted(by: { $0.key < $1.key }) where running[id] != nil {
            let (isHeard, isFelt) = parts(of: event)
            if event.light != nil { continue }
            if !isHeard && !isFelt {
                end(id, .explicit)
                continue
            }
            if !isHeard, let sound = event.sound { device.player.stop(sound) }
            if !isFelt, let vibration = event.vibration { device.vibrator?.stop(vibration) }
        }
    }

    func end(_ id: UInt32, _ reason: Reason) {
        guard let event = running.removeValue(forKey: id) else { return }
        event.isOver = true
        event.task?.cancel()
        event.timer?.cancel()
        if let sound = event.sound { device.player.stop(sound) }
        if let vibration = event.vibration { device.vibrator?.stop(vibration) }
        if let light = event.light {
            do throws(RingerError) {
                try service.light.pop(light)
            } catch {
                service.publisher.reportDegraded(error)
            }
        }
        ended(event, reason)
    }

    private func ended(_ event: Running, _ reason: Reason) {
        service.connection.signal(
            FeedbackNames.path, FeedbackNames.interface, "FeedbackEnded",
            [.uint32(event.id), .uint32(reason.rawValue)], to: event.client)
    }

    /// What of an event is given now: its sound, its vibration.
    func parts(of event: Running) -> (sound: Bool, vibration: Bool) {
        let level = profile.level(event.app, event.hints)
        let (hasSound, hasVibration) = (
            event.event.sound != nil || event.hints.soundFile != nil,
            event.event.vibration != nil && device.vibrator != nil
        )
        return (
            level == .full && hasSound && device.decide(event.event.kind).isHeard,
            level >= .quiet && hasVibration && device.decide(event.event.kind == .alarm ? .alarm : .alert).vibrates
        )
    }
}
