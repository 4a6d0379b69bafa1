import RingerCore
import RingerBus

/// The properties of the interface `org.ringer.Ringer1`: their values, their setting and the signal of their changes. It
/// runs on the event loop's thread.
final class ServiceProperties {
    /// Reports the lock, which clients cannot set then; nil where nobody does.
    weak var logind: Logind?
    private let device: Device
    private let connection: BusConnection
    private let requests: ServiceRequests
    private let preferences: ServicePreferences
    private let publisher: ServicePublisher
    private let board: SimulatedBoardService?
    /// The properties as they were published last.
    private var published: [String: BusValue] = [:]

    init(
        _ device: Device, _ connection: BusConnection, _ requests: ServiceRequests, _ preferences: ServicePreferences,
        _ publisher: ServicePublisher, _ board: SimulatedBoardService?
    ) {
        (self.device, self.connection, self.requests) = (device, connection, requests)
        (self.preferences, self.publisher, self.board) = (preferences, publisher, board)
    }

    /// Publishes changes from now on.
    func start() {
        published = values(of: .ringer)
    }

    /// Publishes what has changed.
    func publish() {
        let now = values(of: .ringer)
        let changed = now.filter { published[$0.key] != $0.value }
        published = now
        if !changed.isEmpty { connection.signalChanges(of: changed, RingerNames.path, RingerNames.interface) }
    }

    /// Answers a call of the standard interface of properties, whose caller may make it.
    func answer(_ message: BusMessage, _ interfaces: [BusInterface]) throws {
        switch try PropertyCall(message, interfaces) {
        case .getAll(let interface): connection.reply(to: message, [.dictionary(values(of: interface))])
        case .get(let interface, let name): connection.reply(to: message, [.variant(value(of: name, interface))])
        case .set(let name, let value):
            try set(name, value, message)
            publisher.publishSoon()
        }
    }

    private func values(of interface: BusInterface) -> [String: BusValue] {
        interface.values { value(of: $0, interface) }
    }

    private func value(of property: String, _ interface: BusInterface) -> BusValue {
        if let board, interface.name == RingerNames.simulatedBoardInterface { return board.value(of: property) }
        let state = device.state
        switch property {
        case "SwitchPosition": return .string(state.ringSilent?.rawValue ?? "")
        case "SwitchReadability":
            return .string(
                !state.isSwitchConnected && !state.isSwitchUnreadable
                    ? "none" : state.isSwitchUnreadable ? "unreadable" : "readable")
        case "KeptPosition": return .string(state.keptPosition?.rawValue ?? "")
        case "KeptPositionUntil": return .wallTime(state.keptPositionUntil)
        case "QuietHoursNow": return .string(state.quietHours?.rawValue ?? "")
        case "QuietHoursUntil": return .wallTime(state.quietHoursUntil)
        case "QuietHoursVolume": return .double(Double(state.quietHoursVolume ?? -1))
        case "QuietHoursVolumeUntil": return .wallTime(state.quietHoursVolumeUntil)
        case "EffectivePosition": return .string(state.effectivePosition(device.preferences).position.rawValue)
        case "SilencedBy": return .strings(state.effectivePosition(device.preferences).sources.map(\.rawValue))
        case "Route": return .string(state.route.rawValue)
        case "ScreenLocked": return .boolean(state.isScreenLocked)
        case "Jacks":
            return .strings(
                (state.isHeadphoneInserted ? ["headphone"] : []) + (state.isMicrophoneInserted ? ["microphone"] : []))
        case "Volume": return .double(Double(state.outputVolume ?? -1))
        case "InputAvailable": return .boolean(state.isInputAvailable ?? false)
        case "PlaybackSilenced": return .boolean(state.sessions.contains(.silencesPlayback))
        case "Call":
            guard state.sessions.contains(.call) else { return .string("") }
            return .string(state.sessions.contains(.callByPriority) ? "priority" : "ordinary")
        case "Requests": return requests.busValue
        case "Preferences": return .dictionary(device.preferences.busValues)
        case "Motor": return .string(device.vibrator?.name ?? "")
        case "StatusLight": return .string(device.statusLight?.name ?? "")
        case "Routes": return .strings(device.sessions.routes.present.names)
        case "SampleRate": return .double(device.hardware.sampleRate)
        case "OutputChannels": return .uint32(device.hardware.outputChannels)
        case "InputChannels": return .uint32(device.hardware.inputChannels)
        case "OutputLatency": return .double(Double(device.hardware.outputLatency))
        case "InputLatency": return .double(Double(device.hardware.inputLatency))
        case "BufferDuration": return .double(Double(device.hardware.ioBufferDuration))
        case "OutputLost": return .boolean(device.hardware.isServerDead)
        case "Board": return .string(board != nil ? "simulated" : "hardware")
        default: return .string("")
        }
    }

    /// Sets a property, and replies.
    private func set(_ property: String, _ value: BusValue, _ message: BusMessage) throws {
        switch property {
        case "ScreenLocked":
            if logind?.reportsLock == true {
                throw BusError.readOnlyProperty("ScreenLocked is read-only: logind reports the lock")
            }
            device.setScreenLocked(value.boolean ?? false)
        case "Preferences": return try preferences.set(value, message)
        case "Volume":
            guard let volume = value.double, (0...1).contains(volume) else {
                throw BusError.invalidArguments("Volume: a volume is 0 to 1")
            }
            try device.setOutputVolume(Float(volume))
        default: throw RingerError(.unsupported, "set the property", property)
        }
        connection.reply(to: message)
    }
}
