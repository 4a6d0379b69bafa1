// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "payment-speaker",
    dependencies: [.package(name: "ringer", path: "../..")],
    targets: [
        .target(name: "PaymentRules"),
        .target(
            name: "CPaymentSpeaker",
            linkerSettings: [
                .linkedLibrary("mosquitto"), .linkedLibrary("sqlite3"), .linkedLibrary("jansson"),
                .linkedLibrary("ssl"), .linkedLibrary("crypto"),
            ]),
        .executableTarget(
            name: "PaymentSpeaker",
            dependencies: [
                "PaymentRules", "CPaymentSpeaker",
                .product(name: "Ringer", package: "ringer"), .product(name: "RingerCore", package: "ringer"),
                .product(name: "RingerClient", package: "ringer"), .product(name: "RingerTestKit", package: "ringer"),
            ]),
        .testTarget(
            name: "PaymentSpeakerTests",
            dependencies: [
                "PaymentSpeaker", "PaymentRules", "CPaymentSpeaker", .product(name: "RingerTestKit", package: "ringer"),
            ],
            resources: [.copy("amounts.tsv")]),
    ],
    swiftLanguageModes: [.v6]
)
