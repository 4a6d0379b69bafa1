import AudioToolbox

/// Rings three times, each round begun by the completion of the one before, and vibrates twice.
final class RingLoop {
    private var sound: SystemSoundID = 0
    private var rounds = 0

    func start() {
        AudioSessionInitialize(nil, nil, { _, state in print("interruption \(state)") }, nil)
        var category = kAudioSessionCategory_AmbientSound
        AudioSessionSetProperty(
            kAudioSessionProperty_AudioCategory, UInt32(MemoryLayout.size(ofValue: category)), &category)
        AudioSessionSetActive(true)
        print("route: '\(route)'")

        guard let path = Bundle.main.path(forResource: "ring", ofType: "wav") else { exit(1) }
        let status = AudioServicesCreateSystemSoundID(NSURL.fileURL(withPath: path) as CFURL, &sound)
        print("registered: \(status)")
        AudioServicesAddSystemSoundCompletion(
            sound, nil, nil,
            { _, data in RingLoop.from(data)?.roundEnded() },
            Unmanaged.passUnretained(self).toOpaque())
        AudioServicesPlaySystemSound(sound)
    }

    private static func from(_ clientData: UnsafeMutableRawPointer?) -> RingLoop? {
        clientData.map { Unmanaged<RingLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The route's name, which is empty while the switch is at silent.
    private var route: String {
        var name: Unmanaged<CFString>?
        var size = UInt32(MemoryLayout.size(ofValue: name))
        guard AudioSessionGetProperty(kAudioSessionProperty_AudioRoute, &size, &name) == kAudioSessionNoError else {
            return "error"
        }
        return name.map { String($0.takeRetainedValue()) } ?? "none"
    }

    private func roundEnded() {
        rounds += 1
        print("round \(rounds)")
        if rounds < 3 { return AudioServicesPlaySystemSound(sound) }
        AudioServicesRemoveSystemSoundCompletion(sound)
        print("disposed: \(AudioServicesDisposeSystemSoundID(sound)), \(AudioServicesDisposeSystemSoundID(sound))")
        AudioServicesAddSystemSoundCompletion(
            kSystemSoundID_Vibrate, CFRunLoopGetMain(), CFRunLoopMode.defaultMode.rawValue,
            { id, data in RingLoop.from(data)?.vibrated(id) },
            Unmanaged.passUnretained(self).toOpaque())
        AudioServicesPlayAlertSound(kSystemSoundID_Vibrate)
    }

    private func vibrated(_ id: SystemSoundID) {
        rounds += 1
        print("vibrated: \(id)")
        if rounds < 5 { return AudioServicesPlaySystemSound(id) }
        AudioSessionSetActive(false)
        exit(0)
    }
}

let loop = RingLoop()
loop.start()
CFRunLoopRun()
