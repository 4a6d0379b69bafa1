import AVFoundation

/// Plays music, pauses for interruptions, and goes on afterwards.
final class MusicSession {
    private let session = AVAudioSession.sharedInstance()
    private let player: AVAudioPlayer
    private var observers: [NSObjectProtocol] = []

    init(url: URL) throws {
        player = try AVAudioPlayer(contentsOf: url)
        try session.setCategory(.playback, mode: .default, options: [])
        try session.setActive(true)
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(
                forName: AVAudioSession.interruptionNotification, object: session, queue: .main
            ) { [weak self] in self?.handleInterruption($0) })
        observers.append(
            center.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: session, queue: .main
            ) { [weak self] in self?.handleRouteChange($0) })
    }

    func play() {
        player.numberOfLoops = -1
        print(
            "playing: \(player.play()), \(session.category.rawValue), \(session.currentRoute.outputs[0].portType.rawValue)"
        )
    }

    private func handleInterruption(_ notification: Notification) {
        guard let info = notification.userInfo,
            let number = info[AVAudioSessionInterruptionTypeKey] as? UInt,
            let type = AVAudioSession.InterruptionType(rawValue: number)
        else { return }
        switch type {
        case .began:
            print("interrupted: \(player.isPlaying)")
        case .ended:
            guard let number = info[AVAudioSessionInterruptionOptionKey] as? UInt else { return }
            if AVAudioSession.InterruptionOptions(rawValue: number).contains(.shouldResume) {
                print("resumed: \(player.play())")
            } else {
                print("stays paused")
            }
        @unknown default:
            break
        }
    }

    private func handleRouteChange(_ notification: Notification) {
        guard let number = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
            let reason = AVAudioSession.RouteChangeReason(rawValue: number),
            let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey]
                as? AVAudioSessionRouteDescription
        else { return }
        switch reason {
        case .newDeviceAvailable:
            print("plugged in: \(previous.outputs[0].portName) to \(session.currentRoute.outputs[0].portName)")
        case .oldDeviceUnavailable:
            print("unplugged: \(player.isPlaying)")
            try? session.setActive(false, options: .notifyOthersOnDeactivation)
            exit(0)
        default:
            break
        }
    }
}

setvbuf(stdout, nil, _IOLBF, 0)
guard let url = Bundle.main.url(forResource: "music", withExtension: "wav") else { exit(1) }
let music = try MusicSession(url: url)
music.play()
dispatchMain()
