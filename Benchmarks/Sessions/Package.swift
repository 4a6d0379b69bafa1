// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "session-benchmark",
    dependencies: [.package(name: "ringer", path: "../..")],
    targets: [
        // Counts what malloc and its relatives are asked for.
        .target(name: "CAllocations"),
        .executableTarget(
            name: "SessionBenchmark",
            dependencies: [
                "CAllocations", .product(name: "RingerServices", package: "ringer"),
                .product(name: "RingerTestKit", package: "ringer"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
