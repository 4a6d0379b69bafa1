import RingerPolicy
import SeededGenerator

/// Quiet hours and time zones, whose times have 64 bits on every processor.
enum Quiet {
    static func report() {
        var digest = Digest()
        var random = SeededGenerator(seed: 11)
        let texts = [
            "CET-1CEST,M3.5.0,M10.5.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "IST-5:30", "XXX3EDT4,0/0,J365/23",
            "AAA-24:59:59BBB24:59:59,59/-167,J60/167",
        ]
        let zones = [try? TimeZoneRules(tzif: file)] + texts.map { try? TimeZoneRules(posix: $0) }
        for _ in 0..<1_000 {
            var text = ""
            for _ in 0...random.below(4) {
                text += text.isEmpty ? "" : "; "
                text += "\(random.pick(days)) \(random.pick(times))-\(random.pick(times))\(random.pick(volumes))"
            }
            guard let quiet = try? QuietHours(text) else { preconditionFailure(text) }
            digest.add("\(quiet)")
            for zone in zones {
                guard let zone else { preconditionFailure("a zone is refused") }
                let time = Int64(bitPattern: random.next()) >> Int64(random.below(64))
                for time in [time, 1_774_659_600 + Int64(random.below(1_000_000))] {
                    digest.add(zone.offset(at: time))
                    digest.add(zone.nextTransition(after: time) ?? -1)
                    let answer = quiet.answer(at: time, in: zone)
                    digest.add(answer.since ?? -1)
                    digest.add(answer.until ?? -1)
                    switch answer.effect {
                    case nil: digest.add(0)
                    case .silence: digest.add(1)
                    case .volume(let volume): digest.add(volume)
                    }
                }
            }
        }
        for _ in 0..<20_000 {
            var damaged = file
            for _ in 0...random.below(2) { damaged[random.below(damaged.count)] = UInt8(random.below(256)) }
            do throws(TimeZoneError) {
                digest.add(try TimeZoneRules(tzif: damaged).offset(at: Int64(random.below(1 << 30))))
            } catch {
                digest.add("\(error)")
            }
        }
        for text in ["Mon", "Fry 22:00-07:00", "Mon 22:00-24:00", "Mon 22:00-07:00 volume=2"] {
            do throws(QuietHoursError) { digest.add("\(try QuietHours(text))") } catch { digest.add("\(error)") }
        }
        digest.report("quiet hours")
    }

    private static let days = ["daily", "Mon", "Sat..Mon", "Tue,Thu..Fri", "sunday"]
    private static let times = ["00:00", "01:30", "02:00", "02:15", "02:30", "03:00", "07:00", "22:00", "23:59"]
    private static let volumes = ["", "", " volume=0.3", " volume=1", " volume=0.125"]

    /// A file of version 2 with two types, three transitions and a footer.
    private static let file: [UInt8] = {
        let magic = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        func counts(_ transitions: UInt8, _ types: UInt8) -> [UInt8] {
            [0, 0, 0, transitions, types, 4].flatMap { [0, 0, 0, $0] }
        }
        let types: [UInt8] = [0, 0, 14, 16, 0, 0, 0, 0, 28, 32, 1, 0]
        let names = Array("ABC\0".utf8)
        var bytes = magic + counts(0, 1) + types[..<6] + names + magic + counts(3, 2)
        for time in [[255, 255, 255, 255, 128, 0, 0, 0], [0, 0, 0, 0, 5, 0, 0, 0], [0, 0, 0, 0, 32, 0, 0, 0]]
            as [[UInt8]]
        {
            bytes += time
        }
        return bytes + [1, 0, 1] + types + names + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)
    }()
}
