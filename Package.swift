// swift-tools-version: 6.2
import PackageDescription

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

func source(
    _ room: String, _ name: String, _ dependencies: [Target.Dependency] = [], features: [String] = [],
    libraries: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(room)/\(name)",
        swiftSettings: features.map { .enableExperimentalFeature($0) },
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

func systemLibrary(_ room: String, _ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(room)/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func program(
    _ path: String, _ name: String, _ dependencies: [Target.Dependency], mode: SwiftLanguageMode = .v6,
    headers: [String] = [], libraries: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path,
        cSettings: headers.map { .headerSearchPath($0) }, swiftSettings: [.swiftLanguageMode(mode)],
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

// The library of Swift Testing's macros, where it is not the compiler's.
let testingMacros: [SwiftSetting] =
    Context.environment["RINGER_TESTING_MACROS"].map { [.unsafeFlags(["-load-plugin-library", $0])] } ?? []

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = [],
    libraries: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/Targets/\(name)", exclude: exclude, resources: resources,
        swiftSettings: testingMacros, linkerSettings: libraries.map { .linkedLibrary($0) })
}

func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)")
}

// Swift's library for 32-bit ARM has none.
let hasFoundation = Context.environment["RINGER_WITHOUT_FOUNDATION"] == nil

let package = Package(
    name: "ringer",
    products: [
        .library(name: "Ringer", targets: ["Ringer"]),
        // All that is public: the ports, and Linux's hardware behind them.
        .library(name: "RingerCore", targets: ["RingerCore"]),
        .library(name: "RingerLinux", targets: ["RingerLinux"]),
        .library(name: "RingerPolicy", targets: ["RingerPolicy"]),
        .library(name: "SoundFile", targets: ["SoundFile"]),
        .library(name: "RingerClient", targets: ["RingerClient"]),
        .library(name: "RingerTestKit", targets: ["RingerTestKit"]),
        .library(name: "SessionProperties", targets: ["SessionProperties"]),
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "UserNotifications", targets: ["UserNotifications"]),
        // What scripts/library links libringer.so and libringer.a of.
        .library(name: "libringer", type: .static, targets: ["RingerC"]),
        .executable(name: "ringer", targets: ["RingerCommand"]),
        .executable(name: "ringerd", targets: ["ringerd"]),
        .executable(name: "Minimal", targets: ["Minimal"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    ],
    targets: [
        source("System", "CLinux", libraries: ["dl"]),

        source("Rules", "FourCharacterCodes"),
        source("Rules", "RingerPolicy"),
        source("Rules", "SessionRules", ["RingerPolicy", "FourCharacterCodes"]),

        // Swift 6.2 does not see by itself that a span that is written to keeps its lifetime.
        source("Sound", "SoundFile", ["FourCharacterCodes", "CMPG123", "CSndfile"], features: ["Lifetimes"]),
        source("Sound", "CMPG123", ["CLinux"]),
        source("Sound", "CSndfile", ["CLinux"]),
        // Rounding and square roots are libm's on some processors.
        source("Sound", "SystemSounds", ["SoundFile"], libraries: ["m"]),

        source(
            "Core", "RingerCore",
            ["RingerPolicy", "SessionRules", "SoundFile", "SystemSounds", "CLinux", logging, system]),
        source("Core", "SessionProperties", ["RingerCore", "SessionRules", "FourCharacterCodes", system]),

        systemLibrary("Linux", "CLibGPIOD", pkgConfig: "libgpiod", apt: "libgpiod-dev"),
        systemLibrary("Linux", "CEvdev", pkgConfig: "libevdev", apt: "libevdev-dev"),
        source("Linux", "CGPIOD", ["CLibGPIOD"]),
        source("Linux", "CALSA", ["CLinux"]),
        source("Linux", "RingerLinux", ["RingerCore", "CGPIOD", "CEvdev", "CALSA", "CLinux", system]),
        source("Linux", "Ringer", ["RingerLinux"]),

        source("Simulation", "RingerTestKit", ["RingerCore"]),

        source("Service", "CSDBus", ["CLinux"]),
        .systemLibrary(name: "CPCMProtocol", path: "Sources/Service/ALSAPlugin/protocol"),
        source("Service", "RingerBus", ["RingerCore", "CSDBus", system]),
        source("Service", "RingerClient", ["RingerCore", "RingerBus", "CLinux", "CPCMProtocol", system]),
        source(
            "Service", "RingerDaemon", ["RingerCore", "RingerBus", "RingerTestKit", "CLinux", "CPCMProtocol", system]),
        program("Sources/Service/ringerd", "ringerd", ["RingerLinux", "RingerDaemon", "CLinux"]),

        source("Boards", "Boards", ["RingerCore", "RingerClient", "RingerTestKit"]),

        source(
            "Apple", "ProcessDevice", ["Boards", "RingerLinux", "RingerClient", "SessionProperties", "CLinux", system]),
        source("Apple", "AudioToolbox", ["ProcessDevice", "SessionProperties"]),
        source("Apple", "AVFAudio", ["ProcessDevice", "RingerCore"]),
        source("Apple", "AVFoundation", ["AVFAudio", "AudioToolbox"]),
        source("Apple", "UserNotifications", ["ProcessDevice", "RingerCore"]),
        .target(
            name: "CAudioToolbox", path: "Sources/Apple/CAudioToolbox", publicHeadersPath: "entry",
            cSettings: [.headerSearchPath("include")]),
        source("C", "CRinger"),
        // Swift 6.2 does not yet implement functions of a header by itself.
        source(
            "C", "RingerC",
            [
                "Boards", "CAudioToolbox", "CRinger", "CLinux", "FourCharacterCodes", "ProcessDevice", "RingerLinux",
                "RingerClient",
                "RingerTestKit", "SessionProperties",
            ], features: ["CImplementation"]),

        systemLibrary("Command", "CSoxr", pkgConfig: "soxr", apt: "libsoxr-dev"),
        source("Command", "RingerTerminal", ["RingerCore", "RingerTestKit", "SystemSounds", system]),
        program("Sources/Command/board", "board", ["RingerLinux", "RingerTerminal"]),
        program(
            "Sources/Command/RingerCommand", "RingerCommand",
            [
                "Boards", "RingerLinux", "RingerClient", "RingerTerminal", "RingerTestKit", "SystemSounds",
                "SoundFile", "CSoxr", system,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        program("examples/Minimal", "Minimal", ["Ringer"]),
        program("examples/AnnouncePayment", "AnnouncePayment", ["Ringer"]),
        program("examples/RingUntilAnswered", "RingUntilAnswered", ["Ringer"]),
        program("examples/FirmwareTest", "FirmwareTest", ["Ringer", "RingerTestKit"]),

        tests("RingerPolicyTests", ["RingerPolicy", "SeededGenerator"], exclude: ["Zones"]),
        tests("SessionRulesTests", ["SessionRules", "SeededGenerator"]),
        tests("SoundFileTests", ["SoundFile"], exclude: ["Corpus", "Field"]),
        tests("SystemSoundsTests", ["SystemSounds", "SoundFile"], resources: [.copy("system-sounds.csv")]),
        tests("RingerCoreTests", ["RingerCore", "RingerTestKit", "SeededGenerator", system]),
        tests(
            "RingerLinuxTests",
            ["RingerLinux", "CGPIOD", "RingerTestKit", "SessionProperties", "PacedSupport", logging, system],
            libraries: ["asound"]),
        tests(
            "RingerDaemonTests",
            [
                "RingerDaemon", "ringerd", "RingerTestKit", "ServiceSupport", "PacedSupport", "CLinux", "CPCMProtocol",
                system,
            ]),
        tests(
            "BehaviourTests",
            [
                "RingerLinux", "RingerClient", "RingerDaemon", "RingerTerminal", "RingerTestKit", "ServiceSupport",
                "SessionProperties", system,
            ], exclude: hasFoundation ? [] : ["ClosingTests.swift"]),
        tests("SessionPropertiesTests", ["SessionProperties", "RingerTestKit"]),
        tests(
            "AppleNamesTests",
            [
                "AVFoundation", "UserNotifications", "ProcessDevice", "RingerLinux", "RingerClient", "RingerTestKit",
                "SessionProperties", "ServiceSupport",
            ]),
        tests("AudioToolboxCTests", ["audiotoolbox-client"]),
        tests("RingerCTests", ["CRinger", "RingerC", "RingerLinux", "RingerTestKit", "ServiceSupport"]),
        tests(
            "RingerCommandTests",
            [
                "RingerLinux", "RingerDaemon", "RingerTestKit", "RingerCommand", "RingerTerminal", "ServiceSupport",
                "SoundFile",
            ]),
        tests("ExampleTests", ["AnnouncePayment", "RingUntilAnswered", "FirmwareTest", "PacedSupport"]),
        .testTarget(
            name: "LabTests",
            dependencies: [
                "RingerLinux", "RingerClient", "RingerTestKit", "ServiceSupport", "CALSA", "CLabSupport",
                "ProcessDevice",
            ] + (hasFoundation ? ["UserNotifications"] : []), path: "Tests/Lab/LabTests",
            exclude: hasFoundation ? [] : ["Device/CalendarTests.swift"],
            swiftSettings: testingMacros, linkerSettings: [.linkedLibrary("asound")]),

        support("CLabSupport"),
        support("CServiceSupport"),
        support("PacedSupport"),
        support("SeededGenerator"),
        support("ServiceSupport", ["RingerBus", "RingerDaemon", "RingerTestKit", "CServiceSupport", system]),
        program("Tests/Support/BusSession", "bus-session", ["RingerBus", "ServiceSupport"]),
        program("Tests/Support/CClient", "c-client", ["CRinger", "RingerC"]),
        program(
            "Tests/Support/AudioToolboxClient", "audiotoolbox-client", ["CRinger", "RingerC"],
            headers: ["../../../Sources/Apple/CAudioToolbox/include"], libraries: ["BlocksRuntime"]),
        program("Tests/Support/PhoneSource/CallRinger", "CallRinger", ["AVFoundation", "AudioToolbox"], mode: .v5),
        program("Tests/Support/PhoneSource/SwitchDetector", "SwitchDetector", ["AudioToolbox"], mode: .v5),
        program("Tests/Support/PhoneSource/NotificationHelper", "NotificationHelper", ["UserNotifications"]),
        program("Tests/Support/PhoneSource/MusicSession", "MusicSession", ["AVFoundation"], mode: .v5),
        program("Tests/Support/PhoneSource/RingLoop", "RingLoop", ["AudioToolbox"]),
        // Of what is internal, or of Apple's names; the other benchmarks are a package.
        program("Benchmarks/Detector/First", "FirstCheck", ["AudioToolbox", "ProcessDevice", "RingerLinux"]),
        .target(name: "CAllocations", path: "Benchmarks/Sessions/Sources/CAllocations"),
        program(
            "Benchmarks/Sessions/Sources/SessionBenchmark", "SessionBenchmark",
            ["SessionProperties", "SessionRules", "RingerCore", "RingerTestKit", "CAllocations"]),
        .target(
            name: "CEndurance", dependencies: ["CRinger", "RingerC"],
            path: "Tests/Systems/Endurance/CEndurance",
            cSettings: [.headerSearchPath("../../../../Sources/Apple/CAudioToolbox/include")],
            linkerSettings: [.linkedLibrary("asound")]),
        program(
            "Tests/Systems/Endurance/Program", "endurance",
            [
                "RingerLinux", "RingerBus", "RingerClient", "RingerDaemon", "RingerTestKit", "SessionProperties",
                "AVFoundation", "UserNotifications", "ProcessDevice", "ServiceSupport", "PacedSupport",
                "SeededGenerator", "CEndurance", "CLinux", "CPCMProtocol", logging, system,
            ]),
        program(
            "Tests/Systems/Hostile/Program", "hostile",
            ["RingerLinux", "RingerBus", "RingerDaemon", "ServiceSupport", "CLinux"]),
    ],
    swiftLanguageModes: [.v6]
)

// It reads what is internal to the library, optimised: built with -enable-testing, by its own script.
if Context.environment["RINGER_ALL_ORDERS"] != nil {
    package.targets += [
        .target(name: "CSnapshot", path: "Tests/Systems/AllOrders/Snapshot", publicHeadersPath: "include"),
        program(
            "Tests/Systems/AllOrders/Search", "all-orders",
            ["RingerCore", "SessionRules", "CSnapshot", "SeededGenerator"]),
    ]
}

// What scripts/fragments makes of the documents' fragments.
if Context.environment["RINGER_FRAGMENTS"] != nil {
    package.targets.append(
        program(
            ".build/fragments", "fragments",
            ["Ringer", "RingerClient", "RingerTestKit", "AVFoundation", "UserNotifications", "ProcessDevice"]))
}

// The tests that a build has, where it runs no others.
if let names = Context.environment["RINGER_TESTS"]?.split(separator: " ") {
    package.targets.removeAll { $0.type == .test && !names.contains(Substring($0.name)) }
}

// What needs Foundation, and has no library of that name.
if !hasFoundation {
    let names: Set = [
        "AudioToolbox", "AVFAudio", "AVFoundation", "UserNotifications", "AppleNamesTests", "CallRinger",
        "SwitchDetector", "NotificationHelper", "MusicSession", "RingLoop", "FirstCheck", "endurance",
        "SessionBenchmark", "hostile",
    ]
    package.targets.removeAll { names.contains($0.name) }
    package.products.removeAll { names.contains($0.name) }
}
