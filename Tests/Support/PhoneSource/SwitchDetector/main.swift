import AudioToolbox

/// Finds out whether the phone is at silent: plays a clip that nobody hears, and measures how long it takes.
final class SwitchDetector {
    /// The clip lasts 0.099 s.
    private static let threshold: TimeInterval = 0.1

    private var soundID: SystemSoundID = 0
    var notify: ((Bool) -> Void)?

    init?() {
        guard let url = Bundle.main.url(forResource: "mute", withExtension: "wav"),
            AudioServicesCreateSystemSoundID(url as CFURL, &soundID) == kAudioServicesNoError
        else { return nil }
        var yes: UInt32 = 1
        AudioServicesSetProperty(
            kAudioServicesPropertyIsUISound, UInt32(MemoryLayout.size(ofValue: soundID)), &soundID,
            UInt32(MemoryLayout.size(ofValue: yes)), &yes)
    }

    deinit {
        AudioServicesRemoveSystemSoundCompletion(soundID)
        AudioServicesDisposeSystemSoundID(soundID)
    }

    func check() {
        let start = Date.timeIntervalSinceReferenceDate
        AudioServicesPlaySystemSoundWithCompletion(soundID) { [weak self] in
            let elapsed = Date.timeIntervalSinceReferenceDate - start
            let isMute = elapsed < SwitchDetector.threshold
            DispatchQueue.main.async { self?.notify?(isMute) }
        }
    }
}

guard let detector = SwitchDetector() else {
    print("no clip")
    exit(1)
}
var checks = 0
detector.notify = { isMute in
    print(isMute ? "muted" : "not muted")
    checks += 1
    if checks == 5 { exit(0) }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) { detector.check() }
}
detector.check()
dispatchMain()
