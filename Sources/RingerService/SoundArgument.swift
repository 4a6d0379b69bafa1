import Glibc
import Ringer
import RingerBus
import SystemPackage
import SystemSounds

/// The sound of a request, as a message names it.
enum SoundArgument: Sendable {
    /// A predefined system sound.
    case number(SystemSoundID)
    /// A file that the caller opened: the service reads it without a right of its own to it.
    case file(CallerFile)
    /// The default sound: an empty name.
    case standard

    /// - Parameter value: A variant of a number (`u`), a name (`s`) or a descriptor (`h`).
    init(_ value: BusValue, of member: String) throws(BusError) {
        switch value.contents {
        case .uint32(let number): self = .number(SystemSoundID(rawValue: number))
        case .string(""): self = .standard
        case .string(let name):
            guard let sound = PredefinedSound.all.first(where: { $0.name == name }) else {
                throw BusError(RingerError(.notFound, "look for the sound", name))
            }
            self = .number(SystemSoundID(rawValue: sound.id))
        case .descriptor(let descriptor): self = .file(try CallerFile(descriptor))
        default:
            throw .invalidArguments("\(member): a sound is a number (u), a name (s) or a descriptor (h)")
        }
    }
}

/// A file whose descriptor a caller sent: a duplicate of its own, closed with the last reference.
final class CallerFile: Sendable {
    private let source: FileByteSource

    /// - Throws: where the descriptor is not a file's: a FIFO or a socket may keep the reader waiting for ever.
    init(_ descriptor: CInt) throws(BusError) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else {
            throw BusError(RingerError("keep the caller's file", "descriptor", Errno(rawValue: errno)))
        }
        do throws(RingerError) {
            source = try FileByteSource(owning: FileDescriptor(rawValue: duplicate), name: "the caller's file")
        } catch {
            throw BusError(error)
        }
    }

    /// Reads and decodes the file on a thread of its own.
    func load(maximumDuration: Duration? = nil) async throws(RingerError) -> PCMBuffer {
        try await SoundLoader.loadElsewhere(source, maximumDuration: maximumDuration)
    }
}
