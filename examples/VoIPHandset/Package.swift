// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "voip-handset",
    dependencies: [
        .package(name: "ringer", path: "../.."),
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    ],
    targets: [
        .systemLibrary(name: "CRe", pkgConfig: "libre", providers: [.apt(["libre-dev"])]),
        .systemLibrary(name: "CRem", pkgConfig: "librem", providers: [.apt(["librem-dev"])]),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(
            name: "CSIP", dependencies: ["CRe", "CRem"], cSettings: [.define("_GNU_SOURCE")],
            linkerSettings: [
                .linkedLibrary("asound"), .linkedLibrary("m"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
            ]),
        .executableTarget(
            name: "VoIPHandset",
            dependencies: [
                "CSIP", "CSystemd",
                .product(name: "Ringer", package: "ringer"), .product(name: "RingerCore", package: "ringer"),
                .product(name: "RingerLinux", package: "ringer"),
                .product(name: "RingerClient", package: "ringer"), .product(name: "RingerTestKit", package: "ringer"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "VoIPHandsetTests",
            dependencies: ["VoIPHandset", .product(name: "RingerTestKit", package: "ringer")]),
    ],
    swiftLanguageModes: [.v6]
)
