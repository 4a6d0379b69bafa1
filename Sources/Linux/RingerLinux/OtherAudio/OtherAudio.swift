import Glibc
import RingerCore
import SystemPackage

/// Finds out whether another process plays sound: whether a playback substream runs that this process did not open.
///
/// The kernel sends no event when a substream starts or stops, so this is answered on request and cannot be watched. It
/// reads a few small files. Sound that a process plays through a sound server belongs to the server, and through `dmix`
/// to the process that opened the device first. The corresponding kernel interface is
/// /proc/asound/card*/pcm*p/sub*/status, which needs CONFIG_SND_VERBOSE_PROCFS; without it nothing is found.
public struct OtherAudio: Sendable {
    private let processes: FilePath

    /// Reads the processes' state below `paths`.
    public init(paths: HardwarePaths = .standard) {
        processes = paths.processes
    }

    /// Whether a playback substream is running or draining that no thread of `process` opened.
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
                    // A card that is disappearing does not play.
                    guard let text = try? status.read() else { continue }
                    found.append(PCMSubstream(status: text))
                }
            }
        }
        return found
    }

    /// Whether `owner`, a thread number of the kernel, is a thread of `process`. The owner of a substream is the thread
    /// that opened it, which may have ended since.
    private func isThread(_ owner: Int32?, of process: Int32) -> Bool {
        guard let owner else { return false }
        if owner == process { return true }
        let thread = processes.appending("\(process)").appending("task").appending("\(owner)")
        return access(thread.string, F_OK) == 0
    }
}

/// The state of a PCM substream according to /proc/asound.
struct PCMSubstream: Sendable, Hashable {
    /// Whether it is running or draining.
    var isPlaying: Bool
    /// The thread that opened it; nil if it is closed, or the thread is outside of this process's PID namespace.
    var owner: Int32?

    /// Parses the text of a `status` file: "closed", or lines of names and values such as "state: RUNNING" and
    /// "owner_pid   : 812".
    init(status text: String) {
        isPlaying = false
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].prefix { $0 != " " }
            let value = line[line.index(after: colon)...].drop { $0 == " " }.prefix { $0 != " " }
            switch name {
            case "state": isPlaying = value == "RUNNING" || value == "DRAINING"
            // 0 is a process in another PID namespace.
            case "owner_pid": owner = Int32(value).flatMap { $0 > 0 ? $0 : nil }
            default: break
            }
        }
    }
}
