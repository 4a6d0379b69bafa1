import Glibc
import RingerServices
import SystemPackage

/// Whether another process plays sound: whether a playback substream runs that was not opened by this one.
///
/// The kernel tells nobody when a substream starts or stops, so this is answered when it is asked, and never watched.
/// Reading it takes a few small files. What a process shares with others through a sound server or `dmix` is the
/// server's, or that of the first one that opened it. The corresponding kernel interface is
/// /proc/asound/card*/pcm*p/sub*/status, of CONFIG_SND_VERBOSE_PROCFS; without it nothing is found.
public struct OtherAudio: Sendable {
    private let processes: FilePath

    /// Looks where the kernel shows its processes.
    public init(paths: HardwarePaths = .standard) {
        processes = paths.processes
    }

    /// Whether a playback substream runs, or plays its last frames, that no thread of `process` opened.
    ///
    /// - Parameter process: The process whose own sounds do not count; by default this one.
    public func isPlaying(excluding process: Int32 = getpid()) -> Bool {
        substreams.contains { $0.isPlaying && !isThread($0.owner, of: process) }
    }

    private var substreams: [PCMSubstream] {
        let cards = processes.appending("asound")
        var found: [PCMSubstream] = []
        for card in DirectoryListing.numbered("card", in: cards) {
            let folder = cards.appending(card)
            for pcm in DirectoryListing.names(in: folder) where pcm.hasPrefix("pcm") && pcm.hasSuffix("p") {
                let streams = folder.appending(pcm)
                for name in DirectoryListing.numbered("sub", in: streams) {
                    let status = AttributeFile(path: streams.appending(name).appending("status"))
                    // A card that is just going plays no more.
                    guard let text = try? status.read() else { continue }
                    found.append(PCMSubstream(status: text))
                }
            }
        }
        return found
    }

    /// Whether `owner`, a thread as the kernel numbers it, is one of `process`. The owner of a substream is the thread
    /// that opened it, and may have ended since.
    private func isThread(_ owner: Int32?, of process: Int32) -> Bool {
        guard let owner else { return false }
        if owner == process { return true }
        let thread = processes.appending("\(process)").appending("task").appending("\(owner)")
        return access(thread.string, F_OK) == 0
    }
}
