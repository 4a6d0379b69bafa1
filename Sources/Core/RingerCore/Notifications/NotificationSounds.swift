/// The sounds of notifications: the system's or an application's own, with a volume, critical or not. Any thread.
///
/// They share the single system sound of the device with ``SystemSoundServices``, and vibrate as alerts do.
public final class NotificationSounds: Sendable {
    /// The predefined sounds that are the defaults.
    public struct Configuration: Sendable, Hashable {
        /// The default alert.
        public var standard: SystemSoundID
        /// The default critical alert.
        public var standardCritical: SystemSoundID

        /// By default `sms-received1` (1007), and `alarm` (1005) for critical notifications.
        public init(standard: SystemSoundID = 1007, standardCritical: SystemSoundID = 1005) {
            self.standard = standard
            self.standardCritical = standardCritical
        }
    }

    private let sounds: SystemSoundServices
    private let configuration: Configuration

    package init(_ sounds: SystemSoundServices, configuration: Configuration = Configuration()) {
        self.sounds = sounds
        self.configuration = configuration
    }

    /// Begins a notification's sound and returns at once.
    ///
    /// A name is looked up in the container's `Library/Sounds`, then in its bundle, without following symbolic links; not
    /// where the rules silence the sound. The default plays instead if the file is missing, forbidden, cannot be decoded or
    /// lasts 30 s or longer, or if the name or a link leads elsewhere; ``SystemSoundResult/fallback`` has the reason.
    ///
    /// - Parameters:
    ///   - sound: The sound. A critical one is treated as an ordinary one if the application may not send critical
    ///     alerts.
    ///   - container: The application's directory; nil for an application without sounds of its own.
    ///   - completion: Called once, with the outcome: before the call returns, on the caller's thread, if the rules
    ///     silence the sound; else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: Identifies the call, for stopping it.
    @discardableResult
    public func start(
        _ sound: NotificationSound, in container: ApplicationContainer?,
        completion: (@Sendable (SystemSoundResult) -> Void)? = nil
    ) -> SystemSoundServices.Call {
        sounds.start(order(sound, container), completion)
    }

    /// Plays a notification's sound and returns its outcome. Cancelling the task stops it.
    public func play(_ sound: NotificationSound, in container: ApplicationContainer?) async -> SystemSoundResult {
        await sounds.wait(for: order(sound, container))
    }

    /// Plays the sound of a notification whose sender was looked at elsewhere: a system sound of `client`, or the default
    /// sound, with the error of one in whose place that is. Cancelling the task stops it.
    package func play(
        _ id: SystemSoundID?, of client: SystemSoundServices? = nil, insteadOf error: RingerError? = nil, volume: Float,
        isCritical: Bool
    ) async -> SystemSoundResult {
        let sounds = client ?? sounds
        var order = order(id ?? standard(isCritical), of: sounds, volume, isCritical)
        order.fallback = error.map { SoundFallback($0) }
        return await sounds.wait(for: order)
    }

    /// The default sound.
    private func standard(_ isCritical: Bool) -> SystemSoundID {
        isCritical ? configuration.standardCritical : configuration.standard
    }

    private func order(
        _ id: SystemSoundID, of sounds: SystemSoundServices, _ volume: Float, _ isCritical: Bool
    ) -> SystemSoundOrder {
        var order = sounds.order(id, as: .alert)
        order.request = .notification(volume: volume, isCritical: isCritical)
        order.kind = .notification
        return order
    }

    private func order(_ sound: NotificationSound, _ container: ApplicationContainer?) -> SystemSoundOrder {
        let isCritical = sound.isCritical && container?.allowsCriticalAlerts == true
        let standard = standard(isCritical)
        var order = order(standard, of: sounds, sound.volume, isCritical)
        if sound.isCritical && !isCritical {
            order.fallback = SoundFallback(
                .criticalNotAllowed,
                RingerError(.permissionDenied, "send a critical alert", container?.directory ?? "the application"))
        }
        guard case .named(let name) = sound.kind else { return order }
        do throws(RingerError) {
            guard let container else { throw RingerError(.notFound, "look for the sound", name) }
            try ApplicationContainer.check(name)
            order.source = .contained(name, container, otherwise: standard)
        } catch {
            order.fallback = SoundFallback(error.code == .notFound ? .missing : .refusedName, error)
        }
        return order
    }
}
