// The sounds as the settings play them for choosing: 1300 to 1351.
extension PredefinedSound {
    static let previewSounds: [PredefinedSound] = [
        PredefinedSound(1300, "Voicemail-SystemSoundPreview", "SystemSoundPreview", file: "Voicemail.caf"),
        PredefinedSound(1301, "ReceivedMessage-SystemSoundPreview", "SystemSoundPreview", file: "ReceivedMessage.caf"),
        PredefinedSound(1302, "new-mail-SystemSoundPreview", "SystemSoundPreview", file: "new-mail.caf"),
        PredefinedSound(1303, "mail-sent-SystemSoundPreview", "SystemSoundPreview", file: "mail-sent.caf"),
        PredefinedSound(
            1304, "alarm-SystemSoundPreview", "SystemSoundPreview", file: "alarm.caf", player: "sq_alarm.caf"),
        PredefinedSound(1305, "lock-SystemSoundPreview", "SystemSoundPreview", file: "lock.caf", player: "sq_lock.caf"),
        PredefinedSound(
            1306, "Tock-KeyPressClickPreview", "KeyPressClickPreview", file: "Tock.caf", player: "sq_tock.caf",
            categorySince: "3.2", formerCategory: "SystemSoundPreview"),
        PredefinedSound(
            1307, "sms-received1-SMSReceived_Selection", "SMSReceived_Selection", file: "sms-received1.caf"),
        PredefinedSound(
            1308, "sms-received2-SMSReceived_Selection", "SMSReceived_Selection", file: "sms-received2.caf"),
        PredefinedSound(
            1309, "sms-received3-SMSReceived_Selection", "SMSReceived_Selection", file: "sms-received3.caf"),
        PredefinedSound(
            1310, "sms-received4-SMSReceived_Selection", "SMSReceived_Selection", file: "sms-received4.caf"),
        PredefinedSound(1311, "SMSReceived_Vibrate-1311", "SMSReceived_Vibrate", vibration: messageVibrationPreview),
        PredefinedSound(1312, "sms-received1-1312", "SMSReceived_Selection", file: "sms-received1.caf"),
        PredefinedSound(
            1313, "sms-received5-SMSReceived_Selection", "SMSReceived_Selection", file: "sms-received5.caf"),
        PredefinedSound(
            1314, "sms-received6-SMSReceived_Selection", "SMSReceived_Selection", file: "sms-received6.caf"),
        PredefinedSound(1315, "Voicemail-1315", "SystemSoundPreview", file: "Voicemail.caf", since: "2.1"),
        PredefinedSound(
            1320, "Anticipate-SMSReceived_Selection", "SMSReceived_Selection", file: "Anticipate.caf", since: "4.2"),
        PredefinedSound(1321, "Bloom-SMSReceived_Selection", "SMSReceived_Selection", file: "Bloom.caf", since: "4.2"),
        PredefinedSound(
            1322, "Calypso-SMSReceived_Selection", "SMSReceived_Selection", file: "Calypso.caf", since: "4.2"),
        PredefinedSound(
            1323, "Choo_Choo-SMSReceived_Selection", "SMSReceived_Selection", file: "Choo_Choo.caf", since: "4.2"),
        PredefinedSound(
            1324, "Descent-SMSReceived_Selection", "SMSReceived_Selection", file: "Descent.caf", since: "4.2"),
        PredefinedSound(
            1325, "Fanfare-SMSReceived_Selection", "SMSReceived_Selection", file: "Fanfare.caf", since: "4.2"),
        PredefinedSound(
            1326, "Ladder-SMSReceived_Selection", "SMSReceived_Selection", file: "Ladder.caf", since: "4.2"),
        PredefinedSound(
            1327, "Minuet-SMSReceived_Selection", "SMSReceived_Selection", file: "Minuet.caf", since: "4.2"),
        PredefinedSound(
            1328, "News_Flash-SMSReceived_Selection", "SMSReceived_Selection", file: "News_Flash.caf", since: "4.2"),
        PredefinedSound(1329, "Noir-SMSReceived_Selection", "SMSReceived_Selection", file: "Noir.caf", since: "4.2"),
        PredefinedSound(
            1330, "Sherwood_Forest-SMSReceived_Selection", "SMSReceived_Selection", file: "Sherwood_Forest.caf",
            since: "4.2"),
        PredefinedSound(1331, "Spell-SMSReceived_Selection", "SMSReceived_Selection", file: "Spell.caf", since: "4.2"),
        PredefinedSound(
            1332, "Suspense-SMSReceived_Selection", "SMSReceived_Selection", file: "Suspense.caf", since: "4.2"),
        PredefinedSound(
            1333, "Telegraph-SMSReceived_Selection", "SMSReceived_Selection", file: "Telegraph.caf", since: "4.2"),
        PredefinedSound(
            1334, "Tiptoes-SMSReceived_Selection", "SMSReceived_Selection", file: "Tiptoes.caf", since: "4.2"),
        PredefinedSound(
            1335, "Typewriters-SMSReceived_Selection", "SMSReceived_Selection", file: "Typewriters.caf", since: "4.2"),
        PredefinedSound(
            1336, "Update-SMSReceived_Selection", "SMSReceived_Selection", file: "Update.caf", since: "4.2"),
        PredefinedSound(1350, "RingerVibeChanged", "RingerVibeChanged", vibration: ringerVibrationChanged),
        PredefinedSound(1351, "SilentVibeChanged", "SilentVibeChanged", vibration: silentVibrationChanged),
    ]
}
