import RingerPolicy
import SeededGenerator
import SessionRules

/// Random events for a coordinator: few sessions, so that they meet often; requests that make no sense among them.
struct SessionEventGenerator {
    var random: SeededGenerator

    static let board: [RouteBoard.Entry] = [
        .init(.speaker, pcm: "spk"), .init(.receiver, pcm: "ear"), .init(.headphone, pcm: "hp"),
        .init(.headset, pcm: "hp"), .init(.bluetooth, pcm: "bt"),
    ]
    private static let priorities: [SessionPriority] = [.ordinary, .ordinary, .ordinary, .call, .alarm]
    /// Those that allow options come up more often.
    private static let categories = AudioCategory.allCases + [.playback, .playback, .playAndRecord]
    private static let optionSets: [CategoryOptions] = [
        [], [], .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers,
        .interruptSpokenAudioAndMixWithOthers, [.duckOthers, .interruptSpokenAudioAndMixWithOthers], .allowBluetooth,
        .defaultToSpeaker,
        [.mixWithOthers, .allowBluetooth], CategoryOptions(rawValue: 16), CategoryOptions(rawValue: 32),
    ]
    private static let overrides: [SessionOverrides] = [
        .mixWithOthers, .mixWithOthers, .duckOthers, .defaultToSpeaker, .bluetoothInput, .speaker, .speaker,
    ]

    mutating func next() -> SessionCoordinator.Event {
        let id = SessionID(rawValue: UInt64(random.below(5) + 1))
        let outside = OutsideInterruption(rawValue: UInt64(random.below(2)))
        switch random.below(44) {
        case 0..<5:
            let client = SessionClientID(rawValue: UInt64(random.below(3)))
            return .make(id, client: client, name: "", priority: random.pick(Self.priorities))
        case 5: return .remove(id)
        case 6..<11: return .setCategory(id, random.pick(Self.categories), options: random.pick(Self.optionSets))
        case 11..<13: return .setOptions(id, random.pick(Self.optionSets))
        case 13: return .setSpoken(id, !random.oneIn(4))
        case 14..<17: return .setOverride(id, random.pick(Self.overrides), !random.oneIn(3))
        case 17..<25:
            return random.oneIn(5) ? .resume(id, since: UInt64(random.below(1_000))) : .activate(id)
        case 25..<28: return .deactivate(id, notifyOthers: !random.oneIn(3))
        case 28..<31: return .sounding(id, !random.oneIn(3))
        case 31:
            return random.oneIn(3) ? .clientDied(SessionClientID(rawValue: UInt64(random.below(3)))) : .activate(id)
        case 32: return .outsideBegan(outside)
        case 33: return .outsideAnswered(outside)
        case 34..<36: return .outsideEnded(outside, shouldResume: !random.oneIn(4))
        case 36: return .inputAvailable([true, true, nil, false][random.below(4)])
        case 38..<40:
            let rates: [Double] = [0, 44_100, 48_000]
            return .setPreferences(
                id, SessionPreferences(sampleRate: random.pick(rates), ioBufferDuration: Float(random.below(3)) / 100))
        case 42: return .setUsesHardwareCodec(id, random.oneIn(4))
        case 43: return .setInBackground(id, random.oneIn(2))
        case 37: return .outsideAudio(isPlaying: random.oneIn(2))
        default:
            let isIn = random.oneIn(2)
            let events: [RouteModel.Event] = [
                .headphone(isInserted: isIn), .microphone(isInserted: isIn), .external(.bluetooth, isPresent: isIn),
                .external(.line, isPresent: isIn), .wokeFromSleep,
            ]
            return .route(random.pick(events))
        }
    }
}
