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
        substreams.contains { $0.state.isPlaying && !isThread($0.state.owner, of: process) }
    }

    /// The programs that have a sound card's playback PCM open, in the order of cards, but for those whose name is one of `names`.
    ///
    /// Of programs that share a card by `dmix` it is the one that opened the card.
    package func programs(otherThan names: Set<String>) -> [PCMProgram] {
        substreams.compactMap { pcm, state in
            guard state.isOpen else { return nil }
            // The thread that opened it; its process has the name by which users know it.
            let process = state.owner.flatMap { status(of: $0, "Tgid:") }.flatMap { Int32($0) }
            let name = process.flatMap { status(of: $0, "Name:") }
            return name.map(names.contains) == true ? nil : PCMProgram(pcm: pcm, process: process, name: name)
        }
    }

    /// The value of the line of /proc/PID/status that begins with `name`; nil where the process has ended.
    private func status(of process: Int32, _ name: String) -> String? {
        let file = AttributeFile(path: processes.appending("\(process)").appending("status"))
        // The kernel escapes line feeds of a name, and no carriage return.
        let lines = (try? file.read())?.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
        let line = lines?.first { $0.hasPrefix(name) }
        return line.map { String($0.dropFirst(name.count).drop { $0 == "\t" || $0 == " " }) }
    }

    private var substreams: [(pcm: String, state: PCMSubstream)] {
        let cards = processes.appending("asound")
        var found: [(pcm: String, state: PCMSubstream)] = []
        for card in DirectoryListing.numbered("card", in: cards) {
            let folder = cards.appending(card)
            for pcm in DirectoryListing.names(in: folder) where pcm.hasPrefix("pcm") && pcm.hasSuffix("p") {
                let streams = folder.appending(pcm)
                for name in DirectoryListing.numbered("sub", in: streams) {
                    let status = AttributeFile(path: streams.appending(name).appending("status"))
                    // A card that is disappearing does not play.
                    guard let text = try? status.read() else { continue }
                    found.append(("hw:\(card.dropFirst(4)),\(pcm.dropFirst(3).dropLast())", PCMSubstream(status: text)))
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

/// A program that has a playback PCM open.
package struct PCMProgram: Sendable, Hashable {
    /// The PCM as ALSA names it, such as "hw:0,0".
    package var pcm: String
    /// The process; nil if it is hidden or outside of this process's PID namespace, or the thread that opened the PCM has ended.
    package var process: Int32?
    /// The name of the process, of which the kernel keeps 15 bytes.
    package var name: String?
}

/// The state of a PCM substream according to /proc/asound.
struct PCMSubstream: Sendable, Hashable {
    /// Whether a program has it open.
    var isOpen: Bool
    /// Whether it is running or draining.
    var isPlaying: Bool
    /// The thread that opened it; nil if it is closed, or the thread is outside of this process's PID namespace.
    var owner: Int32?

    /// Parses the text of a `status` file: "closed", or lines of names and values such as "state: RUNNING" and
    /// "owner_pid   : 812".
    init(status text: String) {
        isPlaying = false
        isOpen = false
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].prefix { $0 != " " }
            let value = line[line.index(after: colon)...].drop { $0 == " " }.prefix { $0 != " " }
            switch name {
            case "state":
                isOpen = true
                isPlaying = value == "RUNNING" || value == "DRAINING"
            // 0 is a process in another PID namespace.
            case "owner_pid": owner = Int32(value).flatMap { $0 > 0 ? $0 : nil }
            default: break
            }
        }
    }
}
