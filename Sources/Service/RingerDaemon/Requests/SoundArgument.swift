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
    init(_ value: BusValue, of member: String) throws {
        var files: [CInt: CallerFile] = [:]
        try self.init(value, of: member, &files)
    }

    /// As ``init(_:of:)``, for one of several sounds of a message, whose files are kept in `files`, by their descriptors.
    init(_ value: BusValue, of member: String, _ files: inout [CInt: CallerFile]) throws {
        switch value.contents {
        case .uint32(let number): self = .number(SystemSoundID(rawValue: number))
        case .string(""): self = .standard
        case .string(let name):
            guard let sound = PredefinedSound.all.first(where: { $0.name == name }) else {
                throw RingerError(.notFound, "look for the sound", name)
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
            throw BusError.invalidArguments("\(member): a sound is a number (u), a name (s) or a descriptor (h)")
        }
    }

    /// The sound's samples.
    func samples(_ sounds: SystemSoundServices, _ reads: FileReads) async throws -> PCMBuffer {
        switch self {
        case .file(let file): return try await reads.load(file)
        case .number(let id):
            guard let samples = try sounds.samples(of: id) else {
                throw RingerError(.notFound, "look for the sound", "system sound \(id)")
            }
            return samples
        case .standard: throw RingerError(.invalid, "play", "a sound without a name")
        }
    }

    /// Calls `body` with the sound as a system sound: a file is registered meanwhile.
    func withSystemSound(
        _ sounds: SystemSoundServices, _ reads: FileReads, _ body: (SystemSoundID) async throws -> RequestEnd
    ) async throws -> RequestEnd {
        switch self {
        case .number(let id): return try await body(id)
        case .file(let file):
            let id = try sounds.register(try await reads.load(file, maximumDuration: .seconds(30)))
            defer { try? sounds.dispose(id) }
            return try await body(id)
        case .standard: throw RingerError(.invalid, "play", "a sound without a name")
        }
    }
}

/// A file whose descriptor a caller sent: a duplicate of its own, closed with the last reference. It is used on any
/// thread, and reads on one of its own.
final class CallerFile: Sendable {
    private let source: FileByteSource

    /// - Throws: where the descriptor is not a file's: a FIFO or a socket may keep the reader waiting for ever.
    init(_ descriptor: CInt) throws {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else {
            throw RingerError("keep the caller's file", "descriptor", Errno(rawValue: errno))
        }
        guard CallerDescriptors.include(duplicate) else {
            close(duplicate)
            throw BusError.limitsExceeded("callers have as many files open here as they may have")
        }
        source = try FileByteSource(owning: FileDescriptor(rawValue: duplicate), name: "the caller's file")
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
