// The sounds as the settings play them for choosing: 1300 to 1351.
extension PredefinedSound {
    static let previewSounds: [PredefinedSound] =
        [
            .preview(1300, "Voicemail", "SystemSoundPreview"),
            .preview(1301, "ReceivedMessage", "SystemSoundPreview"),
            .preview(1302, "new-mail", "SystemSoundPreview"),
            .preview(1303, "mail-sent", "SystemSoundPreview"),
            .preview(1304, "alarm", "SystemSoundPreview", player: "sq_alarm"),
            .preview(1305, "lock", "SystemSoundPreview", player: "sq_lock"),
            .preview(
                1306, "Tock", "KeyPressClickPreview", player: "sq_tock",
                categorySince: "3.2", formerCategory: "SystemSoundPreview"),
            .preview(1307, "sms-received1", "SMSReceived_Selection"),
            .preview(1308, "sms-received2", "SMSReceived_Selection"),
            .preview(1309, "sms-received3", "SMSReceived_Selection"),
            .preview(1310, "sms-received4", "SMSReceived_Selection"),
            .init(
                1311, nil, "SMSReceived_Vibrate", name: "SMSReceived_Vibrate-1311", vibration: messageVibrationPreview),
            .init(1312, "sms-received1", "SMSReceived_Selection", name: "sms-received1-1312"),
            .preview(1313, "sms-received5", "SMSReceived_Selection"),
            .preview(1314, "sms-received6", "SMSReceived_Selection"),
            .init(1315, "Voicemail", "SystemSoundPreview", name: "Voicemail-1315", since: "2.1"),
        ] + tones.map { .preview(1320 + $0, $1, "SMSReceived_Selection", since: "4.2") } + [
            .init(1350, nil, "RingerVibeChanged", vibration: ringerVibrationChanged),
            .init(1351, nil, "SilentVibeChanged", vibration: silentVibrationChanged),
        ]

    /// A row whose stem an earlier row has taken for its name.
    private static func preview(
        _ id: UInt32, _ stem: String, _ category: String, player: String? = nil, since: String? = nil,
        categorySince: String? = nil, formerCategory: String? = nil
    ) -> PredefinedSound {
        PredefinedSound(
            id, stem, category, name: stem + "-" + category, player: player, since: since,
            categorySince: categorySince, formerCategory: formerCategory)
    }
}
