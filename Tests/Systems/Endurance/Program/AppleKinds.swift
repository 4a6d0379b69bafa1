import AVFoundation
import ProcessDevice
import RingerLinux
import RingerTestKit
import UserNotifications

extension Kinds {
    /// Apple's names on a simulated board in virtual time. Some callbacks come in the main run loop, which each round runs.
    static var apple: [Kind] {
        [
            Kind("system sounds of Apple's names, with completions of every kind", share: 30) {
                let bench = try AppleBench()
                return { number in
                    var id: UInt32 = 0
                    let url = NSURL(fileURLWithPath: bench.folder.file(round: number))
                    if AudioServicesCreateSystemSoundID(url, &id) != 0 { id = 4_095 }
                    if number % 3 == 0 {
                        AudioServicesAddSystemSoundCompletion(id, nil, nil, { _, _ in Depth.note() }, nil)
                    }
                    switch number % 4 {
                    case 0: AudioServicesPlaySystemSound(id)
                    case 1: AudioServicesPlayAlertSound(id)
                    case 2: AudioServicesPlaySystemSoundWithCompletion(id) { Depth.note() }
                    default: AudioServicesPlayAlertSoundWithCompletion(id) { Depth.note() }
                    }
                    bench.pass(number % 5 == 0 ? 2 : 500)
                    if number % 2 == 0 { AudioServicesRemoveSystemSoundCompletion(id) }
                    AudioServicesDisposeSystemSoundID(id)
                    bench.pass(500)
                }
            },
            Kind("properties and listeners of AudioSession, and calls that fail", share: 8) {
                let bench = try AppleBench()
                AudioSessionInitialize(nil, nil, { _, _ in Depth.note() }, nil)
                let properties: [AudioSessionPropertyID] = [
                    kAudioSessionProperty_AudioRouteChange, kAudioSessionProperty_CurrentHardwareOutputVolume,
                    kAudioSessionProperty_AudioInputAvailable, 0x6e6f_6e65,
                ]
                return { number in
                    let property = properties[round: number]
                    AudioSessionAddPropertyListener(property, { _, _, _, _ in Depth.note() }, nil)
                    var category = [
                        kAudioSessionCategory_PlayAndRecord, kAudioSessionCategory_AmbientSound, 0x6e6f_6e65,
                    ][round: number]
                    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, 4, &category)
                    AudioSessionSetActive(number % 2 == 0)
                    let call = number % 5 == 0 ? bench.bench.device.sessions.interruptionBegan() : nil
                    bench.bench.board.surroundings.set(.headphoneInserted(number % 2 == 0))
                    bench.bench.board.surroundings.set(.outputVolume(Float(number % 10) / 10))
                    bench.pass(10)
                    call.map { bench.bench.device.sessions.interruptionEnded($0) }
                    var (size, value): (UInt32, UInt32) = (4, 0)
                    AudioSessionGetProperty(kAudioSessionProperty_OtherAudioIsPlaying, &size, &value)
                    AudioSessionRemovePropertyListenerWithUserData(property, nil, nil)
                    AudioSessionRemovePropertyListener(property)
                    bench.pass(10)
                }
            },
            Kind("AVAudioPlayer: played, paused, at a time, in loops, with a delegate", share: 20) {
                let bench = try AppleBench()
                let delegate = PlayerDelegate()
                let data = try bench.folder.names.map {
                    try Data(contentsOf: URL(fileURLWithPath: bench.folder.path + "/" + $0))
                }
                return { number in
                    let player = try AVAudioPlayer(data: data[round: number])
                    if number % 2 == 0 { player.delegate = delegate }
                    player.numberOfLoops = [0, 1, -1][round: number]
                    player.volume = Float(number % 10) / 10
                    if number % 4 == 0 {
                        player.play(atTime: player.deviceCurrentTime + [0.01, 3_600][round: number, each: 4])
                    } else {
                        player.play()
                    }
                    bench.pass(5)
                    player.setVolume(0.5, fadeDuration: 0.01)
                    if number % 3 == 0 { player.pause() }
                    if number % 5 == 0 { player.currentTime = 0.002 }
                    bench.pass(number % 3 == 2 ? 5 : 100)
                    if number % 3 == 2 { player.stop() }
                    bench.pass(50)
                    if number % 64 == 0 { bench.pass(3_600_000) }
                }
            },
            Kind("AVAudioSession: categories, modes, routes, interruptions and their notifications", share: 8) {
                let bench = try AppleBench()
                let session = AVAudioSession.sharedInstance()
                return { number in
                    let observer = NotificationCenter.default.addObserver(
                        forName: AVAudioSession.routeChangeNotification, object: nil, queue: nil
                    ) { _ in Depth.note() }
                    let category: AVAudioSession.Category = [.playback, .playAndRecord, .ambient][round: number]
                    try? session.setCategory(category, mode: .default, options: number % 2 == 0 ? .mixWithOthers : [])
                    try? session.setPreferredSampleRate(Variations.rates[round: number])
                    try? session.setActive(number % 3 != 0)
                    try? session.overrideOutputAudioPort(number % 2 == 0 ? .speaker : .none)
                    let call = number % 5 == 0 ? bench.bench.device.sessions.interruptionBegan() : nil
                    bench.bench.board.surroundings.set(.headphoneInserted(number % 2 == 0))
                    bench.pass(10)
                    call.map { bench.bench.device.sessions.interruptionEnded($0) }
                    bench.pass(10)
                    _ = session.currentRoute.outputs
                    NotificationCenter.default.removeObserver(observer)
                }
            },
            Kind("notifications of UNUserNotificationCenter: added, delivered and removed", share: 20) {
                let bench = try AppleBench()
                let center = UNUserNotificationCenter.current()
                return { number in
                    let content = UNMutableNotificationContent()
                    content.title = "title \(number)"
                    content.sound =
                        number % 2 == 0
                        ? .default
                        : UNNotificationSound(
                            named: UNNotificationSoundName(bench.folder.names[round: number]))
                    var trigger: UNNotificationTrigger? = UNTimeIntervalNotificationTrigger(
                        timeInterval: [0.5, 3_600][round: number], repeats: false)
                    if number % 4 == 1 {
                        trigger = UNCalendarNotificationTrigger(
                            dateMatching: DateComponents(second: number % 60), repeats: number % 8 == 1)
                    }
                    let request = UNNotificationRequest(
                        identifier: "identifier \(number % 8)", content: content,
                        trigger: number % 3 == 0 ? nil : trigger)
                    center.add(request) { _ in Depth.note() }
                    bench.pass(1_000)
                    center.removePendingNotificationRequests(withIdentifiers: ["identifier \(number % 8)"])
                    bench.pass(3_000)
                }
            },
            Kind("devices that the process uses one after another", share: 80) {
                let folder = try SoundFolder()
                return { number in
                    let bench = try AppleBench(folder)
                    var id: UInt32 = 0
                    let url = NSURL(fileURLWithPath: bench.folder.file(round: 0))
                    AudioServicesCreateSystemSoundID(url, &id)
                    AudioServicesAddSystemSoundCompletion(id, nil, nil, { _, _ in Depth.note() }, nil)
                    AudioServicesPlaySystemSound(id)
                    AudioSessionInitialize(nil, nil, nil, nil)
                    bench.pass(5)
                    if number % 2 == 0 { AudioServicesDisposeSystemSoundID(id) }
                    ProcessDevice.use(nil)
                    bench.bench.device.close()
                    bench.pass(50)
                }
            },
        ]
    }
}

/// The process's device on a simulated board.
private final class AppleBench {
    let bench: BoardBench
    let folder: SoundFolder

    init(_ folder: SoundFolder? = nil) throws {
        bench = try BoardBench()
        self.folder = try folder ?? SoundFolder()
        ProcessDevice.use(bench.device)
    }

    /// Lets time pass, and the main run loop call what waits for it.
    func pass(_ milliseconds: Int) {
        bench.pass(milliseconds)
        _ = RunLoop.main.run(mode: .default, before: Date())
    }
}

private final class PlayerDelegate: AVAudioPlayerDelegate, Sendable {
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { Depth.note() }
}
