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
