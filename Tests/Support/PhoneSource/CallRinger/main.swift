import AVFoundation
import AudioToolbox

/// Rings for an incoming call: the ring tone again and again, and a vibration every half second.
final class CallRinger: NSObject, AVAudioPlayerDelegate {
    private var player: AVAudioPlayer?
    private var vibration: Timer?

    func ring() {
        do {
            try AVAudioSession.sharedInstance().setCategory(.soloAmbient)
            try AVAudioSession.sharedInstance().setActive(true)
            try play("ring", loops: -1)
        } catch {
            return fail(error)
        }
        print("ringing: \(player?.isPlaying == true)")
        AudioServicesPlaySystemSound(kSystemSoundID_Vibrate)
        vibration = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { _ in
            AudioServicesPlaySystemSound(kSystemSoundID_Vibrate)
        }
    }

    /// The call was answered: the ring tone stops, and a short tone says so.
    func answer() {
        vibration?.invalidate()
        vibration = nil
        player?.stop()
        print("ringing: \(player?.isPlaying == true)")
        do {
            try play("connected", loops: 0)
        } catch {
            fail(error)
        }
    }

    private func play(_ name: String, loops: Int) throws {
        guard let url = Bundle.main.url(forResource: name, withExtension: "wav") else {
            throw CocoaError(.fileNoSuchFile)
        }
        let player = try AVAudioPlayer(contentsOf: url)
        player.delegate = self
        player.numberOfLoops = loops
        player.volume = 1.0
        player.prepareToPlay()
        player.play()
        self.player = player
    }

    private func fail(_ error: Error) {
        print("error: \(error.localizedDescription)")
        exit(1)
    }

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        print("connected: \(flag), \(player.isPlaying), \(player.currentTime)")
        try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        exit(0)
    }
}

let ringer = CallRinger()
ringer.ring()
// The call is answered when a line comes.
DispatchQueue.global().async {
    _ = readLine()
    DispatchQueue.main.async { ringer.answer() }
}
RunLoop.main.run()
