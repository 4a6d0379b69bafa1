import CLinux
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
        var files: [CInt: CallerFile] = [:]
        try self.init(value, of: member, &files)
    }

    /// As ``init(_:of:)``, for one of several sounds of a message, whose files are kept in `files`, by their descriptors.
    init(_ value: BusValue, of member: String, _ files: inout [CInt: CallerFile]) throws(BusError) {
        switch value.contents {
        case .uint32(let number): self = .number(SystemSoundID(rawValue: number))
        case .string(""): self = .standard
        case .string(let name):
            guard let sound = PredefinedSound.all.first(where: { $0.name == name }) else {
                throw BusError(RingerError(.notFound, "look for the sound", name))
            }
            self = .number(SystemSoundID(rawValue: sound.id))
        case .descriptor(let descriptor):
            if let file = files[descriptor] {
                self = .file(file)
            } else {
                let file = try CallerFile(descriptor)
                files[descriptor] = file
                self = .file(file)
            }
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
        guard CallerDescriptors.include(duplicate) else {
            close(duplicate)
            throw .limitsExceeded("callers have as many files open here as they may have")
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

/// The share of the process's descriptors that callers may take: the lower half of the table, whose free numbers the kernel
/// gives out first. In the upper half there is always room for the descriptors of the next message: the connection to the bus
/// does not survive a message that the kernel could not deliver whole.
enum CallerDescriptors {
    /// Whether a descriptor that was made for a caller is within the share.
    static func include(_ descriptor: CInt) -> Bool { descriptor < getdtablesize() / 2 }

    /// Whether callers may take more.
    static var areLeft: Bool {
        let descriptor = ringer_eventfd()
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return include(descriptor)
    }
}
