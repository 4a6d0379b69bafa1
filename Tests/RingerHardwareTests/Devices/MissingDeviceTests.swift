import Glibc
import RingerHardware
import RingerServices
import SystemPackage
import Testing

@Suite struct MissingDeviceTests {
    private let directory: TemporaryDirectory
    private let loop: EventLoop
    private var paths: HardwarePaths {
        HardwarePaths(devices: directory.path, input: directory.path.appending("input"), leds: directory.path)
    }

    init() throws {
        directory = try TemporaryDirectory()
        loop = try EventLoop(name: "test")
    }

    @Test(
        "a switch that is missing is named in the error",
        arguments: [
            ("evdev:auto", "input", RingerError.Code.notFound), ("slider:auto", "input", .notFound),
            ("evdev:/nowhere/event0", "/nowhere/event0", .notFound), ("gpio:ring-silent", "ring-silent", .notFound),
            ("gpio:gpiochip7:1", "gpiochip7", .notFound), ("gpio:/nowhere/chip:1", "/nowhere/chip", .notFound),
            ("evdev:/dev/null", "/dev/null", .unsupported),
        ])
    func missingSwitch(_ text: String, _ subject: String, _ code: RingerError.Code) throws {
        let ringSilent = try SwitchSpecification(text).make(loop: loop, paths: paths)
        let error = #expect(throws: RingerError.self) { try ringSilent.start { _ in } }
        #expect(error?.code == code)
        #expect(error?.description.contains(subject) == true)
        ringSilent.close()
        ringSilent.close()
        loop.close()
    }

    @Test(
        "a motor that is missing is named in the error",
        arguments: [
            ("ff:auto", "input"), ("ff:/nowhere/event1", "/nowhere/event1"), ("led:vibrator", "vibrator"),
            ("gpio:vibrator", "vibrator"), ("gpio:gpiochip7:1", "gpiochip7"),
        ])
    func missingMotor(_ text: String, _ subject: String) throws {
        let specification = try MotorSpecification(text)
        let error = #expect(throws: RingerError.self) { try specification.make(paths: paths) }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains(subject) == true)
        loop.close()
    }

    @Test("a switch that was closed does not start")
    func closedSwitch() throws {
        let ringSilent = EvdevSwitch(loop: loop, paths: paths)
        ringSilent.close()
        let error = #expect(throws: RingerError.self) { try ringSilent.start { _ in } }
        #expect(error?.code == .closed)
        loop.close()
    }

    @Test("a device that is missing leaves no descriptor open")
    func descriptors() async throws {
        try directory.write("", to: "input/event0")
        try directory.write("", to: "gpiochip0")
        let paths = paths
        try await withOwnDescriptors {
            // The loop's thread shares its maker's descriptors.
            let loop = try EventLoop(name: "test")
            let before = openDescriptors()
            for text in ["evdev:auto", "slider:auto", "evdev:/dev/null", "gpio:ring-silent", "gpio:0:1"] {
                let ringSilent = try SwitchSpecification(text).make(loop: loop, paths: paths)
                #expect(throws: RingerError.self) { try ringSilent.start { _ in } }
            }
            #expect(throws: RingerError.self) { try JackSource(loop: loop, paths: paths).start { _ in } }
            for text in ["ff:auto", "gpio:vibrator", "gpio:0:1", "led:vibrator"] {
                let motor = try MotorSpecification(text)
                #expect(throws: RingerError.self) { try motor.make(paths: paths) }
            }
            #expect(openDescriptors() == before)
            loop.close()
        }
        loop.close()
    }
}
