import Glibc
import RingerCore
import SystemPackage

/// What the use-case configuration (ALSA UCM) of a sound card says about its outputs.
///
/// Where a card has such a configuration, it names the PCM, the jack and the mixer's element of each output. It is
/// looked for without alsa-lib, which is loaded only if the card has one. It does not change: any thread may use
/// it. The corresponding C functions are those of `snd_use_case`.
package final class UseCases: Sendable {
    /// One output.
    package struct Output: Sendable {
        /// Its route.
        package let route: AudioRoute
        /// The configuration's name of it: "Speaker".
        package let device: String
        /// The PCM that plays on it, with conversion where the configuration names bare hardware: "plughw:codec".
        package let pcm: String
    }

    /// The card's number.
    package let card: Int
    /// The card's control file.
    package let controlFile: FilePath
    /// The configuration's file.
    package let file: FilePath
    /// The use case: "HiFi", or the first one where there is none of that name.
    package let verb: String
    /// The outputs, one of each route.
    package let outputs: [Output]
    /// The jack controls of headphones and headsets.
    package let headphoneJacks: [String]
    /// The jack controls of microphones and headsets.
    package let microphoneJacks: [String]
    /// The mixer's element for the volume of the first output; nil if none is named.
    package let volumeElement: String?

    /// The directory of the configurations. `ALSA_CONFIG_UCM2` names another one.
    package static var folder: FilePath {
        // SAFETY: the text ends in a zero; no thread of Ringer changes the environment.
        getenv("ALSA_CONFIG_UCM2").map { FilePath(String(cString: $0)) } ?? "/usr/share/alsa/ucm2"
    }

    /// Reads the configuration of a card.
    ///
    /// - Parameters:
    ///   - card: The card's id, such as "Dummy", or its number; nil for the card of the lowest number.
    ///   - paths: Where the kernel shows its cards.
    ///   - folder: The directory of the configurations.
    /// - Returns: What it says; nil if the card is missing or has none.
    /// - Throws: ``RingerError`` if the configuration is faulty, or alsa-lib is missing.
    package static func find(
        card: String? = nil, paths: HardwarePaths = .standard, folder: FilePath = folder
    ) throws(RingerError) -> UseCases? {
        guard let (number, file) = Self.file(card, paths, folder) else { return nil }
        return try UseCases(card: number, paths.sound.appending("controlC\(number)"), file: file)
    }

    /// The card's number, and the file of its configuration; nil if the card is missing or has none.
    package static func file(_ card: String?, _ paths: HardwarePaths, _ folder: FilePath) -> (Int, FilePath)? {
        let text = (try? AttributeFile(path: paths.processes.appending("asound").appending("cards")).read()) ?? ""
        let cards = ListedSoundCard.list(text)
        guard
            let found = card == nil
                ? cards.first : cards.first(where: { $0.id == card || String($0.number) == card })
        else { return nil }
        let directory = folder.appending("conf.d").appending(found.driver)
        for name in [found.longName, found.driver] where !name.isEmpty && !name.contains("/") {
            let file = directory.appending("\(name).conf")
            if access(file.string, R_OK) == 0 { return (found.number, file) }
        }
        return nil
    }

    private convenience init(card: Int, _ controlFile: FilePath, file: FilePath) throws(RingerError) {
        let manager = try UseCaseManager(card: card)
        let verbs = try manager.names("_verbs")
        guard let verb = verbs.contains("HiFi") ? "HiFi" : verbs.first else {
            throw RingerError(.notFound, "find a use case", file.string)
        }
        var outputs: [Output] = []
        var headphoneJacks: [String] = []
        var microphoneJacks: [String] = []
        for device in try manager.names("_devices/\(verb)") {
            let kind = DeviceKind(device)
            if let jack = manager.value("JackControl", of: device, in: verb).map(UseCaseText.name) {
                if kind.isHeadphone { headphoneJacks.append(jack) }
                if kind.isMicrophone { microphoneJacks.append(jack) }
            }
            guard let route = kind.route, !outputs.contains(where: { $0.route == route }),
                let pcm = manager.value("PlaybackPCM", of: device, in: verb)
            else { continue }
            outputs.append(Output(route: route, device: device, pcm: UseCaseText.pcm(pcm)))
        }
        var element: String?
        if let first = (outputs.first { $0.route == .speaker } ?? outputs.first)?.device {
            element =
                manager.value("PlaybackMasterElem", of: first, in: verb).map(UseCaseText.name)
                ?? manager.value("PlaybackMixerElem", of: first, in: verb).map(UseCaseText.name)
                ?? manager.value("PlaybackVolume", of: first, in: verb).map(UseCaseText.volume)
        }
        self.init(
            card: card, controlFile, file: file, verb: verb, outputs: outputs, headphoneJacks: headphoneJacks,
            microphoneJacks: microphoneJacks, volumeElement: element)
    }

    /// A configuration that says this.
    init(
        card: Int, _ controlFile: FilePath, file: FilePath, verb: String, outputs: [Output],
        headphoneJacks: [String] = [], microphoneJacks: [String] = [], volumeElement: String? = nil
    ) {
        self.card = card
        self.controlFile = controlFile
        self.file = file
        self.verb = verb
        self.outputs = outputs
        self.headphoneJacks = headphoneJacks
        self.microphoneJacks = microphoneJacks
        self.volumeElement = volumeElement
    }

    /// The output of `route`; nil if the configuration has none. Headphones and a headset stand in for each other: they share
    /// a jack, and a device "Headset" is nearly always a microphone.
    package func output(of route: AudioRoute) -> Output? {
        let standIns: [AudioRoute: AudioRoute] = [.headphone: .headset, .headset: .headphone]
        return outputs.first { $0.route == route } ?? outputs.first { $0.route == standIns[route] }
    }

    /// What a device of a configuration is, by its name: one of those in alsa-lib's use-case.h, with or without a number.
    private struct DeviceKind {
        let name: String

        init(_ device: String) {
            var name = Substring(device)
            // `isNumber` would bring its tables along.
            while let last = name.utf8.last, (0x30...0x39).contains(last) || last == 0x20 { name.removeLast() }
            self.name = String(name)
        }

        var route: AudioRoute? {
            switch name {
            case "Speaker": .speaker
            case "Earpiece", "Handset": .receiver
            case "Headphones", "Headphone": .headphone
            case "Headset": .headset
            case "Line": .line
            default: nil
            }
        }

        var isHeadphone: Bool { route == .headphone || route == .headset }
        var isMicrophone: Bool { name == "Mic" || name == "Headset" }
    }
}

/// A sound card as /proc/asound/cards lists it.
struct ListedSoundCard: Sendable {
    let number: Int
    let id: String
    let driver: String
    var longName: String

    /// Parses two lines for each card: " 0 [Dummy          ]: Dummy - Dummy", and the long name.
    static func list(_ text: String) -> [ListedSoundCard] {
        /// The first word: bytes take less code than characters.
        func word(_ bytes: ArraySlice<UInt8>) -> String {
            String(decoding: bytes.drop { $0 == 0x20 }.prefix { $0 != 0x20 }, as: UTF8.self)
        }
        var cards: [ListedSoundCard] = []
        for line in Array(text.utf8).split(separator: 0x0a) {
            guard let open = line.firstIndex(of: 0x5b), let number = Int(word(line[..<open])),
                let close = line[open...].firstIndex(of: 0x5d)
            else {
                if let last = cards.indices.last, cards[last].longName.isEmpty {
                    cards[last].longName = String(decoding: line.drop { $0 == 0x20 }, as: UTF8.self)
                }
                continue
            }
            // "]: driver - name"; the driver is up to 15 characters without spaces.
            let (id, driver) = (word(line[open..<close].dropFirst()), word(line[close...].dropFirst(2)))
            cards.append(ListedSoundCard(number: number, id: id, driver: driver, longName: ""))
        }
        return cards
    }
}

/// The texts of values in a use-case configuration.
enum UseCaseText {
    /// The PCM to open for a PlaybackPCM. `hw` converts nothing; "_ucm0001." is the prefix of a private configuration.
    static func pcm(_ value: String) -> String {
        var name = Substring(value)
        if name.hasPrefix("_ucm"), let dot = name.firstIndex(of: ".") { name = name[name.index(after: dot)...] }
        return name.hasPrefix("hw:") ? "plug\(name)" : String(name)
    }

    /// The mixer's element of a volume control: "DAC" for "name='DAC Playback Volume'".
    static func volume(_ value: String) -> String {
        let name = name(value)
        for end in [" Playback Volume", " Volume"] where name.hasSuffix(end) { return String(name.dropLast(end.count)) }
        return name
    }

    /// The name in the identifier of an element or a control: "Speaker", "'Speaker',0", "iface=CARD,name='Mic Jack'".
    static func name(_ value: String) -> String {
        let fields = value.split(separator: ",")
        let named = fields.first { $0.hasPrefix("name=") }?.dropFirst(5)
        let name = named ?? fields.first ?? ""
        return String(decoding: name.utf8.filter { $0 != 0x27 && $0 != 0x22 }, as: UTF8.self)
    }
}
