import RingerCore

/// Runs the pattern of a caller of Haptic: one at a time. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone, where the pattern's task runs.
final class HapticRunner: @unchecked Sendable {
    private let service: Service
    private let profile: FeedbackProfile
    /// The pattern that runs, and whose it is.
    private var running: (client: String, app: String, task: Task<Void, Never>)?

    init(_ service: Service, _ profile: FeedbackProfile) {
        (self.service, self.profile) = (service, profile)
    }

    /// Whether the profiles and the policy permit an application's pattern now.
    func isPermitted(_ app: String) -> Bool {
        profile.level(app) >= .quiet && service.device.decide(.alert).vibrates
    }

    /// Runs a pattern instead of the one that runs; an empty one only ends that.
    func run(_ pattern: HapticPattern, _ app: String, for client: ServiceClient) {
        end()
        if pattern.isEmpty { return }
        let task = Task(executorPreference: service.loop) { [self] in
            await pattern.run(on: service.device) { [self] in isPermitted(app) }
        }
        running = (client.name, app, task)
    }

    /// Ends the pattern that runs.
    func end() {
        running?.task.cancel()
        running = nil
    }

    /// Ends a pattern that the profile no longer permits.
    func judgeAnew() {
        if let running, !isPermitted(running.app) { end() }
    }

    /// Ends the pattern of a client that is no longer known.
    func forget(_ client: ServiceClient) {
        if running?.client == client.name { end() }
    }
}
