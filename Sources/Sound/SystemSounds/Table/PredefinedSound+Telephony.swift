// The telephone network's and the SIM card's tones: 1050 to 1075.
extension PredefinedSound {
    static let telephonySounds: [PredefinedSound] = [
        PredefinedSound(1050, "ussd", "USSDAlert", file: "ussd.caf"),
        PredefinedSound(1051, "SIMToolkitCallDropped", "SIMToolkitTone", file: "SIMToolkitCallDropped.caf"),
        PredefinedSound(1052, "SIMToolkitGeneralBeep", "SIMToolkitTone", file: "SIMToolkitGeneralBeep.caf"),
        PredefinedSound(1053, "SIMToolkitNegativeACK", "SIMToolkitTone", file: "SIMToolkitNegativeACK.caf"),
        PredefinedSound(1054, "SIMToolkitPositiveACK", "SIMToolkitTone", file: "SIMToolkitPositiveACK.caf"),
        PredefinedSound(1055, "SIMToolkitSMS", "SIMToolkitTone", file: "SIMToolkitSMS.caf"),
        PredefinedSound(1057, "Tink", "PINKeyPressed", file: "Tink.caf"),
        PredefinedSound(1070, "ct-busy", "AudioToneBusy", file: "ct-busy.caf", categorySince: "4.0"),
        PredefinedSound(1071, "ct-congestion", "AudioToneCongestion", file: "ct-congestion.caf", categorySince: "4.0"),
        PredefinedSound(1072, "ct-path-ack", "AudioTonePathAcknowledge", file: "ct-path-ack.caf", categorySince: "4.0"),
        PredefinedSound(1073, "ct-error", "AudioToneError", file: "ct-error.caf", categorySince: "4.0"),
        PredefinedSound(
            1074, "ct-call-waiting", "AudioToneCallWaiting", file: "ct-call-waiting.caf", categorySince: "4.0"),
        PredefinedSound(1075, "ct-keytone2", "AudioToneKey2", file: "ct-keytone2.caf", categorySince: "4.0"),
    ]
}

// Keypad tones and headset tones: 1200 to 1259.
extension PredefinedSound {
    static let dialingSounds: [PredefinedSound] = [
        PredefinedSound(1200, "dtmf-0", "TouchTone", file: "dtmf-0.caf"),
        PredefinedSound(1201, "dtmf-1", "TouchTone", file: "dtmf-1.caf"),
        PredefinedSound(1202, "dtmf-2", "TouchTone", file: "dtmf-2.caf"),
        PredefinedSound(1203, "dtmf-3", "TouchTone", file: "dtmf-3.caf"),
        PredefinedSound(1204, "dtmf-4", "TouchTone", file: "dtmf-4.caf"),
        PredefinedSound(1205, "dtmf-5", "TouchTone", file: "dtmf-5.caf"),
        PredefinedSound(1206, "dtmf-6", "TouchTone", file: "dtmf-6.caf"),
        PredefinedSound(1207, "dtmf-7", "TouchTone", file: "dtmf-7.caf"),
        PredefinedSound(1208, "dtmf-8", "TouchTone", file: "dtmf-8.caf"),
        PredefinedSound(1209, "dtmf-9", "TouchTone", file: "dtmf-9.caf"),
        PredefinedSound(1210, "dtmf-star", "TouchTone", file: "dtmf-star.caf"),
        PredefinedSound(1211, "dtmf-pound", "TouchTone", file: "dtmf-pound.caf"),
        PredefinedSound(1254, "long_low_short_high", "Headset_StartCall", file: "long_low_short_high.caf"),
        PredefinedSound(1255, "short_double_high", "Headset_Redial", file: "short_double_high.caf"),
        PredefinedSound(1256, "short_low_high", "Headset_AnswerCall", file: "short_low_high.caf"),
        PredefinedSound(1257, "short_double_low", "Headset_EndCall", file: "short_double_low.caf"),
        PredefinedSound(
            1258, "short_double_low-Headset_CallWaitingActions", "Headset_CallWaitingActions",
            file: "short_double_low.caf"),
        PredefinedSound(
            1259, "middle_9_short_double_low", "Headset_TransitionEnd", file: "middle_9_short_double_low.caf"),
    ]
}
