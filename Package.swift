// swift-tools-version: 6.2
import PackageDescription

// For a small program: relocations in a tenth of the room (glibc 2.36 and newer), no table of the program's own symbols,
// which only plug-ins would read, equal functions once, of which Swift's generic code has many, and what runs at the start
// side by side, so that it takes few pages. Unsafe to SwiftPM, as any flag is; no library's target has any.
func small(_ order: String) -> [LinkerSetting] {
    [
        .unsafeFlags(
            [
                "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
                "-Xlinker", "--icf=all",
                "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/linking/\(order)",
                "-Xlinker", "--no-warn-symbol-ordering",
            ],
            .when(platforms: [.linux], configuration: .release))
    ]
}

let package = Package(
    name: "ringer",
    products: [
        .library(name: "Ringer", targets: ["Ringer"]),
        .library(name: "RingerServices", targets: ["RingerServices"]),
        .library(name: "RingerPolicy", targets: ["RingerPolicy"]),
        .library(name: "SessionProperties", targets: ["SessionProperties"]),
        .library(name: "RingerClient", targets: ["RingerClient"]),
        .library(name: "RingerTestKit", targets: ["RingerTestKit"]),
        .library(name: "ProcessDevice", targets: ["ProcessDevice"]),
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "UserNotifications", targets: ["UserNotifications"]),
        .library(name: "RingerTrace", targets: ["RingerTrace"]),
        .library(name: "SoundFile", targets: ["SoundFile"]),
        // What scripts/library links libringer.so and libringer.a of.
        .library(name: "libringer", type: .static, targets: ["RingerC", "AudioToolboxC"]),
        .executable(name: "ringer", targets: ["RingerCommand"]),
        .executable(name: "ringerd", targets: ["ringerd"]),
        .executable(name: "Minimal", targets: ["Minimal"]),
        .executable(name: "VoIPHandset", targets: ["VoIPHandset"]),
        .executable(name: "PaymentSpeaker", targets: ["PaymentSpeaker"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    ],
    targets: [
        // The C libraries as Swift sees them.
        .systemLibrary(name: "CLibGPIOD", pkgConfig: "libgpiod", providers: [.apt(["libgpiod-dev"])]),
        .target(name: "CGPIOD", dependencies: ["CLibGPIOD"]),
        .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
        .systemLibrary(name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
        // Loads alsa-lib when the first sound is played.
        .target(name: "CALSA", linkerSettings: [.linkedLibrary("dl")]),
        // Loads libsystemd, or libelogind, when the first message is sent.
        .target(name: "CSDBus", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CLinux"),
        // What the ALSA plug-in and the service say to each other.
        .systemLibrary(name: "CPCMProtocol", path: "plugins/alsa/protocol"),

        // Pure: the standard library only.
        .target(name: "FourCharacterCodes"),
        .target(name: "SoundFile", dependencies: ["FourCharacterCodes"]),
        .target(name: "RingerPolicy"),
        .target(name: "SessionRules", dependencies: ["RingerPolicy", "FourCharacterCodes"]),
        // Rounding and square roots are libm's on some processors.
        .target(name: "SystemSounds", dependencies: ["SoundFile"], linkerSettings: [.linkedLibrary("m")]),

        // What runs.
        .target(
            name: "RingerServices",
            dependencies: [
                "RingerPolicy", "SessionRules", "SoundFile", "SystemSounds", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // Sessions' properties by four-character codes, and their listeners: linked only by programs that use them.
        .target(
            name: "SessionProperties",
            dependencies: [
                "RingerServices", "SessionRules", "FourCharacterCodes",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "RingerHardware",
            dependencies: [
                "RingerServices", "CGPIOD", "CEvdev", "CALSA", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "Ringer",
            dependencies: [
                "RingerServices", "RingerHardware", .product(name: "Logging", package: "swift-log"),
            ]),
        // No firmware links these two: the simulated board for tests of firmware, and pictures of what a device did.
        .target(name: "RingerTestKit", dependencies: ["Ringer"]),
        .target(name: "RingerTrace", dependencies: ["RingerServices"]),
        // D-Bus on the event loop, for the service and its clients. No firmware links it but one that connects.
        .target(
            name: "RingerBus",
            dependencies: [
                "RingerHardware", "CSDBus", .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // A device over the service: linked by programs that share it.
        .target(
            name: "RingerClient",
            dependencies: [
                "Ringer", "RingerBus", "CLinux", .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "RingerService",
            dependencies: [
                "Ringer", "RingerBus", "RingerTestKit", "CLinux", "CPCMProtocol",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // The process's one device, under Apple's names in Swift and C.
        .target(
            name: "ProcessDevice",
            dependencies: [
                "Ringer", "RingerClient", "RingerTestKit", "SessionProperties", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // Apple's names in Swift. They alone import Foundation.
        .target(name: "AudioToolbox", dependencies: ["ProcessDevice", "SessionProperties"]),
        .target(name: "AVFAudio", dependencies: ["ProcessDevice", "RingerServices"]),
        .target(name: "AVFoundation", dependencies: ["AVFAudio", "AudioToolbox"]),
        .target(name: "UserNotifications", dependencies: ["ProcessDevice", "RingerServices"]),
        // ringer.h for C and C++: the header, and its implementation.
        .target(name: "CRinger"),
        .target(
            name: "RingerC",
            dependencies: [
                "CRinger", "CLinux", "FourCharacterCodes", "ProcessDevice", "Ringer", "RingerClient", "RingerTestKit",
                "SessionProperties",
            ]),
        // Apple's names for C and C++: the headers, which Swift does not see, and what they call.
        .target(name: "CAudioToolbox", publicHeadersPath: "entry", cSettings: [.headerSearchPath("include")]),
        .target(
            name: "AudioToolboxC", dependencies: ["CAudioToolbox", "ProcessDevice", "RingerC", "SessionProperties"]),
        .executableTarget(name: "ringerd", dependencies: ["RingerService"], linkerSettings: small("ringerd.order")),
        .executableTarget(
            name: "RingerCommand",
            dependencies: [
                "Ringer", "RingerClient", "RingerTestKit", "RingerTrace", "SystemSounds", "SoundFile", "CSoxr",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], linkerSettings: small("start.order")),

        // How long what must be quick takes: run in release, never asserted in a test.
        .executableTarget(
            name: "system-sounds-benchmark", dependencies: ["SystemSounds", "SoundFile"],
            path: "Benchmarks/SystemSounds", exclude: ["run"]),
        .executableTarget(
            name: "system-sound-services-benchmark",
            dependencies: [
                "Ringer", "RingerHardware", "RingerTestKit", .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Benchmarks/SystemSoundServices", exclude: ["run"]),
        .executableTarget(
            name: "memory-benchmark",
            dependencies: ["Ringer", "RingerTestKit", .product(name: "SystemPackage", package: "swift-system")],
            path: "Benchmarks/Memory", exclude: ["run"]),
        .target(name: "CAllocations", path: "Benchmarks/Sessions/Sources/CAllocations"),
        .executableTarget(
            name: "sessions-benchmark",
            dependencies: ["SessionProperties", "SessionRules", "RingerServices", "RingerTestKit", "CAllocations"],
            path: "Benchmarks/Sessions/Sources/SessionBenchmark"),

        // What users build.
        .executableTarget(
            name: "Minimal", dependencies: ["Ringer"], path: "examples/Minimal", linkerSettings: small("start.order")),
        .executableTarget(name: "AnnouncePayment", dependencies: ["Ringer"], path: "examples/AnnouncePayment"),
        .executableTarget(name: "RingUntilAnswered", dependencies: ["Ringer"], path: "examples/RingUntilAnswered"),
        .executableTarget(
            name: "FirmwareTest", dependencies: ["Ringer", "RingerTestKit"], path: "examples/FirmwareTest"),
        .testTarget(
            name: "ExampleTests",
            dependencies: ["AnnouncePayment", "RingUntilAnswered", "FirmwareTest", "PacedSupport"]),
        // The handset. Its SIP is libre's; see its README.
        .systemLibrary(
            name: "CRe", path: "examples/VoIPHandset/Sources/CRe", pkgConfig: "libre", providers: [.apt(["libre-dev"])]),
        .systemLibrary(
            name: "CRem", path: "examples/VoIPHandset/Sources/CRem", pkgConfig: "librem",
            providers: [.apt(["librem-dev"])]),
        .target(
            name: "CSIP", dependencies: ["CRe", "CRem"], path: "examples/VoIPHandset/Sources/CSIP",
            cSettings: [.define("_GNU_SOURCE")], linkerSettings: [.linkedLibrary("asound"), .linkedLibrary("m")]),
        .executableTarget(
            name: "VoIPHandset",
            dependencies: [
                "CSIP", "Ringer", "RingerClient", "RingerTestKit",
                .product(name: "SystemPackage", package: "swift-system"),
            ], path: "examples/VoIPHandset/Sources/VoIPHandset", packageAccess: false,
            linkerSettings: small("start.order")),

        .target(name: "PaymentRules", path: "examples/PaymentSpeaker/Rules", packageAccess: false),
        .target(
            name: "CPaymentSpeaker", path: "examples/PaymentSpeaker/C",
            linkerSettings: [
                .linkedLibrary("mosquitto"), .linkedLibrary("sqlite3"), .linkedLibrary("jansson"),
                .linkedLibrary("ssl"), .linkedLibrary("crypto"),
            ]),
        .executableTarget(
            name: "PaymentSpeaker",
            dependencies: ["PaymentRules", "CPaymentSpeaker", "Ringer", "RingerClient", "RingerTestKit"],
            path: "examples/PaymentSpeaker/Sources", packageAccess: false,
            linkerSettings: small("payment-speaker.order")),

        .testTarget(
            name: "SystemSoundsTests", dependencies: ["SystemSounds", "SoundFile"],
            resources: [.copy("system-sounds.csv")]),
        .testTarget(name: "SoundFileTests", dependencies: ["SoundFile"], exclude: ["Corpus"]),
        .testTarget(
            name: "RingerCommandTests",
            dependencies: ["Ringer", "RingerTestKit", "RingerCommand", "ServiceSupport", "SoundFile"]),
        .testTarget(
            name: "PaymentSpeakerTests", dependencies: ["PaymentSpeaker", "PaymentRules", "RingerTestKit"],
            resources: [.copy("amounts.tsv")]),
        .testTarget(name: "RingerPolicyTests", dependencies: ["RingerPolicy"]),
        .testTarget(name: "SessionRulesTests", dependencies: ["SessionRules"]),
        .testTarget(name: "SessionPropertiesTests", dependencies: ["SessionProperties", "RingerTestKit"]),
        // Over a private dbus-daemon.
        .target(
            name: "ServiceSupport",
            dependencies: [
                "RingerBus", "RingerService", "RingerTestKit", "CServiceSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ], path: "Tests/ServiceSupport"),
        .target(name: "CServiceSupport", path: "Tests/CServiceSupport"),
        // A client for the laboratory, and many for the service under load.
        .executableTarget(
            name: "bus-session", dependencies: ["RingerBus", "ServiceSupport"], path: "Tests/BusSession"),
        .executableTarget(name: "soak", dependencies: ["RingerBus", "ServiceSupport"], path: "Tests/Soak"),
        .testTarget(name: "VoIPHandsetTests", dependencies: ["VoIPHandset", "Ringer", "RingerTestKit"]),
        .testTarget(
            name: "RingerServicesTests",
            dependencies: [
                "RingerServices", "RingerTestKit", .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "RingerTests",
            dependencies: [
                "Ringer", "RingerTestKit", .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // Draws the documentation's pictures from the running code, and compares them with those in docs/.
        .testTarget(
            name: "BehaviourTests",
            dependencies: [
                "Ringer", "RingerClient", "RingerService", "RingerTestKit", "RingerTrace", "ServiceSupport",
                "SessionProperties",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(name: "PacedSupport", path: "Tests/PacedSupport"),
        // Over a private dbus-daemon, and over the ALSA plug-in to the paced sink.
        .testTarget(
            name: "RingerServiceTests",
            dependencies: [
                "RingerService", "RingerTestKit", "ServiceSupport", "PacedSupport", "CLinux", "CPCMProtocol",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "RingerHardwareTests",
            dependencies: ["RingerHardware", "CGPIOD", "RingerTestKit", "SessionProperties", "PacedSupport"],
            linkerSettings: [.linkedLibrary("asound")]),
        // Programs as they are written for the phone, in the language of their time, and the test that runs them.
        .executableTarget(
            name: "CallRinger", dependencies: ["AVFoundation", "AudioToolbox"], path: "Tests/PhoneSource/CallRinger",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "SwitchDetector", dependencies: ["AudioToolbox"], path: "Tests/PhoneSource/SwitchDetector",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "NotificationHelper", dependencies: ["UserNotifications"],
            path: "Tests/PhoneSource/NotificationHelper",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "MusicSession", dependencies: ["AVFoundation"], path: "Tests/PhoneSource/MusicSession",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "RingLoop", dependencies: ["AudioToolbox"], path: "Tests/PhoneSource/RingLoop",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "AppleNamesTests",
            dependencies: [
                "AVFoundation", "UserNotifications", "ProcessDevice", "Ringer", "RingerClient", "RingerTestKit",
                "SessionProperties", "ServiceSupport",
            ]),
        // What a C program sees.
        .executableTarget(name: "c-client", dependencies: ["CRinger", "RingerC"], path: "Tests/CClient"),
        .testTarget(
            name: "RingerCTests", dependencies: ["CRinger", "RingerC", "Ringer", "RingerTestKit", "ServiceSupport"]),
        .executableTarget(
            name: "audiotoolbox-client", dependencies: ["CRinger", "AudioToolboxC"], path: "Tests/AudioToolboxClient",
            cSettings: [.headerSearchPath("../../Sources/CAudioToolbox/include")],
            linkerSettings: [.linkedLibrary("BlocksRuntime")]),
        .testTarget(name: "AudioToolboxCTests", dependencies: ["audiotoolbox-client"]),
        .target(name: "CLabSupport", path: "Tests/CLabSupport"),
        .testTarget(
            name: "LabTests",
            dependencies: [
                "Ringer", "RingerClient", "RingerHardware", "RingerTestKit", "ServiceSupport", "CALSA", "CLabSupport",
            ],
            linkerSettings: [.linkedLibrary("asound")]),
    ],
    swiftLanguageModes: [.v6]
)
