// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "sound-benchmark",
    dependencies: [.package(name: "ringer", path: "../..")],
    targets: [
        .executableTarget(
            name: "SoundBenchmark",
            dependencies: [.product(name: "Ringer", package: "ringer")])
    ],
    swiftLanguageModes: [.v6]
)
