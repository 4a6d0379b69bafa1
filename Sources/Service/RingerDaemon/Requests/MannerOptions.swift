import RingerCore
import RingerBus

/// The options of a sound in a category or a session: from which frame, how often and how loud it is played.
struct MannerOptions: Sendable {
    private let first: UInt32
    private let rounds: UInt32
    private let volume: Double
    private let announcement: AnnouncementVolume?

    /// Takes the options.
    init(_ options: inout BusOptions) throws {
        first = try options.uint32("from") ?? 0
        rounds = try options.uint32("rounds") ?? 1
        volume = try options.number("volume", in: 0...1) ?? 1
        announcement = try options.number("announcement", in: -1...1).map { $0 < 0 ? .preferred : .own(Float($0)) }
        if rounds == 0 { throw BusError.invalidArguments("Play: the option rounds is at least 1") }
    }

    /// Whether the sound is played more than once, possibly without end.
    var isRepeated: Bool { rounds > 1 }

    /// The manner of playing this sound. `volume` was set since.
    func manner(of sound: PCMBuffer, volume: Float?) -> SoundManner {
        let most = SoundManner.most(of: sound)
        return SoundManner(
            first: min(Int(clamping: first), sound.frames),
            rounds: rounds == .max ? most : min(Int(clamping: rounds), most),
            volume: volume ?? Float(self.volume), announcement: announcement)
    }
}
