import Glibc
import RingerLinux
import RingerCore
import Synchronization
import SystemPackage
import Testing

@Suite final class MissingDeviceTests: LoopTests {
    private var paths: HardwarePaths { directory.paths }

    @Test(
        "a switch that is missing is named in the error",
        arguments: [
            ("evdev:auto", "input", RingerError.Code.notFound), ("slider:auto", "input", .notFound),
            ("evdev:/nowhere/event0", "/nowhere/event0", .notFound), ("gpio:ring-silent", "ring-silent", .notFound),
            ("gpio:gpiochip7:1", "gpiochip7", .notFound), ("gpio:/nowhere/chip:1", "/nowhere/chip", .notFound),
            ("evdev:/dev/null", "/dev/null", .unsupported), ("evdev:/dev/null/x", "/dev/null/x", .notFound),
        ])
    func missingSwitch(_ text: String, _ subject: String, _ code: RingerError.Code) throws {
        let ringSilent = try SwitchSpecification(text).make(loop: loop, paths: paths)
        let error = #expect(throws: RingerError.self) { try ringSilent.start { _ in } }
        #expect(error?.code == code)
        #expect(error?.description.contains(subject) == true)
        ringSilent.close()
        ringSilent.close()
    }

    @Test(
        "an awaited switch that is missing starts, and reports once that it is lost",
        arguments: [
            ("evdev:auto", "input"), ("slider:auto", "input"), ("evdev:/nowhere/event0", "/nowhere/event0"),
            ("gpio:ring-silent", "ring-silent"), ("gpio:gpiochip7:1", "gpiochip7"),
        ])
    func awaitedSwitch(_ text: String, _ subject: String) throws {
        let ringSilent = try SwitchSpecification(text).make(loop: loop, paths: paths, isAwaited: true)
        let reported = Mutex<[SwitchEvent]>([])
        try ringSilent.start { event in reported.withLock { $0.append(event) } }
        let events = reported.withLock { $0 }
        guard case .lost(let error, _)? = events.first else {
            Issue.record("\(events) instead of a loss")
            return
        }
        #expect(events.count == 1)
        #expect(error.code == .notFound && error.description.contains(subject))
        ringSilent.close()
    }

    @Test("an awaited switch whose name can never be right does not start")
    func misnamedSwitch() throws {
        let ringSilent = try SwitchSpecification("evdev:/dev/null").make(loop: loop, paths: paths, isAwaited: true)
        let error = #expect(throws: RingerError.self) { try ringSilent.start { _ in } }
        #expect(error?.code == .unsupported)
    }

    @Test(
        "a motor that is missing is named in the error",
        arguments: [
            ("ff:auto", "input"), ("ff:/nowhere/event1", "/nowhere/event1"), ("led:vibrator", "vibrator"),
            ("gpio:vibrator", "vibrator"), ("gpio:gpiochip7:1", "gpiochip7"),
        ])
    func missingMotor(_ text: String, _ subject: String) throws {
        let specification = try MotorSpecification(text)
        let error = #expect(throws: RingerError.self) { try specification.make(loop: loop, paths: paths) }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains(subject) == true)
    }

    @Test("a line offset that no chip can have is refused, for a motor and a switch", arguments: [-1, Int.max])
    func impossibleOffset(_ offset: Int) throws {
        let line = GPIOLine.offset(offset, chip: "gpiochip0")
        let motor = #expect(throws: RingerError.self) { _ = try GPIOMotor(line, loop: loop, paths: paths) }
        #expect(motor?.code == .invalid && motor?.subject == "gpiochip0 line \(offset)")
        let ringSilent = GPIOSwitch(line, loop: loop, paths: paths)
        let error = #expect(throws: RingerError.self) { try ringSilent.start { _ in } }
        #expect(error?.code == .invalid)
        ringSilent.close()
    }

    @Test("a switch that was closed does not start")
    func closedSwitch() throws {
        let ringSilent = EvdevSwitch(loop: loop, paths: paths)
        ringSilent.close()
        let error = #expect(throws: RingerError.self) { try ringSilent.start { _ in } }
        #expect(error?.code == .closed)
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
                #expect(throws: RingerError.self) { try motor.make(loop: loop, paths: paths) }
            }
            #expect(openDescriptors() == before)
            loop.close()
        }
    }
}
