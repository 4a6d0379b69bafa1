// swift-tools-version: 6.2
import PackageDescription

/// The program of `folder/run`.
func benchmark(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path)
}

let ringer: Target.Dependency = .product(name: "RingerLinux", package: "ringer")
let testKit: Target.Dependency = .product(name: "RingerTestKit", package: "ringer")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "ringer", path: ".."),
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    ],
    targets: [
        benchmark("DetectorBenchmark", "Detector/Sources", [ringer, testKit, system]),
        benchmark("Subscriber", "EdgeLatency/Sources", [ringer]),
        benchmark("Empty", "Footprint/Sources/Empty"),
        benchmark(
            "Parser", "Footprint/Sources/Parser",
            [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
        benchmark("PromiseBenchmark", "Promises/Sources", [ringer]),
        benchmark("SoundBenchmark", "Sound/Sources", [ringer]),
        .systemLibrary(
            name: "PeerSndfile", path: "SoundFile/Sources/PeerSndfile", pkgConfig: "sndfile",
            providers: [.apt(["libsndfile1-dev"])]),
        benchmark(
            "SoundFileBenchmark", "SoundFile/Sources/SoundFileBenchmark",
            ["PeerSndfile", .product(name: "SoundFile", package: "ringer")]),
        benchmark("SystemSoundServicesBenchmark", "SystemSoundServices/Sources", [ringer, testKit, system]),
        benchmark("SystemSoundBenchmark", "SystemSounds/Sources", [ringer]),
    ],
    swiftLanguageModes: [.v6]
)
