import CALSA
import Glibc
import RingerCore
import SystemPackage

/// The microphone over ALSA: the first capture PCM in the kernel's order, or a named one.
///
/// Each request opens it without conversion and closes it before it answers; nothing is recorded. Any thread may
/// ask; PCMs are opened on the output's thread for that.
public final class ALSASoundInput: SoundInput {
    /// "capture PCM".
    public let name = "capture PCM"
    private let pcm: String?
    private let thread: SoundThread
    private let directory: FilePath

    /// - Parameters:
    ///   - pcm: The PCM's name in ALSA's configuration; nil for the first capture PCM of the lowest card.
    ///   - output: The output whose PCM-opening thread is used.
    ///   - paths: Where the cards' files are.
    public init(pcm: String? = nil, beside output: ALSASoundOutput, paths: HardwarePaths = .standard) {
        self.pcm = pcm
        thread = output.thread
        directory = paths.sound
    }

    /// Opens the PCM and configures it as near as possible to the preferred rate (48,000 Hz without one), in stereo.
    public func ask(
        _ preferences: SessionPreferences, pcm: String? = nil,
        completion: @escaping @Sendable (Result<SoundPortFormat, RingerError>) -> Void
    ) {
        let pcm = pcm ?? self.pcm
        thread.opener.open(
            pcm.map { "\(name) \($0)" } ?? name,
            { [self] () -> Result<SoundPortFormat, RingerError> in
                do throws(RingerError) {
                    return .success(try format(preferences, pcm))
                } catch {
                    return .failure(error)
                }
            }, completion: completion)
    }

    private func format(
        _ preferences: SessionPreferences, _ pcm: String?
    ) throws(RingerError) -> SoundPortFormat {
        if thread.isClosed { throw RingerError(.closed, "open", name) }
        guard let pcm = pcm ?? Self.first(in: directory) else {
            throw RingerError(.notFound, "find a capture PCM", directory.string)
        }
        ALSAMessages.keepOnThisThread()
        let open = try OpenPCM(pcm, subject: PCMHandle.subject(pcm), for: SND_PCM_STREAM_CAPTURE)
        let format = try open.configureCapture(preferences)
        return SoundPortFormat(
            sampleRate: Double(format.sampleRate), channels: format.channels, bufferDuration: format.period,
            latency: format.period)
    }

    /// The first capture PCM in `directory`: "hw:0,0" for the file `pcmC0D0c`.
    static func first(in directory: FilePath) -> String? {
        DirectoryListing.names(in: directory).compactMap(device(ofFile:)).min { $0 < $1 }
            .map { "hw:\($0.card),\($0.device)" }
    }

    /// The card and device of the capture PCM with the file `name`: "pcmC0D0c"; nil if the file is another.
    static func device(ofFile name: String) -> (card: Int, device: Int)? {
        guard name.hasPrefix("pcmC"), name.hasSuffix("c") else { return nil }
        let numbers = name.dropFirst(4).dropLast().split(separator: "D", omittingEmptySubsequences: false)
        guard numbers.count == 2, let card = Int(numbers[0]), let device = Int(numbers[1]) else { return nil }
        return (card, device)
    }
}
