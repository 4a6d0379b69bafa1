import RingerCore

extension AudioCategory {
    /// The category of that name in any case, of Apple's name for it (`AVAudioSessionCategoryPlayback`,
    /// `kAudioSessionCategory_MediaPlayback`) or of Apple's code (`medi`).
    public init?(argument: String) {
        var name = argument.folded
        for prefix in ["avaudiosessioncategory", "kaudiosessioncategory"] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
        }
        guard let category = Self.allCases.first(where: { $0.names.contains(name) }) else { return nil }
        self = category
    }

    /// Every name of the category, folded: its own, Apple's older ones, Apple's codes.
    private var names: [String] {
        switch self {
        case .ambient: ["ambient", "ambientsound", "userinterfacesoundeffects", "ambi", "uifx"]
        case .soloAmbient: ["soloambient", "soloambientsound", "solo"]
        case .playback: ["playback", "mediaplayback", "liveaudio", "medi", "live"]
        case .record: ["record", "recordaudio", "reca"]
        case .playAndRecord: ["playandrecord", "plar"]
        case .audioProcessing: ["audioprocessing", "proc"]
        case .multiRoute: ["multiroute"]
        }
    }
}
