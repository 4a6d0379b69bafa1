import Glibc
import RingerCore
import Synchronization
import SystemPackage
import Testing

@testable import RingerLinux

// A directory of plain files replaces the LED: it stores what is written and does nothing else. What the kernel
// makes of it, the laboratory shows.
@Suite struct LEDMotorTests {
    private let directory: TemporaryDirectory
    private let loop: EventLoop
    private var paths: HardwarePaths { HardwarePaths(leds: directory.path) }

    init() throws {
        directory = try TemporaryDirectory()
        loop = try EventLoop(name: "test-led")
        try directory.write("255\n", to: "vibrator/max_brightness")
        try directory.write("0\n", to: "vibrator/brightness")
        try directory.write("[none] timer transient\n", to: "vibrator/trigger")
        for attribute in ["activate", "duration", "state"] { try directory.write("0\n", to: "vibrator/\(attribute)") }
    }

    @Test("a motor with the transient trigger runs for its limit, and the kernel ends it")
    func transient() throws {
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
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
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
        try motor.turnOn(strength: strength, limit: .seconds(1))
        if brightness != "255" { #expect(try directory.read("vibrator/brightness") == brightness) }
        try motor.turnOff()
        #expect(try directory.read("vibrator/brightness") == (brightness == "255" ? "0\n" : "0"))
    }

    @Test("without the trigger the brightness turns the motor")
    func plain() throws {
        try directory.write("[none] timer\n", to: "vibrator/trigger")
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
        #expect(!motor.isStoppedByKernel)
        try motor.turnOn(strength: 1, limit: .seconds(1))
        #expect(try directory.read("vibrator/brightness") == "255")
        #expect(try directory.read("vibrator/activate") == "0\n")
        try motor.turnOff()
        #expect(try directory.read("vibrator/brightness") == "0")
    }

    // Brightness 0 takes the trigger away. Each start of the motor then set it again, failed at its new attributes, which
    // were root's, and took it away.
    @Test("a dark motor keeps its trigger while udev has not handed over the trigger's attributes")
    func attributesOfRoot() throws {
        directory.remove("vibrator/activate")
        // The kernel refuses to write it, and it is 0.
        let refused = "/sys/class/net/lo/addr_assign_type"
        try #require(symlink(refused, directory.path.appending("vibrator/activate").string) == 0)
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
        #expect(throws: RingerError.self) { try motor.turnOn(strength: 1, limit: .seconds(1)) }
        try motor.turnOff()
        #expect(try directory.read("vibrator/brightness") == "0\n")

        directory.remove("vibrator/activate")
        try directory.write("0\n", to: "vibrator/activate")
        try motor.turnOn(strength: 1, limit: .seconds(1))
        #expect(try directory.read("vibrator/activate") == "1")
    }

    @Test("a motor that is found turning is turned off")
    func foundTurning() throws {
        try directory.write("255", to: "vibrator/brightness")
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
        #expect(try directory.read("vibrator/brightness") == "0")
        try motor.close()
    }

    @Test(
        "no strength, no number and no time turn the motor off", arguments: [(Float(0), 1), (.nan, 1), (-1, 1), (1, 0)])
    func nothing(_ strength: Float, _ seconds: Int) throws {
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
        try motor.turnOn(strength: 1, limit: .seconds(1))
        try motor.turnOn(strength: strength, limit: .seconds(seconds))
        #expect(try directory.read("vibrator/activate") == "0")
    }

    @Test("the longest of limits fits what the kernel takes")
    func longestLimit() throws {
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
        try motor.turnOn(strength: 1, limit: .seconds(Int64.max))
        #expect(try directory.read("vibrator/duration") == "2147483647")
    }

    @Test("a motor that cannot be turned off says so, and tries again when it is asked again")
    func stuck() throws {
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
        try motor.turnOn(strength: 0.5, limit: .seconds(1))
        directory.remove("vibrator/brightness")
        let error = #expect(throws: RingerError.self) { try motor.turnOff() }
        #expect(error?.code == .notFound)
        try directory.write("128", to: "vibrator/brightness")
        try motor.turnOff()
        #expect(try directory.read("vibrator/brightness") == "0")
    }

    // A plain directory sends inotify events, which the LED class does not: they replace the kernel's uevents.
    @Test("a motor whose LED disappears while it may turn is turned off when the LED is back, without being asked")
    func cameBack() async throws {
        let counts = Counts()
        let motor = try LEDMotor("vibrator", paths: paths) { [loop, directory] handler throws(RingerError) in
            counts.watches.add(1, ordering: .relaxed)
            let watch = try DirectoryWatch(directory.path, loop: loop, handler)
            return {
                counts.ends.add(1, ordering: .relaxed)
                watch.closeSoon()
            }
        }
        let isOff = AsyncStream<Void>.makeStream()
        motor.onReturn {
            // The directory is there before its files are: each change is a chance.
            if (try? motor.turnOff()) != nil { isOff.continuation.finish() }
        }
        try motor.turnOn(strength: 1, limit: .seconds(1))
        #expect(counts.watches.load(ordering: .relaxed) == 0)
        directory.remove("vibrator")
        for _ in 0..<2 {
            let error = #expect(throws: RingerError.self) { try motor.turnOff() }
            try #require(error?.code == .unreachable && error?.errno == .noSuchFileOrDirectory)
        }
        #expect(counts.watches.load(ordering: .relaxed) == 1)

        // It is made elsewhere first: when it appears, it is whole.
        try directory.write("255", to: "new/brightness")
        rename(directory.path.appending("new").string, directory.path.appending("vibrator").string)
        for await _ in isOff.stream {}
        #expect(try directory.read("vibrator/brightness") == "0")
        loop.sync {}
        #expect(counts.watches.load(ordering: .relaxed) == 1 && counts.ends.load(ordering: .relaxed) == 1)
    }

    @Test("an LED that is there and fails is not waited for")
    func fails() throws {
        let motor = try LEDMotor("vibrator", paths: paths) { _ throws(RingerError) in
            throw RingerError(.invalid, "wait", "test")
        }
        try motor.turnOn(strength: 0.5, limit: .seconds(1))
        directory.remove("vibrator/brightness")
        directory.makeDirectory("vibrator/brightness")
        let error = #expect(throws: RingerError.self) { try motor.turnOff() }
        #expect(error?.errno == .isDirectory)
    }

    @Test("an invalid max_brightness is refused", arguments: ["", "x", "0", "-1", "9223372036854775807"])
    func largestBrightness(_ text: String) throws {
        try directory.write(text, to: "vibrator/max_brightness")
        let error = #expect(throws: RingerError.self) { try LEDMotor("vibrator", loop: loop, paths: paths) }
        #expect(error?.code == .unsupported)
    }

    @Test("a closed motor is off, can be closed and turned off again, and not turned on")
    func closed() throws {
        let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
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
            let motor = try LEDMotor("vibrator", loop: loop, paths: paths)
            try motor.turnOn(strength: 1, limit: .seconds(1))
        }
        #expect(try directory.read("vibrator/activate") == "0")
    }

    @Test("an LED that is missing is named in the error")
    func missing() throws {
        let error = #expect(throws: RingerError.self) { try LEDMotor("buzzer", loop: loop, paths: paths) }
        #expect(error?.code == .notFound)
        #expect(error?.subject.contains("buzzer") == true)
    }

    @Test("a name that leads out of the LED class is refused", arguments: ["", "..", ".", "a/b"])
    func badName(_ name: String) {
        let error = #expect(throws: RingerError.self) { try LEDMotor(name, loop: loop, paths: paths) }
        #expect(error?.code == .invalid)
    }
}

/// How often a watch was begun and ended.
private final class Counts: Sendable {
    let watches = Atomic(0)
    let ends = Atomic(0)
}
