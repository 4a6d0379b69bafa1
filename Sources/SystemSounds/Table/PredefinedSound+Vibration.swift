// The vibration every device has: 4095.
extension PredefinedSound {
    static let vibrations: [PredefinedSound] = [
        PredefinedSound(4095, "Vibrate", "Vibrate", categorySince: "2.2", vibration: plainVibration)
    ]
}
