extension SessionProperty {
    /// The 20 properties, in the order in which listeners are told of several that changed at once.
    public static let all: [SessionProperty] = [
        SessionProperty(
            "hwsr", "PreferredHardwareSampleRate", .readWrite, .float64, .sampleRate, range: 8_000...192_000,
            unit: "Hz", read: { .float64($1.sampleRate) }),
        SessionProperty(
            "iobd", "PreferredHardwareIOBufferDuration", .readWrite, .float32, .bufferDuration, range: 0.001...2,
            unit: "s", read: { .float32($1.ioBufferDuration) }),
        SessionProperty(
            "acat", "AudioCategory", .readWrite, .uint32, .category,
            // The category that came after the codes tells 0.
            read: { facts, _ in .uint32(facts.settings.category.code?.rawValue ?? 0) }),
        SessionProperty(
            "rout", "AudioRoute", .read, .string, read: { facts, _ in .string(facts.routeName) }),
        SessionProperty("roch", "AudioRouteChange", .listen, .routeChange, isState: false),
        SessionProperty(
            "chsr", "CurrentHardwareSampleRate", .read, .float64, range: 0...192_000, unit: "Hz",
            read: { facts, _ in .float64(facts.hardware.sampleRate) }),
        SessionProperty(
            "chic", "CurrentHardwareInputNumberChannels", .read, .uint32,
            read: { facts, _ in .uint32(facts.hardware.inputChannels) }),
        SessionProperty(
            "choc", "CurrentHardwareOutputNumberChannels", .read, .uint32,
            read: { facts, _ in .uint32(facts.hardware.outputChannels) }),
        SessionProperty(
            "chov", "CurrentHardwareOutputVolume", .read, .float32, range: 0...1,
            read: { facts, _ in .float32(facts.hardware.outputVolume ?? 1) }),
        SessionProperty(
            "cilt", "CurrentHardwareInputLatency", .read, .float32, unit: "s",
            read: { facts, _ in .float32(facts.hardware.inputLatency) }),
        SessionProperty(
            "colt", "CurrentHardwareOutputLatency", .read, .float32, unit: "s",
            read: { facts, _ in .float32(facts.hardware.outputLatency) }),
        SessionProperty(
            "chbd", "CurrentHardwareIOBufferDuration", .read, .float32, unit: "s",
            read: { facts, _ in .float32(facts.hardware.ioBufferDuration) }),
        SessionProperty(
            "othr", "OtherAudioIsPlaying", .read, .uint32,
            read: { facts, _ in .uint32(facts.isOtherAudioPlaying ? 1 : 0) }),
        SessionProperty(
            "ovrd", "OverrideAudioRoute", .write, .uint32, .override(.speaker),
            revertsOn: [.categoryChange, .interruption, .routeChange], categories: [.playAndRecord, .record]),
        SessionProperty(
            "aiav", "AudioInputAvailable", .read, .uint32,
            read: { facts, _ in .uint32(facts.hardware.isInputAvailable ?? true ? 1 : 0) }),
        SessionProperty(
            "died", "ServerDied", .listen, .uint32, isState: false,
            read: { facts, _ in .uint32(facts.hardware.isServerDead ? 1 : 0) }),
        SessionProperty(
            "duck", "OtherMixableAudioShouldDuck", .readWrite, .uint32, .override(.duckOthers),
            revertsOn: .categoryChange, categories: [.ambient, .playback, .playAndRecord, .multiRoute],
            read: on(.duckOthers)),
        SessionProperty(
            "cmix", "OverrideCategoryMixWithOthers", .readWrite, .uint32, .override(.mixWithOthers),
            revertsOn: [.categoryChange, .interruption], categories: [.playback, .playAndRecord, .multiRoute],
            read: on(.mixWithOthers)),
        SessionProperty(
            "cspk", "OverrideCategoryDefaultToSpeaker", .readWrite, .uint32, .override(.defaultToSpeaker),
            revertsOn: .categoryChange, categories: [.playAndRecord], read: on(.defaultToSpeaker)),
        SessionProperty(
            "cblu", "OverrideCategoryEnableBluetoothInput", .readWrite, .uint32, .override(.bluetoothInput),
            revertsOn: .categoryChange, categories: [.record, .playAndRecord], read: on(.bluetoothInput)),
    ]

    private static func on(
        _ override: SessionOverrides
    ) -> @Sendable (SessionFacts, SessionPreferences) -> SessionPropertyValue {
        { facts, _ in .uint32(facts.settings.overrides.contains(override) ? 1 : 0) }
    }
}
