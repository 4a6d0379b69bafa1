// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
internal import RingerCore

// The types and constants of AVAudioSession, with Apple's values.

extension AVAudioSession {
    /// The purpose of a session's sounds, which decides whether the switch silences them.
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Mixes with others; the switch and the lock silence it.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Interrupts others; the switch and the lock silence it. The default.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Is heard whatever the switch says.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Records, and silences all playback.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Plays and records, as a call; the switch does not silence it.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// Plays nothing, and silences all playback.
        public static let audioProcessing = Category(rawValue: "AVAudioSessionCategoryAudioProcessing")
        /// Plays on several routes; the switch does not silence it.
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")

        init(_ category: AudioCategory) {
            self =
                switch category {
                case .ambient: .ambient
                case .soloAmbient: .soloAmbient
                case .playback: .playback
                case .record: .record
                case .playAndRecord: .playAndRecord
                case .audioProcessing: .audioProcessing
                case .multiRoute: .multiRoute
                }
        }
    }

    /// What a category's sessions do to others, and where they play.
    public struct CategoryOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others play on.
        public static let mixWithOthers = CategoryOptions(rawValue: 1)
        /// Others play on, more quietly.
        public static let duckOthers = CategoryOptions(rawValue: 2)
        /// Input may come from a Bluetooth hands-free device.
        public static let allowBluetooth = CategoryOptions(rawValue: 4)
        /// A call is heard from the speaker instead of the receiver.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
        /// Others play on; those that speak are interrupted.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)
        /// Without effect: a Bluetooth output is used where it is present.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Without effect: there is no AirPlay.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    }

    /// What a session's category is used for. Sessions that speak have ``spokenAudio``; other modes change nothing.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// None in particular.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// A call.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// A game's talk.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// Recording a film.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// Measuring, with little processing.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        /// A film.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// A call with pictures.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// Speech that pauses rather than being ducked.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// Short announcements.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")

        static let all: [Mode] = [
            .default, .voiceChat, .gameChat, .videoRecording, .measurement, .moviePlayback, .videoChat, .spokenAudio,
            .voicePrompt,
        ]
    }

    /// What else happens at an activation or deactivation.
    public struct SetActiveOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The sessions that it interrupted may resume.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// Whether an interruption began or ended.
    public enum InterruptionType: UInt, Sendable {
        /// It is over.
        case ended = 0
        /// The session's sounds were silenced.
        case began = 1
    }

    /// What the end of an interruption allows.
    public struct InterruptionOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The session may play again.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// Why the route changed.
    public enum RouteChangeReason: UInt, Sendable {
        /// Nobody knows.
        case unknown = 0
        /// Something was plugged in.
        case newDeviceAvailable = 1
        /// Something was pulled out.
        case oldDeviceUnavailable = 2
        /// The category changed.
        case categoryChange = 3
        /// The output was overridden.
        case override = 4
        /// The device woke.
        case wakeFromSleep = 6
        /// The category has no route, such as one that records without an input.
        case noSuitableRouteForCategory = 7
        /// The route's configuration changed.
        case routeConfigurationChange = 8
    }

    /// Where a call is heard instead of the receiver.
    public enum PortOverride: UInt, Sendable {
        /// Where the category plays.
        case none = 0
        /// From the speaker.
        case speaker = 0x7370_6B72  // 'spkr'
    }

    /// Whether the program can record.
    public enum RecordPermission: UInt, Sendable {
        /// It was not asked yet. Never here.
        case undetermined = 0x756E_6474  // 'undt'
        /// There is no input.
        case denied = 0x6465_6E79  // 'deny'
        /// There is an input: Linux asks nobody.
        case granted = 0x6772_6E74  // 'grnt'
    }

    /// The kind of an input or output.
    public struct Port: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The built-in microphone.
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        /// A headset's microphone.
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        /// The line input.
        public static let lineIn = Port(rawValue: "LineIn")
        /// The line output.
        public static let lineOut = Port(rawValue: "LineOut")
        /// Headphones on the jack.
        public static let headphones = Port(rawValue: "Headphones")
        /// The built-in earpiece.
        public static let builtInReceiver = Port(rawValue: "Receiver")
        /// The built-in loudspeaker.
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        /// A Bluetooth hands-free device.
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        /// A Bluetooth loudspeaker.
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        /// A Bluetooth device of low energy. Not found here.
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        /// A loudspeaker on the network. Not found here.
        public static let airPlay = Port(rawValue: "AirPlay")
        /// A sound card on USB. Not found here.
        public static let usbAudio = Port(rawValue: "USBAudio")
        /// A car. Not found here.
        public static let carAudio = Port(rawValue: "CarAudio")
        /// A display. Not found here.
        public static let HDMI = Port(rawValue: "HDMI")
    }

    /// Posted on the main queue when an interruption begins or ends.
    public static let interruptionNotification = NSNotification.Name("AVAudioSessionInterruptionNotification")
    /// Posted when the route changes, on a serial queue of its own.
    public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")
    /// Never posted: a PCM that is lost comes back by itself.
    public static let mediaServicesWereLostNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereLostNotification")
    /// Never posted.
    public static let mediaServicesWereResetNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")
}

/// The key of an ``AVAudioSession/InterruptionType``, as a number.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// The key of ``AVAudioSession/InterruptionOptions``, as a number.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// The key of an ``AVAudioSession/RouteChangeReason``, as a number.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
/// The key of the route before the change.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"

/// An input or output of the session's route. Any thread.
public final class AVAudioSessionPortDescription: NSObject, Sendable {
    /// The kind.
    public let portType: AVAudioSession.Port
    /// The name, for people.
    public let portName: String
    /// The name, for programs.
    public var uid: String { portType.rawValue }

    private init(_ type: AVAudioSession.Port, _ name: String) {
        portType = type
        portName = name
    }

    convenience init(_ route: AudioRoute) {
        switch route {
        case .speaker: self.init(.builtInSpeaker, "Speaker")
        case .receiver: self.init(.builtInReceiver, "Receiver")
        case .headphone, .headset: self.init(.headphones, "Headphones")
        case .line: self.init(.lineOut, "Line Out")
        case .bluetooth: self.init(.bluetoothA2DP, "Bluetooth")
        }
    }

    convenience init(_ input: AudioInput, onJack: Bool = false) {
        if input == .bluetooth {
            self.init(.bluetoothHFP, "Bluetooth")
        } else if onJack {
            self.init(.headsetMic, "Headset Microphone")
        } else {
            self.init(.builtInMic, "Microphone")
        }
    }
}

/// The inputs and outputs that a session uses. Any thread.
public final class AVAudioSessionRouteDescription: NSObject, Sendable {
    /// The inputs in use.
    public let inputs: [AVAudioSessionPortDescription]
    /// The outputs in use.
    public let outputs: [AVAudioSessionPortDescription]

    init(_ route: SessionRoute?) {
        let isHeadset = route?.output == .headset
        inputs = route?.input.map { [AVAudioSessionPortDescription($0, onJack: isHeadset)] } ?? []
        outputs = route?.output.map { [AVAudioSessionPortDescription($0)] } ?? []
    }
}

extension AudioCategory {
    init?(_ category: AVAudioSession.Category) {
        guard let known = Self.allCases.first(where: { AVAudioSession.Category($0) == category }) else { return nil }
        self = known
    }
}

extension RingerCore.CategoryOptions {
    /// The options that have a meaning here.
    init(_ options: AVAudioSession.CategoryOptions) {
        self.init(rawValue: UInt32(truncatingIfNeeded: options.rawValue & 0x1F))
    }
}
