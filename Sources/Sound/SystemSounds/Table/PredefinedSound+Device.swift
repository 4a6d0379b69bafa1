// The device itself, its camera, voice control and video calls: 1100 to 1154.
extension PredefinedSound {
    static let deviceSounds: [PredefinedSound] = [
        .init(1100, "lock", "ScreenLocked", player: "sq_lock"),
        .init(1101, "unlock", "ScreenUnlocked", player: "sq_lock"),
        .init(1102, nil, "FailedUnlock"),
        .init(1103, "Tink", "KeyPressed", name: "Tink-KeyPressed", player: "sq_tock"),
        .init(1104, "Tock", "KeyPressed", player: "sq_tock"),
        .init(1105, "Tock", "KeyPressed", name: "Tock-1105", player: "sq_tock"),
        .init(1106, "beep-beep", "ConnectedToPower", player: "sq_beep-beep"),
        .init(1107, "RingerChanged", "RingerSwitchIndication"),
        .init(1108, "photoShutter", "CameraShutter"),
        .init(1109, "shake", "ShakeToShuffle", since: "3.0"),
        .init(1110, "jbl_begin", "JBL_Begin", since: "3.0"),
        .init(1111, "jbl_confirm", "JBL_Confirm", since: "3.0"),
        .init(1112, "jbl_cancel", "JBL_Cancel", since: "3.0"),
        .init(1113, "begin_record", "BeginRecording", since: "3.0"),
        .init(1114, "end_record", "EndRecording", since: "3.0"),
        .init(1115, "jbl_ambiguous", "JBL_Ambiguous", since: "3.0"),
        .init(1116, "jbl_no_match", "JBL_NoMatch", since: "3.0"),
        .init(1117, "begin_video_record", "BeginVideoRecording", since: "3.0"),
        .init(1118, "end_video_record", "EndVideoRecording", since: "3.0"),
        .init(1150, "vc~invitation-accepted", "VCInvitationAccepted", since: "4.0"),
        .init(1151, "vc~ringing", "VCRinging", since: "4.0"),
        .init(1152, "vc~ended", "VCEnded", since: "4.0"),
        .init(1153, "ct-call-waiting", "VCCallWaiting", name: "ct-call-waiting-VCCallWaiting", since: "4.1"),
        .init(1154, "vc~ringing", "VCCallUpgrade", name: "vc~ringing-VCCallUpgrade", since: "4.1"),
    ]
}
