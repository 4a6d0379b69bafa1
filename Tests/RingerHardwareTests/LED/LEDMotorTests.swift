import RingerHardware
import RingerServices
import SystemPackage
import Testing

// A directory of plain files stands for the LED: it shows what is written, and does nothing by itself. What the kernel
// makes of it, the laboratory shows.
@Suite struct LEDMotorTests {
    private let directory: TemporaryDirectory
    private var paths: HardwarePaths { HardwarePaths(leds: directory.path) }

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("255\n", to: "vibrator/max_brightness")
        try directory.write("0\n", to: "vibrator/brightness")
        try directory.write("[none] timer transient\n", to: "vibrator/trigger")
        for attribute in ["activate", "duration", "state"] { try directory.write("0\n", to: "vibrator/\(attribute)") }
    }

    @Test("a motor with the transient trigger runs for its limit, and the kernel ends it")
    func transient() throws {
        let motor = try LEDMotor("vibrator", paths: paths)
        #expect(motor.isStoppedByKernel)
        #expect(motor.name == "LED vibrator")
        #expect(try directory.read("vibrator/trigger") == "transient")

        try motor.turnOn(strength: 1, limit: .microseconds(1_500_001))
        #expect(try directory.read("vibrator/duration") == "1501")
        #expect(try directory.read("vibrator/state") == "1")
        #expect(try directory.read("vibrator/activate") == "1")

        try motor.turnOff()
        #expect(try directory.read("vibrator/activate") == "0")
    }

    @Test("a strength is a share of the largest brightness", arguments: [(0.5, "128"), (0.001, "1"), (0.999, "255")])
    func strength(_ strength: Float, _ brightness: String) throws {
        let motor = try LEDMotor("vibrator", paths: paths)
        try motor.turnOn(strength: strength, limit: .seconds(1))
        if brightness != "255" { #expect(try directory.read("vibrator/brightness") == brightness) }
        try motor.turnOff()
        #expect(try directory.read("vibrator/brightness") == (brightness == "255" ? "0\n" : "0"))
    }

    @Test("without the trigger the brightness turns the motor")
    func plain() throws {
        try directory.write("[none] timer\n", to: "vibrator/trigger")
        let motor = try LEDMotor("vibrator", paths: paths)
        #expect(!motor.isStoppedByKernel)
        try motor.turnOn(strength: 1, limit: .seconds(1))
        #expect(try directory.read("vibrator/brightness") == "255")
        #expect(try directory.read("vibrator/activate") == "0\n")
        try motor.turnOff()
        #expect(try directory.read("vibrator/brightness") == "0")
    }

    @Test("a motor that is found turning is turned off")
    func foundTurning() throws {
        try directory.write("255", to: "vibrator/brightness")
        let motor = try LEDMotor("vibrator", paths: paths)
        #expect(try directory.read("vibrator/brightness") == "0")
        try motor.close()
    }

    @Test(
        "no strength, no number and no time turn the motor off", arguments: [(Float(0), 1), (.nan, 1), (-1, 1), (1, 0)])
    func nothing(_ strength: Float, _ seconds: Int) throws {
        let motor = try LEDMotor("vibrator", paths: paths)
        try motor.turnOn(strength: 1, limit: .seconds(1))
        try motor.turnOn(strength: strength, limit: .seconds(seconds))
        #expect(try directory.read("vibrator/activate") == "0")
    }

    @Test("the longest of limits fits what the kernel takes")
    func longestLimit() throws {
        let motor = try LEDMotor("vibrator", paths: paths)
        try motor.turnOn(strength: 1, limit: .seconds(Int64.max))
        #expect(try directory.read("vibrator/duration") == "2147483647")
    }

    @Test("a motor that cannot be turned off says so, and tries again when it is asked again")
    func stuck() throws {
        let motor = try LEDMotor("vibrator", paths: paths)
        try motor.turnOn(strength: 0.5, limit: .seconds(1))
        directory.remove("vibrator/brightness")
        let error = #expect(throws: RingerError.self) { try motor.turnOff() }
        #expect(error?.code == .notFound)
        try directory.write("128", to: "vibrator/brightness")
        try motor.turnOff()
        #expect(try directory.read("vibrator/brightness") == "0")
    }

    @Test("a closed motor is off, can be closed and turned off again, and not turned on")
    func closed() throws {
        let motor = try LEDMotor("vibrator", paths: paths)
        try motor.turnOn(strength: 1, limit: .seconds(1))
        try motor.close()
        #expect(try directory.read("vibrator/activate") == "0")
        try motor.close()
        try motor.turnOff()
        let error = #expect(throws: RingerError.self) { try motor.turnOn(strength: 1, limit: .seconds(1)) }
        #expect(error?.code == .closed)
    }

    @Test("dropping the last reference turns the motor off")
    func dropped() throws {
        do {
            let motor = try LEDMotor("vibrator", paths: paths)
            try motor.turnOn(strength: 1, limit: .seconds(1))
        }
        #expect(try directory.read("vibrator/activate") == "0")
    }

    @Test("an LED that is missing is named in the error")
    func missing() throws {
        let error = #expect(throws: RingerError.self) { try LEDMotor("buzzer", paths: paths) }
        #expect(error?.code == .notFound)
        #expect(error?.subject.contains("buzzer") == true)
    }

    @Test("a name that leads out of the LED class is refused", arguments: ["", "..", ".", "a/b"])
    func badName(_ name: String) {
        let error = #expect(throws: RingerError.self) { try LEDMotor(name, paths: paths) }
        #expect(error?.code == .invalid)
    }
}
