import Glibc
import RingerCore
import Testing

@testable import RingerLinux

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

    // It stayed dark: the kernel multiplies its brightness with these.
    @Test("a multicolor LED without a color is lit and blinks white, and one with a color keeps it")
    func multicolor() throws {
        for (intensity, expected) in [("0 0 0\n", "255 255 255"), ("0 7 0\n", "0 7 0\n")] {
            for pattern in [LightPattern.on, .blinking(on: .seconds(1), off: .seconds(1))] {
                try directory.write("[none] timer transient\n", to: "status/trigger")
                try directory.write(intensity, to: "status/multi_intensity")
                let light = try LEDLight("status", paths: paths)
                #expect(try directory.read("status/multi_intensity") == intensity)
                try light.show(pattern)
                #expect(try directory.read("status/multi_intensity") == expected)
                #expect(try directory.read("status/brightness") == "255")
                try light.close()
            }
        }
    }

    // Each event was white, or had the color of the one before.
    @Test("a multicolor LED has the color of what is shown, in the order of its colors, and its own again afterwards")
    func color() throws {
        func intensity() throws -> String { try directory.read("status/multi_intensity").filter { !$0.isNewline } }
        try directory.write("510\n", to: "status/max_brightness")
        try directory.write("blue white red green\n", to: "status/multi_index")
        for (own, shown) in [("0 0 0 0", "510 510 510 510"), ("0 7 0 1", "0 7 0 1")] {
            try directory.write("[none] timer transient\n", to: "status/trigger")
            try directory.write(own + "\n", to: "status/multi_intensity")
            let light = try LEDLight("status", paths: paths)
            try light.show(.on, in: LightColor(red: 255, green: 1, blue: 128))
            #expect(try intensity() == "256 0 510 2")
            try light.show(.blinking(on: .seconds(1), off: .seconds(1)), in: LightColor(blue: 255))
            #expect(try intensity() == "510 0 0 0")
            try light.show(.off)
            try light.show(.on)
            #expect(try intensity() == shown)
            try light.show(.on, in: LightColor(green: 255))
            #expect(try intensity() == "0 0 0 510")
            try light.close()
            #expect(try intensity() == (own.hasPrefix("0 7") ? own : shown))
        }
        // An LED that lacks a part of the color is lit all the same.
        try directory.write("amber green\n", to: "status/multi_index")
        try directory.write("0 0\n", to: "status/multi_intensity")
        let light = try LEDLight("status", paths: paths)
        try light.show(.on, in: LightColor(red: 255))
        #expect(try intensity() == "510 510")
    }

    @Test("the timer trigger blinks; times are rounded up to milliseconds, and limited to 60 s")
    func blink() throws {
        let light = try LEDLight("status", paths: paths)
        try light.show(.blinking(on: .microseconds(1_001), off: .seconds(100)))
        #expect(try directory.read("status/trigger") == "timer")
        #expect(try directory.read("status/delay_on") == "2")
        #expect(try directory.read("status/delay_off") == "60000")
    }

    // Each setting of the trigger makes its files anew, which udev has yet to give to the service's group.
    @Test("a timer that udev has set is kept: lit, dark and blinking are times of its")
    func keepsTimer() throws {
        let trigger = "none [timer] transient\n"
        try directory.write(trigger, to: "status/trigger")
        func state() throws -> [String] {
            try ["trigger", "delay_on", "delay_off"].map { try directory.read("status/\($0)") }
        }
        let light = try LEDLight("status", paths: paths)
        #expect(try state() == [trigger, "0", "1"])
        try light.show(.on)
        #expect(try state() == [trigger, "1", "0"])
        try light.show(.blinking(on: .milliseconds(300), off: .milliseconds(700)))
        #expect(try state() == [trigger, "300", "700"])
        try light.show(.off)
        #expect(try state() == [trigger, "0", "1"])
        try light.show(.on)
        try light.close()
        #expect(try state() == [trigger, "0", "1"])
    }

    // It used to blink on without end.
    @Test("a light whose times cannot be set does not blink with others; it is lit and dark without the timer")
    func noTimes() throws {
        for trigger in ["[none] timer", "none [timer]"] {
            try directory.write(trigger, to: "status/trigger")
            directory.remove("status/delay_on")
            let light = try LEDLight("status", paths: paths)
            #expect {
                try light.show(.blinking(on: .seconds(1), off: .seconds(1)))
            } throws: { error in
                "\(error)".contains("delay_on")
            }
            #expect(try directory.read("status/brightness") == "0")
            try light.show(.on)
            #expect(try directory.read("status/brightness") == "255")
            try light.close()
            #expect(try directory.read("status/brightness") == "0")
        }
    }

    @Test(
        "an LED that shows the kernel's heartbeat does so until something is shown, and again when the light is closed")
    func heartbeat() throws {
        let trigger = "none timer [heartbeat]\n"
        try directory.write(trigger, to: "status/trigger")
        var light = try LEDLight("status", paths: paths)
        try light.close()
        #expect(try directory.read("status/brightness") == "9\n")
        #expect(try directory.read("status/trigger") == trigger)
        light = try LEDLight("status", paths: paths)
        try light.show(.on)
        #expect(try directory.read("status/brightness") == "255")
        try light.close()
        #expect(try directory.read("status/brightness") == "0")
        #expect(try directory.read("status/trigger") == "heartbeat")
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

    @Test(
        "the rules of udev hand over the LEDs that are found, and no other",
        arguments: [
            "status", "status-2", "green:status", "x:red:status-2", "indicator", "indicator-2", "green:indicator",
            "x:red:indicator-2", "statusbar", "x:indicators", "charge_indicator", "red:power", "mmc0::",
        ])
    func udevRules(_ name: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write("0", to: "\(name)/brightness")
        let isFound = !HardwareDiscovery.scan(HardwarePaths(leds: directory.path)).lights.isEmpty
        let package = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()
        let lists = try directory.read("\(package)/packaging/udev.rules").matches(of: /KERNEL=="([^"]*status[^"]*)"/)
        #expect(lists.count == 2)
        for list in lists {
            #expect(list.1.split(separator: "|").contains { fnmatch(String($0), name, 0) == 0 } == isFound)
        }
    }

    @Test("of the lights of one function, those without another trigger are first, then those that may be written")
    func discoveryOfTriggers() throws {
        let directory = try TemporaryDirectory()
        for (name, trigger) in [
            ("a:status", "none timer [heartbeat]"), ("b:status", "none [timer]"), ("c:status", "[none] timer"),
            ("d:indicator", "[none] timer"),
        ] {
            try directory.write(trigger, to: "\(name)/trigger")
            if name != "b:status" { try directory.write("0", to: "\(name)/brightness") }
        }
        let findings = HardwareDiscovery.scan(HardwarePaths(leds: directory.path))
        #expect(findings.lights.map(\.specification) == ["c:status", "b:status", "a:status", "d:indicator"])
    }
}
