// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "detector-benchmark",
    dependencies: [.package(name: "ringer", path: "../..")],
    targets: [
        .executableTarget(
            name: "DetectorBenchmark",
            dependencies: [
                .product(name: "Ringer", package: "ringer"),
                .product(name: "RingerTestKit", package: "ringer"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
