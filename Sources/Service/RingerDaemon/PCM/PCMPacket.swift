import CPCMProtocol
import RingerBus
import RingerCore

/// A packet of the PCM plug-in, as `pcm_protocol.h` defines it.
struct PCMPacket {
    /// What a plug-in says first.
    struct Hello {
        var category: AudioCategory
        var options: CategoryOptions
        var isCapture: Bool
        /// Whether the stream runs already: the plug-in says next since when.
        var runs = false
        /// The number of the program whose stream it is, where the process connects for others; else nil.
        var program: UInt32?
        /// The program's name, for people.
        var name: String

        /// What the service says of the stream in its answer.
        var flags: Int {
            let obeysSwitch = category.isSilencedBySwitch || options.contains(.honoursRingSilentSwitch)
            return RINGER_PCM_ANSWERS | (obeysSwitch ? 0 : RINGER_PCM_IGNORES_SWITCH)
        }
    }

    /// What the service does not understand, or does not allow: a value of the packet REFUSED.
    struct Refusal: Error {
        var reason: Int
        /// What there is to say besides.
        var sentence = ""

        static let version = Refusal(reason: RINGER_PCM_VERSION_UNKNOWN)
        static let notPermitted = Refusal(reason: RINGER_PCM_NOT_PERMITTED)
        /// `sentence` names the limit.
        static func tooMany(_ sentence: String) -> Refusal { Refusal(reason: RINGER_PCM_TOO_MANY, sentence: sentence) }
        static let category = Refusal(reason: RINGER_PCM_CATEGORY_UNKNOWN)
    }

    static let size = MemoryLayout<ringer_pcm_packet>.size

    var packet: ringer_pcm_packet

    init(_ packet: ringer_pcm_packet) {
        self.packet = packet
    }

    /// `ramp` is how long the change to `gain` takes.
    init(
        kind: Int, value: Int = 0, flags: Int = 0, gain: Float = 0,
        ramp: Duration = .milliseconds(RINGER_PCM_RAMP_MILLISECONDS)
    ) {
        packet = ringer_pcm_packet()
        packet.version = UInt8(RINGER_PCM_VERSION)
        packet.kind = UInt8(kind)
        packet.value = UInt8(value)
        packet.flags = UInt8(flags)
        packet.gain = UInt32((gain * Float(RINGER_PCM_FULL_GAIN)).rounded())
        let states = [RINGER_PCM_ACCEPTED, RINGER_PCM_STATE]
        if states.contains(kind) { packet.ramp = UInt16(clamping: ramp.milliseconds + 1) }
    }

    /// A packet of the kind REFUSED.
    init(_ refusal: Refusal) {
        self.init(kind: RINGER_PCM_REFUSED, value: refusal.reason)
        withUnsafeMutableBytes(of: &packet.why) { $0.copyBytes(from: refusal.sentence.utf8.prefix($0.count - 1)) }
    }

    var kind: Int { Int(packet.kind) }

    /// In a packet of the kind STARTED, when a stream started that runs since before the connection; nil for one that starts now.
    var since: UInt64? { packet.since == 0 ? nil : packet.since }

    /// The greeting in a packet of the kind HELLO.
    func hello() throws(Refusal) -> Hello {
        guard packet.version == RINGER_PCM_VERSION, kind == RINGER_PCM_HELLO else { throw .version }
        guard let category = Self.text(packet.category).flatMap(AudioCategory.init(rawValue:)),
            let names = Self.text(packet.options)?.split(separator: " "),
            let options = CategoryOptions(names: names.map(String.init)),
            category.allowedOptions.isSuperset(of: options), Int(packet.value) <= RINGER_PCM_CAPTURE
        else { throw .category }
        let name = Self.text(packet.name) ?? ""
        return Hello(
            category: category, options: options, isCapture: packet.value == RINGER_PCM_CAPTURE,
            runs: Int(packet.flags) & RINGER_PCM_RUNS != 0,
            program: Int(packet.flags) & RINGER_PCM_FOR_OTHERS != 0 ? packet.gain : nil,
            // A name is shown to people, and goes over the bus.
            name: String(name.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init)))
    }

    /// The text in an array of C, which ends with a zero byte; nil where it does not, or is no UTF-8.
    private static func text<Characters>(_ characters: Characters) -> String? {
        withUnsafeBytes(of: characters) { bytes in
            bytes.firstIndex(of: 0).flatMap { String(validating: bytes[..<$0], as: UTF8.self) }
        }
    }
}
