import CRinger
import Glibc
import RingerLinux
import SystemPackage
import Testing

@testable import RingerC

/// The configuration of a device, and the parts that are found.
@Suite struct ConfigurationTests {
    @Test("the parts of a configuration are those of the Swift library")
    func values() throws {
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        let size = MemoryLayout<ringer_behaviour>.stride
        #expect(ringer_config_set_real_time_priority(config, 40) == 0)
        #expect(ringer_config_set_busy_patience(config, 0) == 0 && ringer_config_set_linger(config, 500) == 0)
        #expect(ringer_config_set_own_microphone(config, 0) == 0)
        var behaviour = ringer_behaviour()
        (behaviour.longest_on_ms, behaviour.detector_clip_ms, behaviour.sound_memory) = (500, 300, 4_096)
        behaviour.critical_sound = 1_033
        #expect(ringer_config_set_behaviour(config, &behaviour, size) == 0)
        let values = try ConfigurationHandle.at(config).values.withLock { $0 }
        #expect(values.hardware.realTimePriority == 40 && !values.hardware.hasOwnMicrophone && !values.namesParts)
        #expect(values.hardware.busyPatience == .zero && values.hardware.linger == .milliseconds(500))
        let standard = Device.Configuration()
        #expect(values.configuration.longestOnTime == .milliseconds(500))
        #expect(values.configuration.detector.clip == .milliseconds(300))
        #expect(values.configuration.detector.deadline == standard.detector.deadline)
        #expect(values.configuration.sounds.cacheLimit == 4_096)
        #expect(values.configuration.notifications == .init(standard: 1007, standardCritical: 1033))

        #expect(ringer_config_set_real_time_priority(config, 0) == 0)
        #expect(try ConfigurationHandle.at(config).values.withLock { $0.hardware.realTimePriority } == nil)
        for priority: CInt in [-1, 100] { #expect(ringer_config_set_real_time_priority(config, priority) == -EINVAL) }
        behaviour.detector_threshold_ms = 300
        #expect(ringer_config_set_behaviour(config, &behaviour, size) == -EINVAL && lastError.contains("outlast"))
        behaviour = ringer_behaviour()
        behaviour.reserved = 1
        #expect(ringer_config_set_behaviour(config, &behaviour, size) == -EINVAL)
        #expect(try ConfigurationHandle.at(config).values.withLock { $0.configuration.sounds.cacheLimit } == 4_096)
    }

    @Test("a device behaves as its configuration says")
    func behaviour() throws {
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        var behaviour = ringer_behaviour()
        behaviour.longest_on_ms = 500
        #expect(ringer_config_set_behaviour(config, &behaviour, MemoryLayout<ringer_behaviour>.stride) == 0)
        let bench = try TestDevice(config)
        #expect(ringer_device_vibrate(bench.device, [2_000], 1, 1, 1, nil) == 0)
        bench.advance(milliseconds: 499)
        #expect(ringer_simulated_is_motor_on(bench.device) == 1)
        bench.advance(milliseconds: 1)
        #expect(ringer_simulated_is_motor_on(bench.device) == 0)
        let ends = bench.events().filter { $0.type == RINGER_EVENT_VIBRATION_ENDED }
        #expect(ends.map(\.u.result.cause) == [RINGER_STOP_CAUSE_LIMITED])
    }

    @Test("the parts that are found have the names for a configuration, and why they cannot be opened")
    func parts() throws {
        func text<Text>(_ text: Text) -> String {
            withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let problem = HardwareProblem(
            error: RingerError("open", "/dev/input/event0", .permissionDenied), repair: "chmod")
        var findings = HardwareFindings()
        findings.switches = [
            .init(
                specification: .evdev(.automatic(name: "keys")), name: "evdev keys", path: "/dev/input/event0",
                problem: problem)
        ]
        findings.motors = [
            .init(specification: .led("vibrator"), name: "LED vibrator", path: "/sys/class/leds/vibrator")
        ]
        findings.lights = [.init(specification: "green:status", name: "LED", path: "/sys/class/leds/green:status")]
        findings.jacks = [.init(specification: .path("/dev/input/event1"), name: "jack", path: "/dev/input/event1")]
        findings.keys = [.init(specification: .path("/dev/input/event2"), name: "keys", path: "/dev/input/event2")]
        findings.problems = [problem]
        let parts = findings.parts
        #expect(parts.map(\.kind.rawValue) == [1, 2, 3, 4, 5, 0])
        #expect(
            parts.map { text($0.specification) } == [
                "evdev:auto,name=keys", "led:vibrator", "green:status", "", "", "",
            ])
        #expect(parts.map { text($0.name) }.prefix(2) == ["evdev keys", "LED vibrator"])
        #expect(text(parts[0].problem) == "\(problem.error); as root: chmod" && text(parts[1].problem) == "")
        #expect(text(parts[5].name) == "/dev/input/event0")
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        #expect(ringer_config_set_switch(config, text(parts[0].specification)) == 0)
        #expect(ringer_config_set_motor(config, text(parts[1].specification)) == 0)

        // Whatever this machine has.
        let count = ringer_find_parts(nil, 0, 0)
        #expect(count >= 0 && ringer_find_parts(nil, 512, -1) == -EINVAL && ringer_find_parts(nil, 512, 1) == -EINVAL)
        var found = [ringer_part](repeating: ringer_part(), count: Int(count) + 1)
        #expect(ringer_find_parts(&found, MemoryLayout<ringer_part>.stride, found.count) == count)
        #expect(found.prefix(Int(count)).allSatisfy { !text($0.name).isEmpty })
    }
}
