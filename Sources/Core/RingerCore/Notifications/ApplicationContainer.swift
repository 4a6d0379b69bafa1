import Glibc
import SystemPackage

/// An application's directory, which holds its notification sounds.
public struct ApplicationContainer: Sendable, Hashable {
    /// The directory.
    public var directory: String
    /// The application's bundle; nil for the directory's first entry that ends in `.app`, or without one the directory
    /// itself.
    public var bundle: String?
    /// Whether the application may send critical alerts.
    public var allowsCriticalAlerts: Bool
    /// Another directory whose `Library/Sounds` is searched, after that of ``directory``.
    package var otherDirectory: String?

    /// The container at `directory`.
    public init(_ directory: String, bundle: String? = nil, allowsCriticalAlerts: Bool = false) {
        self.directory = directory
        self.bundle = bundle
        self.allowsCriticalAlerts = allowsCriticalAlerts
    }

    /// Checks the name of a sound.
    ///
    /// - Throws: ``RingerError`` with code `invalid` if it is empty or leads elsewhere: it has a slash, `..` or a zero byte.
    static func check(_ name: String) throws(RingerError) {
        guard !name.isEmpty, name != ".", !name.utf8.contains(0), !name.utf8.contains(UInt8(ascii: "/")) else {
            throw RingerError(.invalid, "look for the sound", name, detail: "it is no plain file name")
        }
        let bytes = Array(name.utf8)
        for (one, other) in zip(bytes, bytes.dropFirst()) where one == UInt8(ascii: ".") && other == one {
            throw RingerError(.invalid, "look for the sound", name, detail: "\"..\" may lead out of the container")
        }
    }

    /// The first of the files of this name that is there, decoded. The name was checked.
    func sound(named name: String) throws(RingerError) -> PCMBuffer {
        for file in files(named: name) {
            do throws(RingerError) {
                let source = try FileByteSource(file)
                let (info, limit) = (try SoundLoader.info(source, nil), SoundLimits.systemSoundDuration)
                // What fills up the last packet is no part of the sound.
                guard Double(info.minimumFrames) < limit.inSeconds * info.sampleRate else {
                    throw RingerError(
                        .soundTooLong, "play", file.path,
                        detail: "\(info.duration.inSeconds) s are not shorter than 30 s")
                }
                return try SoundLoader.load(source, limit)
            } catch {
                if error.code != .notFound { throw error }
            }
        }
        throw RingerError(.notFound, "look for the sound", name)
    }

    /// The files to look for, in order: `name` in each `Library/Sounds`, then in the bundle.
    func files(named name: String) -> [ContainedFile] {
        let inBundle =
            if let bundle {
                ContainedFile(directory: bundle, relativePath: name)
            } else {
                ContainedFile(
                    directory: directory, relativePath: FileWait.during(foundBundle).map { "\($0)/\(name)" } ?? name)
            }
        return [directory, otherDirectory].compactMap { home in
            home.map { ContainedFile(directory: $0, relativePath: "Library/Sounds/" + name) }
        } + [inBundle]
    }

    /// The name of the directory's first entry that is marked as a bundle; nil if there is none.
    private func foundBundle() -> String? {
        // SAFETY: opendir returns nil or a stream that is closed below.
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        var bundles: [String] = []
        // SAFETY: readdir returns nil or an entry that is valid until the next call; its name ends in a zero byte.
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".app") { bundles.append(name) }
        }
        return bundles.min()
    }
}
