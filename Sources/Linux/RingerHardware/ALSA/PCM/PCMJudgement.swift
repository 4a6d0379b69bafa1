import CALSA
import RingerCore

extension OutputJudgement {
    /// The judgement in the description of a PCM; nil if no plug-in `ringer` is on the way, or it plays everything: because
    /// the switch does not silence its category, or because it plays without a service.
    init?(_ description: some StringProtocol) {
        var values: [Substring: String] = [:]
        for line in description.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":"), let name = line[..<colon].split(separator: " ").first else {
                continue
            }
            values[Substring(name)] = line[line.index(after: colon)...].split(separator: " ").joined(separator: " ")
        }
        guard let category = values["category"].flatMap(AudioCategory.init(rawValue:)) else { return nil }
        let isJudged =
            category.isSilencedBySwitch
            || values["options"]?.split(separator: " ").contains("honoursRingSilentSwitch") == true
        switch values["sound"] {
        case "heard" where isJudged: self = .heard
        case "silenced" where isJudged: self = .silenced
        case "interrupted": self = .interrupted
        case "unjudged, silent": self = .unjudged
        default: return nil
        }
    }

    /// The judgement of `pcm`.
    init?(of pcm: OpaquePointer) {
        guard let description = PCMDescription.text(of: pcm) else { return nil }
        self.init(description)
    }
}
