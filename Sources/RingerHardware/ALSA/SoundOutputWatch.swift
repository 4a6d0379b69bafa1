import RingerServices
import Synchronization
import SystemPackage

/// Tells when the PCM that sounds go to is gone, and when it is back: a card that was unplugged, a sound server that
/// ended. It is the PCM of the routes that have none of their own.
///
/// That it is gone is found when a sound fails; an output that is not used is not asked. When the cards' directory changes
/// after that, the PCM is opened to see, and closed again; a sound server's return shows with the next sound. Nothing
/// polls.
public final class SoundOutputWatch: DeviceStateSource {
    /// "ALSA default".
    public let name: String
    private let output: ALSASoundOutput
    private let loop: EventLoop
    private let directory: FilePath
    private let watch = Mutex<DirectoryWatch?>(nil)

    /// A watch of `output`; one at a time can watch it.
    ///
    /// - Parameters:
    ///   - output: The output.
    ///   - loop: The thread that the cards' directory is watched on. What is found is told on the output's own.
    ///   - paths: Where the cards' files come and go.
    public init(_ output: ALSASoundOutput, loop: EventLoop, paths: HardwarePaths = .standard) {
        name = output.name
        self.output = output
        self.loop = loop
        directory = paths.sound
    }

    deinit {
        output.thread.unwatchLossSoon()
        watch.withLock { $0 }?.closeSoon()
    }

    /// Begins to watch. What is so now is told before it returns: an output that was not used yet is not lost.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        let directoryWatch = try DirectoryWatch(directory, loop: loop) { [weak thread = output.thread] in
            thread?.lookForLost()
        }
        let isFirst = watch.withLock { watch in
            guard watch == nil else { return false }
            watch = directoryWatch
            return true
        }
        guard isFirst else {
            directoryWatch.close()
            throw RingerError(.invalid, "watch", name, detail: "it is being watched already")
        }
        output.thread.watchLoss(of: output.pcm) { handler(.outputLost($0)) }
    }

    /// Ends watching. It may be called from anywhere, the handler included; elsewhere it waits for a call of the handler
    /// that is under way, so the caller must hold no lock that the handler takes.
    public func close() {
        output.thread.unwatchLoss()
        watch.withLock { $0.take() }?.close()
    }
}
