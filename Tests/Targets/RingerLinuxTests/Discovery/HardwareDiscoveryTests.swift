import Glibc
import RingerLinux
import RingerCore
import SystemPackage
import Testing

@Suite struct HardwareDiscoveryTests {
    private let directory: TemporaryDirectory
    private var paths: HardwarePaths { directory.paths }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("a machine that shows nothing has nothing, and no problem")
    func nothing() {
        let findings = HardwareDiscovery.scan(paths)
        #expect(findings.switches.isEmpty && findings.motors.isEmpty && findings.jacks.isEmpty)
        #expect(findings.problems.isEmpty)
    }

    @Test("files that are no devices are problems with their names, in the devices' order")
    func noDevices() throws {
        try directory.write("", to: "input/event10")
        try directory.write("", to: "input/event9")
        try directory.write("", to: "input/mice")
        try directory.write("", to: "gpiochip0")
        try directory.write("", to: "gpiochip-notes")
        let problems = HardwareDiscovery.scan(paths).problems
        #expect(
            problems.map(\.error.subject)
                == ["input/event9", "input/event10", "gpiochip0"].map {
                    directory.path.pushing(FilePath($0)).string
                })
        #expect(problems.allSatisfy { $0.error.errno != nil && $0.repair == nil })
    }

    @Test("an LED named vibrator is a motor")
    func led() throws {
        try directory.write("0", to: "vibrator/brightness")
        let findings = HardwareDiscovery.scan(paths)
        #expect(findings.motors.map(\.specification) == [.led("vibrator")])
        #expect(findings.motors.map(\.name) == ["LED vibrator"])
    }

    @Test("a scan leaves no descriptor open")
    func descriptors() async throws {
        try directory.write("", to: "input/event0")
        try directory.write("", to: "gpiochip0")
        let paths = paths
        try await withOwnDescriptors {
            let before = openDescriptors()
            _ = HardwareDiscovery.scan(paths)
            #expect(openDescriptors() == before)
        }
    }

    @Test(
        "a file that belongs to a group is repaired by joining it",
        .enabled(if: geteuid() == 0, "it changes a file's group, which root may"))
    func group() throws {
        let file = try directory.write("", to: "input/event0")
        // `input` has another number on each system: `daemon`, 1, is the same on all.
        try #require(chown(file.string, 0, 1) == 0)
        chmod(file.string, 0o660)
        chmod(directory.path.string, 0o755)
        chmod(directory.path.appending("input").string, 0o755)
        let problem = withoutRootsRights { HardwareDiscovery.scan(paths).problems.first }
        #expect(problem?.error.code == .permissionDenied)
        #expect(problem?.group == "daemon")
        #expect(problem?.repair?.sentence.hasPrefix("usermod -aG daemon ") == true)
        #expect(problem?.error.detail?.contains("not in the group daemon") == true)
    }
}
