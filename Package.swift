// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ringer",
    products: [
        .library(name: "Ringer", targets: ["Ringer"]),
        .library(name: "RingerServices", targets: ["RingerServices"]),
        .library(name: "RingerPolicy", targets: ["RingerPolicy"]),
        .library(name: "RingerTestKit", targets: ["RingerTestKit"]),
        .library(name: "SoundFile", targets: ["SoundFile"]),
        .executable(name: "ringer", targets: ["RingerCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    ],
    targets: [
        // The C libraries as Swift sees them.
        .systemLibrary(name: "CGPIOD", pkgConfig: "libgpiod", providers: [.apt(["libgpiod-dev"])]),
        .systemLibrary(name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .target(name: "CLinux"),

        // Pure: the standard library only.
        .target(name: "SoundFile"),
        .target(name: "RingerPolicy"),

        // What runs.
        .target(
            name: "RingerServices",
            dependencies: [
                "RingerPolicy", "SoundFile",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "RingerHardware",
            dependencies: [
                "RingerServices", "CGPIOD", "CEvdev", "CALSA", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(name: "RingerTestKit", dependencies: ["RingerServices"]),
        .target(name: "Ringer", dependencies: ["RingerServices", "RingerHardware", "RingerTestKit"]),
        .executableTarget(
            name: "RingerCommand",
            dependencies: [
                "Ringer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        .testTarget(name: "SoundFileTests", dependencies: ["SoundFile"], exclude: ["Corpus"]),
        .testTarget(name: "RingerPolicyTests", dependencies: ["RingerPolicy"]),
        .testTarget(name: "RingerServicesTests", dependencies: ["RingerServices", "RingerTestKit"]),
        .testTarget(name: "RingerHardwareTests", dependencies: ["RingerHardware", "RingerTestKit"]),
        .testTarget(name: "LabTests", dependencies: ["Ringer", "RingerTestKit"]),
    ],
    swiftLanguageModes: [.v6]
)
