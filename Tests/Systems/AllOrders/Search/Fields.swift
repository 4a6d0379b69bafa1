@testable import RingerCore
import SessionRules

/// What a fingerprint knows of the machines: a field that was added to one would otherwise be left out, and states that
/// differ in it would be taken for one.
enum Fields {
    /// A machine whose fields are others than those that ``Fingerprint`` was written for; nil if there is none.
    static func unknown() -> String? {
        let known: [(machine: Any, fields: [String])] = [
            (
                PlayerMachine(pcms: [:]),
                [
                    "state", "preferences", "pcms", "movesWithNextSound", "possible", "isCardKnown", "sounds",
                ]
            ),
            (SessionPlaybackMachine(coordinator: SessionCoordinator()), ["coordinator", "sounds", "isRefreshDue"]),
            (
                SessionCoordinator(),
                [
                    "sessions", "outside", "routes", "isOutsideAudioPlaying", "activity", "deviceRoute", "preferences",
                    "isArbitratedElsewhere", "lastActivation", "soundingCount", "highestID",
                ]
            ),
            (
                AnnouncementMachine(),
                ["phase", "isPaused", "items", "usesSession", "changedMeanwhile", "timer"]
            ),
            (
                SystemSoundMachine(),
                ["calls", "newest", "speaker", "motor", "sounding", "vibrating", "restedAt", "pace"]
            ),
            (SystemSoundQueue(), ["current", "waiting", "replaced"]),
            (
                VibrationSequencer(longestOnTime: .zero),
                [
                    "longestOnTime", "running", "phase", "newest", "unanswered", "turnedOn", "mayTurnSince", "turned",
                    "restingSince", "preparations", "preparedAt", "asleep",
                ]
            ),
            (
                AlertMachine(.init(), now: MonotonicTime(nanoseconds: 0)),
                ["phase", "plan", "result", "ending", "isPaced", "roundBeganAt", "motorError"]
            ),
        ]
        for (machine, fields) in known {
            let found = Mirror(reflecting: machine).children.map { $0.label ?? "" }
            if found != fields { return "\(type(of: machine)) has the fields \(found.joined(separator: ", "))" }
        }
        return nil
    }
}
