import RingerLinux
import RingerTestKit

extension Kinds {
    /// Alerts, announcements, notifications, detections, vibrations and the light.
    static var requests: [Kind] {
        [
            Kind("alerts that end in every way", share: 2) {
                let bench = try BoardBench()
                let id = try bench.device.sounds.register(Variations.sounds[4])
                let ids: [SystemSoundID] = [id, 4_095, 4_000]
                return { number in
                    bench.flip(to: Variations.positions[round: number, each: 2])
                    if number % 5 == 0 { bench.device.preferences.vibrateOnSilent.toggle() }
                    let alerts = bench.device.alerts
                    alerts.start(
                        ids[round: number], way: AlertWay.allCases[round: number, each: 3],
                        limit: .milliseconds(30 + number % 4 * 50),
                        completion: bench.ends.one { number % 6 != 0 || $0.outcome == .stopped(.caller) })
                    bench.pass(20)
                    switch number % 6 {
                    case 0: alerts.stop()
                    case 1: alerts.start(id, way: .both, limit: .milliseconds(40), completion: bench.ends.one())
                    case 2: bench.device.stopAll()
                    case 3: bench.flip(to: Variations.positions[round: number])
                    case 4: bench.board.keys.press(.silenceRing)
                    default: break
                    }
                    bench.pass(300)
                    bench.board.keys.release(.silenceRing)
                    try bench.ends.check()
                }
            },
            Kind("announcements that end in every way", share: 10) { bench, number in
                let announcements = bench.device.announcements
                let (category, options) = Variations.categories[round: number]
                var last: Announcements.ID?
                for index in 0..<3 {
                    let announcement = Announcement(
                        Variations.sounds[round: number + index], category: category, options: options,
                        priority: (number + index) % 3, expiry: index == 2 ? .milliseconds(15) : nil)
                    last = try announcements.add(announcement, completion: bench.ends.one())
                }
                bench.pass(5)
                switch number % 9 {
                case 0: announcements.skip()
                case 1: last.map(announcements.remove)
                case 2: announcements.clear()
                case 3: announcements.pause()
                case 4: announcements.repeatLast(completion: bench.ends.one())
                case 5: bench.flip(to: .silent)
                case 6: bench.board.speaker.fault = .gone(frame: 20)
                case 7: bench.device.releaseOutput { Depth.note() }
                default: break
                }
                bench.pass(20)
                announcements.resume()
                bench.flip(to: .ring)
                bench.board.speaker.fault = nil
                bench.pass(400)
                try bench.ends.check()
            },
            Kind("notifications with standard, named, missing and critical sounds", share: 2) {
                let files = try SoundFolder()
                let bench = try BoardBench()
                let sounds: [NotificationSound] = [
                    .named(files.names[0]), .criticalNamed(files.names[1], volume: 0.5), .named("missing.wav"),
                    .named("../" + files.names[0]), .named(files.names[2], volume: 0),
                    .criticalNamed(files.damaged),
                ]
                let containers = [
                    ApplicationContainer(files.path, bundle: files.path, allowsCriticalAlerts: true),
                    ApplicationContainer(files.path, bundle: files.path), nil,
                ]
                return { number in
                    bench.flip(to: Variations.positions[round: number, each: 2])
                    if number % 7 == 0 { bench.device.preferences.doNotDisturb.toggle() }
                    bench.device.notifications.start(
                        sounds[round: number], in: containers[round: number, each: 6],
                        completion: bench.ends.one())
                    bench.pass(3_000)
                    try bench.ends.check()
                }
            },
            Kind("detections by clip, switch and nothing, at every position", share: 2) { bench, number in
                bench.flip(to: Variations.positions[round: number])
                switch number % 5 {
                case 0: bench.board.ringSilent.unplug()
                case 1: bench.board.speaker.fault = .underrun(frame: 100)
                case 2: bench.board.speaker.fault = .missing
                case 3: bench.board.speaker.fault = .unpaced
                default: break
                }
                let (isAlone, isAudible) = (
                    number % 20 > 4 && number % 5 == 4, bench.board.ringSilent.position == .ring
                )
                bench.device.muteDetector.measure(
                    completion: bench.ends.one {
                        !isAlone || $0.verdict == (isAudible ? .audible : .muted)
                    })
                if number % 3 == 0 { bench.device.muteDetector.measure(completion: bench.ends.one()) }
                bench.pass(10)
                if number % 4 == 0 { bench.flip(to: .vibrate) }
                bench.pass(7_000)
                bench.board.speaker.fault = nil
                bench.board.ringSilent.plug()
                bench.pass(20)
                try bench.ends.check()
            },
            Kind("vibrations of every pattern, on a motor that fails and is unplugged") {
                let bench = try BoardBench()
                let vibrator = try bench.device.vibrator.unwrapped()
                let patterns = try ["400", "100,50,100", "20,10,20,10,20"].flatMap { text in
                    try [VibrationPattern.Repetition.times(1), .times(3), .untilStopped].map {
                        try VibrationPattern(milliseconds: text, strength: 0.7, repetition: $0)
                    }
                }
                let error = RingerError(.disconnected, "turn on", "motor")
                return { number in
                    switch number % 6 {
                    case 0: bench.board.motor.failTurnOn(with: error)
                    case 1: bench.board.motor.unplug(number % 4 == 1 ? .stops : .keepsTurning)
                    case 2: bench.board.motor.hasOwnLimit.toggle()
                    default: break
                    }
                    let vibration = vibrator.start(patterns[round: number], completion: bench.ends.one())
                    bench.pass(50)
                    if number % 4 == 0 { vibrator.start(.standard, completion: bench.ends.one()) }
                    if number % 6 == 3 { bench.board.motor.failTurnOff(with: [error, error]) }
                    if number % 3 == 0 { vibrator.stop(vibration) }
                    bench.pass(200)
                    vibrator.stop()
                    bench.board.motor.failTurnOn(with: nil)
                    bench.board.motor.plug()
                    bench.pass(number % 16 == 0 ? 15_000 : 2_000)
                    try bench.ends.check()
                }
            },
            Kind("patterns of the status light, and a light that fails") {
                let bench = try BoardBench()
                let light = try bench.device.statusLight.unwrapped()
                let patterns: [LightPattern] = [
                    .off, .on, .blinking(on: .milliseconds(100), off: .milliseconds(900)),
                    .blinking(on: .seconds(1), off: .milliseconds(1)),
                ]
                return { number in
                    let fails = number % 5 == 0
                    bench.board.statusLight.fail(with: fails ? RingerError(.disconnected, "light", "LED") : nil)
                    var failed = false
                    do { try light.show(patterns[round: number]) } catch { failed = true }
                    try require(failed == fails, "the light failed: \(failed)")
                }
            },
        ]
    }
}
