import RingerCore
import RingerBus

/// The service's state, which its properties report: to the switch's handler, and to the handler of the rest. Used on the
/// loop's thread alone.
final class ServiceState {
    private let link: ServiceLink
    /// Called with the switch's events: at once, and when it moves.
    var onSwitch: (@Sendable (SwitchEvent) -> Void)? { didSet { reportSwitch() } }
    /// Called with the rest of the state: at once, and when it changes.
    var onChange: (@Sendable (DeviceStateChange) -> Void)? { didSet { report(Set(link.properties.keys)) } }
    /// Called with the activity of the sessions of all processes: at once, and when it changes.
    var onActivity: (@Sendable (SessionActivity) -> Void)? { didSet { reportActivity() } }

    /// - Parameter link: The connection, which has read the service's properties.
    init(_ link: ServiceLink) {
        self.link = link
    }

    /// The service's motor; nil where it has none.
    var motorName: String? { name("Motor") }
    /// The service's status light; nil where it has none.
    var lightName: String? { name("StatusLight") }
    /// Whether the service's device has a switch.
    var hasSwitch: Bool { link.properties["SwitchReadability"]?.string != "none" }
    /// The position of the service's switch; nil where it is not known.
    var switchPosition: SwitchPosition? {
        link.properties["SwitchPosition"]?.string.flatMap(SwitchPosition.init(rawValue:))
    }
    /// The position that is kept there beside the switch's; nil where none is.
    var keptPosition: SwitchPosition? {
        link.properties["KeptPosition"]?.string.flatMap(SwitchPosition.init(rawValue:))
    }
    /// Whether a position that is kept there can end by itself: older services have none that does.
    var keepsEnds: Bool { link.properties["KeptPositionUntil"] != nil }
    /// What the quiet hours there ask for now; nil outside of them, and at a service that has none.
    var quietHours: SwitchPosition? {
        link.properties["QuietHoursNow"]?.string.flatMap(SwitchPosition.init(rawValue:))
    }
    /// The most silent one of the three; nil where the switch's is not known.
    var readPosition: SwitchPosition? { switchPosition.map { max($0, keptPosition ?? $0, quietHours ?? $0) } }
    /// The route of the service's sounds.
    var route: AudioRoute { link.properties["Route"]?.string.flatMap(AudioRoute.init(rawValue:)) ?? .speaker }
    /// The preferences in force at the service; nil where it has none. Names and words of a later service are passed over.
    var preferences: UserPreferences? {
        guard let values = link.properties["Preferences"]?.dictionary else { return nil }
        var preferences = UserPreferences()
        for (name, value) in values { try? preferences.set(.dictionary([name: value])) }
        return preferences
    }

    private func name(_ property: String) -> String? {
        link.properties[property]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The routes that are present at the service, jacks left out.
    private var routes: Set<AudioRoute> {
        Set((link.properties["Routes"]?.strings ?? []).compactMap(AudioRoute.init(rawValue:)))
            .subtracting([.headphone, .headset])
    }

    /// The routes of the service's board, as far as they are present or may come.
    var board: RouteBoard {
        let others = routes.union([.bluetooth]).subtracting([.speaker])
        return RouteBoard(
            pcm: "service", routes: Dictionary(uniqueKeysWithValues: others.map { ($0, "service") }))
    }

    /// Reports the properties that changed.
    func changed(_ names: Set<String>) {
        if names.contains("SwitchPosition") || names.contains("SwitchReadability") { reportSwitch() }
        if names.contains("PlaybackSilenced") || names.contains("Call") { reportActivity() }
        report(names)
    }

    /// Reports that the service is gone.
    func lost(_ error: RingerError) {
        onChange?(.lost(error))
        onChange?(.outputLost(true))
        if hasSwitch { onSwitch?(.lost(error, at: link.clock.now)) }
        onActivity?([])
    }

    /// Reports that the service is back, and its state.
    func returned() {
        onChange?(.found)
        if hasSwitch {
            onSwitch?(.found(at: link.clock.now))
            reportSwitch()
        }
        reportActivity()
        report(Set(link.properties.keys))
    }

    private func reportActivity() {
        var activity: SessionActivity = link.properties["PlaybackSilenced"]?.boolean == true ? .silencesPlayback : []
        switch link.properties["Call"]?.string {
        case "priority": activity.formUnion([.call, .callByPriority])
        case "ordinary": activity.insert(.call)
        default: break
        }
        onActivity?(activity)
    }

    private func reportSwitch() {
        guard let onSwitch else { return }
        let now = link.clock.now
        guard let switchPosition, link.properties["SwitchReadability"]?.string == "readable" else {
            let error = RingerError(
                .permissionDenied, "read the position", "ring/silent switch",
                detail: "the service cannot read it: ringer doctor on the service's machine says why")
            return onSwitch(.lost(error, at: now))
        }
        onSwitch(.position(switchPosition, at: now))
    }

    private func report(_ names: Set<String>) {
        guard let onChange else { return }
        let properties = link.properties
        if names.contains("Jacks") {
            let jacks = properties["Jacks"]?.strings ?? []
            onChange(.headphoneInserted(jacks.contains("headphone")))
            onChange(.microphoneInserted(jacks.contains("microphone")))
        }
        if names.contains("Routes") {
            for route in [AudioRoute.bluetooth] { onChange(.routePresent(route, routes.contains(route))) }
        }
        if names.contains("Volume"), let volume = properties["Volume"]?.double {
            onChange(.outputVolume(volume < 0 ? nil : Float(volume)))
        }
        if names.contains("InputAvailable"), let isAvailable = properties["InputAvailable"]?.boolean {
            onChange(.inputAvailable(isAvailable))
        }
        reportHardware(names)
        if names.contains("KeptPosition") || names.contains("KeptPositionUntil") {
            onChange(.keptPosition(keptPosition, until: properties["KeptPositionUntil"]?.wallTime))
        }
        if names.contains("QuietHoursNow") || names.contains("QuietHoursUntil") {
            onChange(.quietHours(quietHours, until: properties["QuietHoursUntil"]?.wallTime))
        }
        if names.contains("QuietHoursVolume") || names.contains("QuietHoursVolumeUntil") {
            let volume = properties["QuietHoursVolume"]?.double.flatMap { (0...1).contains($0) ? Float($0) : nil }
            onChange(.quietHoursVolume(volume, until: properties["QuietHoursVolumeUntil"]?.wallTime))
        }
        if names.contains("ScreenLocked"), let isLocked = properties["ScreenLocked"]?.boolean {
            onChange(.screenLocked(isLocked))
        }
    }

    /// What the service's hardware granted. A service that has just started has asked nothing yet: the last figures stay.
    private func reportHardware(_ names: Set<String>) {
        let properties = link.properties
        func number(_ name: String) -> Double {
            // What is not finite is no duration.
            properties[name]?.double.flatMap { (0...1_000_000).contains($0) ? $0 : nil } ?? 0
        }
        func count(_ name: String) -> Int { Int(clamping: properties[name]?.uint32 ?? 0) }
        func format(channels: String, latency: String) -> SoundPortFormat {
            SoundPortFormat(
                sampleRate: number("SampleRate"), channels: count(channels),
                bufferDuration: .seconds(number("BufferDuration")), latency: .seconds(number(latency)))
        }
        if !names.isDisjoint(with: ["SampleRate", "OutputChannels", "OutputLatency", "BufferDuration"]),
            number("SampleRate") > 0
        {
            onChange?(.outputFormat(format(channels: "OutputChannels", latency: "OutputLatency")))
        }
        if !names.isDisjoint(with: ["InputChannels", "InputLatency"]) {
            onChange?(.inputFormat(format(channels: "InputChannels", latency: "InputLatency")))
        }
        if names.contains("OutputLost"), let isLost = properties["OutputLost"]?.boolean {
            onChange?(.outputLost(isLost))
        }
    }
}
