// swift-tools-version: 6.2
import PackageDescription

// Apart from the main package, so that nobody needs libsndfile to build Ringer.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "ringer", path: "../..")],
    targets: [
        .systemLibrary(name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .executableTarget(
            name: "SoundFileBenchmark",
            dependencies: ["CSndfile", .product(name: "SoundFile", package: "ringer")]),
    ],
    swiftLanguageModes: [.v6]
)
