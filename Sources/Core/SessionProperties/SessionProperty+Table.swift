import FourCharacterCodes
import RingerCore
import SessionRules

extension SessionProperty {
    /// The 20 properties, in the order in which listeners get several changes at once.
    package static let all: [SessionProperty] = [
        SessionProperty(
            "hwsr", "PreferredHardwareSampleRate", .readWrite, .float64, .sampleRate,
            range: SessionPreferences.sampleRates, unit: "Hz", read: { .float64($0.preferences.sampleRate) }),
        SessionProperty(
            "iobd", "PreferredHardwareIOBufferDuration", .readWrite, .float32, .bufferDuration,
            range: SessionPreferences.ioBufferDurations, unit: "s", read: { .float32($0.preferences.ioBufferDuration) }),
        SessionProperty(
            "acat", "AudioCategory", .readWrite, .uint32, .category,
            // multiRoute, which has no code, reads 0.
            read: { facts in .uint32(facts.settings.category.code?.rawValue ?? 0) }),
        SessionProperty(
            "rout", "AudioRoute", .read, .string, read: { facts in .string(facts.routeName) }),
        SessionProperty("roch", "AudioRouteChange", .listen, .routeChange, isState: false),
        SessionProperty(
            "chsr", "CurrentHardwareSampleRate", .read, .float64, range: 0...192_000, unit: "Hz",
            read: { facts in .float64(facts.hardware.sampleRate) }),
        SessionProperty(
            "chic", "CurrentHardwareInputNumberChannels", .read, .uint32,
            read: { facts in .uint32(facts.hardware.inputChannels) }),
        SessionProperty(
            "choc", "CurrentHardwareOutputNumberChannels", .read, .uint32,
            read: { facts in .uint32(facts.hardware.outputChannels) }),
        SessionProperty(
            "chov", "CurrentHardwareOutputVolume", .read, .float32, range: 0...1,
            read: { facts in .float32(facts.outputVolume) }),
        SessionProperty(
            "cilt", "CurrentHardwareInputLatency", .read, .float32, unit: "s",
            read: { facts in .float32(facts.hardware.inputLatency) }),
        SessionProperty(
            "colt", "CurrentHardwareOutputLatency", .read, .float32, unit: "s",
            read: { facts in .float32(facts.hardware.outputLatency) }),
        SessionProperty(
            "chbd", "CurrentHardwareIOBufferDuration", .read, .float32, unit: "s",
            read: { facts in .float32(facts.hardware.ioBufferDuration) }),
        SessionProperty(
            "othr", "OtherAudioIsPlaying", .read, .uint32,
            read: { facts in .uint32(facts.isOtherAudioPlaying ? 1 : 0) }),
        SessionProperty(
            "ovrd", "OverrideAudioRoute", .write, .uint32, .override(.speaker)),
        SessionProperty(
            "aiav", "AudioInputAvailable", .read, .uint32,
            read: { facts in .uint32(facts.isInputAvailable ? 1 : 0) }),
        SessionProperty(
            "died", "ServerDied", .listen, .uint32, isState: false,
            read: { facts in .uint32(facts.hardware.isServerDead ? 1 : 0) }),
        overriding(.duckOthers, "duck", "OtherMixableAudioShouldDuck"),
        overriding(.mixWithOthers, "cmix", "OverrideCategoryMixWithOthers"),
        overriding(.defaultToSpeaker, "cspk", "OverrideCategoryDefaultToSpeaker"),
        overriding(.bluetoothInput, "cblu", "OverrideCategoryEnableBluetoothInput"),
    ]

    private static func overriding(
        _ override: SessionOverrides, _ code: FourCharacterCode, _ name: String
    ) -> SessionProperty {
        SessionProperty(code, name, .readWrite, .uint32, .override(override)) { facts in
            .uint32(facts.settings.overrides.contains(override) ? 1 : 0)
        }
    }
}
