import RingerServices
import Testing

@testable import RingerHardware

// A directory of plain files replaces the LED: it stores what is written and does nothing else. What the kernel
// makes of it, the laboratory shows.
@Suite struct LEDLightTests {
    private let directory: TemporaryDirectory
    private var paths: HardwarePaths { HardwarePaths(leds: directory.path) }

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("255\n", to: "status/max_brightness")
        try directory.write("9\n", to: "status/brightness")
        try directory.write("[none] timer transient\n", to: "status/trigger")
        for attribute in ["delay_on", "delay_off"] { try directory.write("0\n", to: "status/\(attribute)") }
    }

    @Test("a light is off at first, lit at its greatest brightness, and off when it is closed")
    func show() throws {
        let light = try LEDLight("status", paths: paths)
        #expect(try directory.read("status/brightness") == "0")
        try light.show(.on)
        #expect(try directory.read("status/brightness") == "255")
        try light.show(.off)
        #expect(try directory.read("status/brightness") == "0")
        try light.show(.on)
        try light.close()
        #expect(try directory.read("status/brightness") == "0")
        #expect(throws: RingerError.self) { try light.show(.on) }
        try light.close()
    }

    @Test("the timer trigger blinks; times are rounded up to milliseconds, and limited to 60 s")
    func blink() throws {
        let light = try LEDLight("status", paths: paths)
        try light.show(.blinking(on: .microseconds(1_001), off: .seconds(100)))
        #expect(try directory.read("status/trigger") == "timer")
        #expect(try directory.read("status/delay_on") == "2")
        #expect(try directory.read("status/delay_off") == "60000")
    }

    @Test("without the trigger the light is lit, and the error says so")
    func noTrigger() throws {
        try directory.write("[none] transient\n", to: "status/trigger")
        let light = try LEDLight("status", paths: paths)
        #expect {
            try light.show(.blinking(on: .seconds(1), off: .seconds(1)))
        } throws: { error in
            (error as? RingerError)?.code == .unsupported && "\(error)".contains("timer")
        }
        #expect(try directory.read("status/brightness") == "255")
    }

    @Test("a missing LED, and a name that is none, are errors", arguments: ["missing", "..", "a/b", ""])
    func missing(_ name: String) throws {
        #expect(throws: RingerError.self) { try LEDLight(name, paths: paths) }
    }

    @Test("a light that has disappeared is an error that names the file")
    func gone() throws {
        let light = try LEDLight("status", paths: paths)
        directory.remove("status/brightness")
        #expect {
            try light.show(.on)
        } throws: { error in
            "\(error)".contains("status/brightness") && (error as? RingerError)?.errno == .noSuchFileOrDirectory
        }
    }

    @Test(
        "lights are found by the function in their names, status first",
        arguments: [
            (
                ["green:indicator", "x:red:status-2", "status", "vibrator"],
                ["status", "x:red:status-2", "green:indicator"]
            ),
            (["red:power", "mmc0::", "statusbar"], []),
        ])
    func discovery(_ names: [String], _ expected: [String]) throws {
        let directory = try TemporaryDirectory()
        for name in names { try directory.write("0", to: "\(name)/brightness") }
        let findings = HardwareDiscovery.scan(HardwarePaths(leds: directory.path))
        #expect(findings.lights.map(\.specification) == expected)
    }
}
