/// Where a session's sound goes, and whether it takes input there.
public struct SessionRoute: Sendable, Hashable {
    /// The output; nil where no route fits.
    public var output: AudioRoute?
    /// Whether the session's category takes input.
    public var takesInput: Bool

    /// A route to `output`.
    public init(_ output: AudioRoute?, takesInput: Bool = false) {
        self.output = output
        self.takesInput = takesInput
    }

    /// The route's name, as property `rout` tells it: "Speaker", "Headphone", with input "SpeakerAndMicrophone",
    /// "HeadphonesAndMicrophone"; empty where no route fits.
    ///
    /// The names are those that iPhones have told since 2008; programs compare them.
    public var name: String {
        switch output {
        case .speaker: takesInput ? "SpeakerAndMicrophone" : "Speaker"
        case .receiver: takesInput ? "ReceiverAndMicrophone" : "Receiver"
        case .headphone: takesInput ? "HeadphonesAndMicrophone" : "Headphone"
        case .headset: takesInput ? "HeadsetInOut" : "Headset"
        case .line: takesInput ? "LineInOut" : "Lineout"
        case .bluetooth: takesInput ? "HeadsetBT" : "HeadphonesBT"
        case nil: ""
        }
    }
}
