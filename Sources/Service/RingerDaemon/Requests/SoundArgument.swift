import Glibc
import RingerCore
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

    /// - Parameters:
    ///   - value: A variant of a number (`u`), a name (`s`) or a descriptor (`h`).
    ///   - client: The caller.
    init(_ value: BusValue, of member: String, for client: ServiceClient) throws {
        var files: [CInt: CallerFile] = [:]
        try self.init(value, of: member, for: client, &files)
    }

    /// As ``init(_:of:for:)``, for one of several sounds of a message, whose files are kept in `files`, by their descriptors.
    init(
        _ value: BusValue, of member: String, for client: ServiceClient, _ files: inout [CInt: CallerFile]
    ) throws {
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
                let file = try CallerFile(descriptor, try client.take(.descriptors))
                files[descriptor] = file
                self = .file(file)
            }
        default:
            throw BusError.invalidArguments("\(member): a sound is a number (u), a name (s) or a descriptor (h)")
        }
    }

    /// The sound's samples, which `share` takes of the budget.
    func samples(
        _ sounds: SystemSoundServices, _ reads: FileReads, for share: BudgetShare
    ) async throws -> PCMBuffer {
        switch self {
        case .file(let file): return try await reads.load(file, for: share)
        case .number(let id): return try await reads.samples(of: id, sounds, for: share)
        case .standard: throw RingerError(.invalid, "play", "a sound without a name")
        }
    }

    /// Calls `body` with the sound as a system sound: a file is registered meanwhile. One that cannot be read goes to `failed`;
    /// without that it fails the request, unless that is an alert, which vibrates.
    func withSystemSound(
        _ sounds: SystemSoundServices, _ reads: FileReads, for share: BudgetShare, isAlert: Bool = false,
        failed: ((RingerError) async -> RequestEnd)? = nil, body: (SystemSoundID) async throws -> RequestEnd
    ) async throws -> RequestEnd {
        switch self {
        case .number(let id): return try await body(id)
        case .file(let file):
            let id: SystemSoundID
            do {
                id = try sounds.register(try await reads.load(file, maximumDuration: .seconds(30), for: share))
            } catch let error as RingerError where isAlert || failed != nil {
                if let failed { return await failed(error) }
                id = try sounds.register(failed: error)
            }
            defer { try? sounds.dispose(id) }
            return try await body(id)
        case .standard: throw RingerError(.invalid, "play", "a sound without a name")
        }
    }
}

/// A file whose descriptor a caller sent: a duplicate of its own, closed with the last reference. Any thread.
final class CallerFile: Sendable {
    private static let name = "the caller's file"
    private let descriptor: FileDescriptor
    /// The descriptor's part of the budget.
    private let share: BudgetShare

    /// - Parameter share: Has taken a descriptor.
    init(_ descriptor: CInt, _ share: BudgetShare) throws(RingerError) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else {
            throw RingerError("keep", Self.name, Errno(rawValue: errno))
        }
        self.descriptor = FileDescriptor(rawValue: duplicate)
        self.share = share
    }

    deinit {
        try? descriptor.close()
    }

    /// The file for reading while `isWanted` returns true. The file system may be the caller's own, and never answer a question
    /// for the file's size.
    ///
    /// - Throws: where the descriptor is not a file's: a FIFO or a socket may keep the reader waiting for ever.
    func open(while isWanted: @escaping @Sendable () -> Bool) throws(RingerError) -> FileByteSource {
        try FileByteSource(descriptor, name: Self.name, while: isWanted)
    }
}
