// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "edge-latency",
    dependencies: [.package(name: "ringer", path: "../..")],
    targets: [
        .executableTarget(name: "Subscriber", dependencies: [.product(name: "Ringer", package: "ringer")])
    ],
    swiftLanguageModes: [.v6]
)
