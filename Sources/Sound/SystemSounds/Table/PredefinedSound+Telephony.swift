// The telephone network's and the SIM card's tones: 1050 to 1075.
extension PredefinedSound {
    static let telephonySounds: [PredefinedSound] = [
        .init(1050, "ussd", "USSDAlert"),
        .init(1051, "SIMToolkitCallDropped", "SIMToolkitTone"),
        .init(1052, "SIMToolkitGeneralBeep", "SIMToolkitTone"),
        .init(1053, "SIMToolkitNegativeACK", "SIMToolkitTone"),
        .init(1054, "SIMToolkitPositiveACK", "SIMToolkitTone"),
        .init(1055, "SIMToolkitSMS", "SIMToolkitTone"),
        .init(1057, "Tink", "PINKeyPressed"),
        .init(1070, "ct-busy", "AudioToneBusy", categorySince: "4.0"),
        .init(1071, "ct-congestion", "AudioToneCongestion", categorySince: "4.0"),
        .init(1072, "ct-path-ack", "AudioTonePathAcknowledge", categorySince: "4.0"),
        .init(1073, "ct-error", "AudioToneError", categorySince: "4.0"),
        .init(1074, "ct-call-waiting", "AudioToneCallWaiting", categorySince: "4.0"),
        .init(1075, "ct-keytone2", "AudioToneKey2", categorySince: "4.0"),
    ]
}

// Keypad tones and headset tones: 1200 to 1259.
extension PredefinedSound {
    static let dialingSounds: [PredefinedSound] =
        (0...9).map { .init(1200 + $0, "dtmf-\($0)", "TouchTone") } + [
            .init(1210, "dtmf-star", "TouchTone"),
            .init(1211, "dtmf-pound", "TouchTone"),
            .init(1254, "long_low_short_high", "Headset_StartCall"),
            .init(1255, "short_double_high", "Headset_Redial"),
            .init(1256, "short_low_high", "Headset_AnswerCall"),
            .init(1257, "short_double_low", "Headset_EndCall"),
            .init(
                1258, "short_double_low", "Headset_CallWaitingActions",
                name: "short_double_low-Headset_CallWaitingActions"),
            .init(1259, "middle_9_short_double_low", "Headset_TransitionEnd"),
        ]
}
