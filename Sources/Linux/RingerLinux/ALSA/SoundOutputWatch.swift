import RingerCore
import Synchronization
import SystemPackage

/// Reports when the PCM of an output disappears and when it is back: a card that was unplugged, a sound server that
/// ended. It watches the PCM of the routes that have no PCM of their own.
///
/// A loss is noticed when a sound fails; an idle output is not checked. After a loss, each change of the cards'
/// directory makes it open and close the PCM; the return of a sound server is noticed with the next sound. It does not
/// poll. Any thread may use it; it reports on the output's sound thread.
public final class SoundOutputWatch: DeviceStateSource {
    /// "ALSA default".
    public let name: String
    private let output: ALSASoundOutput
    private let loop: EventLoop
    private let directory: FilePath
    private let watch = Mutex<DirectoryWatch?>(nil)

    /// A watch of `output`, which can have one watch at a time.
    ///
    /// - Parameters:
    ///   - output: The output.
    ///   - loop: The thread that watches the cards' directory. Reports are made on the output's own thread.
    ///   - paths: Where the cards' files come and go.
    public init(_ output: ALSASoundOutput, loop: EventLoop, paths: HardwarePaths = .standard) {
        name = output.name
        self.output = output
        self.loop = loop
        directory = paths.sound
    }

    deinit {
        output.thread.unwatchLoss()
        watch.withLock { $0 }?.closeSoon()
    }

    /// Starts watching. Reports the current state before it returns: an output that was not used yet is not lost.
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

    /// Ends watching, without waiting for the sound thread: a call of the handler that has begun may end later.
    public func close() {
        output.thread.unwatchLoss()
        watch.withLock { $0.take() }?.close()
    }
}
