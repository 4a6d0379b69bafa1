// Mail, messages, calendar and power: 1000 to 1036.
extension PredefinedSound {
    static let messageSounds: [PredefinedSound] =
        [
            .init(1000, "new-mail", "MailReceived"),
            .init(1001, "mail-sent", "MailSent"),
            .init(1002, "Voicemail", "VoicemailReceived"),
            .init(1003, "ReceivedMessage", "SMSReceived"),
            .init(1004, "SentMessage", "SMSSent"),
            .init(1005, "alarm", "CalendarAlert", player: "sq_alarm"),
            .init(1006, "low_power", "LowPower"),
            .init(1007, "sms-received1", "SMSReceived_Alert"),
            .init(1008, "sms-received2", "SMSReceived_Alert"),
            .init(1009, "sms-received3", "SMSReceived_Alert"),
            .init(1010, "sms-received4", "SMSReceived_Alert"),
            .init(1011, nil, "SMSReceived_Vibrate", vibration: messageVibration),
            .init(1012, "sms-received1", "SMSReceived_Alert", name: "sms-received1-1012"),
            .init(1013, "sms-received5", "SMSReceived_Alert"),
            .init(1014, "sms-received6", "SMSReceived_Alert"),
            .init(1015, "Voicemail", nil, name: "Voicemail-1015", since: "2.1"),
            .init(1016, "tweet_sent", "SMSSent", since: "5.0"),
        ] + tones.map { .init(1020 + $0, $1, "SMSReceived_Alert", since: "4.2") }

    /// The tones for messages: 1020 to 1036, and as the settings play them, 1320 to 1336.
    static let tones: [(number: UInt32, stem: String)] = [
        "Anticipate", "Bloom", "Calypso", "Choo_Choo", "Descent", "Fanfare", "Ladder", "Minuet", "News_Flash", "Noir",
        "Sherwood_Forest", "Spell", "Suspense", "Telegraph", "Tiptoes", "Typewriters", "Update",
    ].enumerated().map { (UInt32($0), $1) }
}
