// The device itself, its camera, voice control and video calls: 1100 to 1154.
extension PredefinedSound {
    static let deviceSounds: [PredefinedSound] = [
        PredefinedSound(1100, "lock", "ScreenLocked", file: "lock.caf", player: "sq_lock.caf"),
        PredefinedSound(1101, "unlock", "ScreenUnlocked", file: "unlock.caf", player: "sq_lock.caf"),
        PredefinedSound(1102, "FailedUnlock", "FailedUnlock"),
        PredefinedSound(1103, "Tink-KeyPressed", "KeyPressed", file: "Tink.caf", player: "sq_tock.caf"),
        PredefinedSound(1104, "Tock", "KeyPressed", file: "Tock.caf", player: "sq_tock.caf"),
        PredefinedSound(1105, "Tock-1105", "KeyPressed", file: "Tock.caf", player: "sq_tock.caf"),
        PredefinedSound(1106, "beep-beep", "ConnectedToPower", file: "beep-beep.caf", player: "sq_beep-beep.caf"),
        PredefinedSound(1107, "RingerChanged", "RingerSwitchIndication", file: "RingerChanged.caf"),
        PredefinedSound(1108, "photoShutter", "CameraShutter", file: "photoShutter.caf"),
        PredefinedSound(1109, "shake", "ShakeToShuffle", file: "shake.caf", since: "3.0"),
        PredefinedSound(1110, "jbl_begin", "JBL_Begin", file: "jbl_begin.caf", since: "3.0"),
        PredefinedSound(1111, "jbl_confirm", "JBL_Confirm", file: "jbl_confirm.caf", since: "3.0"),
        PredefinedSound(1112, "jbl_cancel", "JBL_Cancel", file: "jbl_cancel.caf", since: "3.0"),
        PredefinedSound(1113, "begin_record", "BeginRecording", file: "begin_record.caf", since: "3.0"),
        PredefinedSound(1114, "end_record", "EndRecording", file: "end_record.caf", since: "3.0"),
        PredefinedSound(1115, "jbl_ambiguous", "JBL_Ambiguous", file: "jbl_ambiguous.caf", since: "3.0"),
        PredefinedSound(1116, "jbl_no_match", "JBL_NoMatch", file: "jbl_no_match.caf", since: "3.0"),
        PredefinedSound(
            1117, "begin_video_record", "BeginVideoRecording", file: "begin_video_record.caf", since: "3.0"),
        PredefinedSound(1118, "end_video_record", "EndVideoRecording", file: "end_video_record.caf", since: "3.0"),
        PredefinedSound(
            1150, "vc~invitation-accepted", "VCInvitationAccepted", file: "vc~invitation-accepted.caf", since: "4.0"),
        PredefinedSound(1151, "vc~ringing", "VCRinging", file: "vc~ringing.caf", since: "4.0"),
        PredefinedSound(1152, "vc~ended", "VCEnded", file: "vc~ended.caf", since: "4.0"),
        PredefinedSound(
            1153, "ct-call-waiting-VCCallWaiting", "VCCallWaiting", file: "ct-call-waiting.caf", since: "4.1"),
        PredefinedSound(1154, "vc~ringing-VCCallUpgrade", "VCCallUpgrade", file: "vc~ringing.caf", since: "4.1"),
    ]
}
