// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
internal import RingerCore

// The types and constants of AVAudioSession, with Apple's values.

extension AVAudioSession {
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        public static let audioProcessing = Category(rawValue: "AVAudioSessionCategoryAudioProcessing")
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

    public struct CategoryOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let mixWithOthers = CategoryOptions(rawValue: 1)
        public static let duckOthers = CategoryOptions(rawValue: 2)
        public static let allowBluetooth = CategoryOptions(rawValue: 4)
        public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)
        /// Without effect: a Bluetooth output is used where it is present.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Without effect: there is no AirPlay.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    }

    public struct Mode: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")

        static let all: [Mode] = [
            .default, .voiceChat, .gameChat, .videoRecording, .measurement, .moviePlayback, .videoChat, .spokenAudio,
            .voicePrompt,
        ]
    }

    public struct SetActiveOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    public enum InterruptionType: UInt, Sendable {
        case ended = 0
        case began = 1
    }

    public struct InterruptionOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    public enum RouteChangeReason: UInt, Sendable {
        case unknown = 0
        case newDeviceAvailable = 1
        case oldDeviceUnavailable = 2
        case categoryChange = 3
        case override = 4
        case wakeFromSleep = 6
        case noSuitableRouteForCategory = 7
        case routeConfigurationChange = 8
    }

    public enum PortOverride: UInt, Sendable {
        case none = 0
        case speaker = 0x7370_6B72  // 'spkr'
    }

    public enum RecordPermission: UInt, Sendable {
        case undetermined = 0x756E_6474  // 'undt'
        case denied = 0x6465_6E79  // 'deny'
        case granted = 0x6772_6E74  // 'grnt'
    }

    public struct Port: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        public static let lineIn = Port(rawValue: "LineIn")
        public static let lineOut = Port(rawValue: "LineOut")
        public static let headphones = Port(rawValue: "Headphones")
        public static let builtInReceiver = Port(rawValue: "Receiver")
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        public static let airPlay = Port(rawValue: "AirPlay")
        public static let usbAudio = Port(rawValue: "USBAudio")
        public static let carAudio = Port(rawValue: "CarAudio")
        public static let HDMI = Port(rawValue: "HDMI")
    }

    public static let interruptionNotification = NSNotification.Name("AVAudioSessionInterruptionNotification")
    public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")
    /// Never posted: a PCM that is lost comes back by itself.
    public static let mediaServicesWereLostNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereLostNotification")
    /// Never posted.
    public static let mediaServicesWereResetNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")
}

public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"

/// An input or output of the session's route. Any thread.
public final class AVAudioSessionPortDescription: NSObject, Sendable {
    public let portType: AVAudioSession.Port
    public let portName: String
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
    public let inputs: [AVAudioSessionPortDescription]
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
