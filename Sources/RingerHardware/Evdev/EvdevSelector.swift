import CEvdev
import RingerServices
import SystemPackage

/// Which input device to use.
public struct EvdevSelector: Sendable, Hashable {
    /// The device's file; nil for the first device that can do what is wanted.
    public var path: FilePath?
    /// A part of the name that its driver gives it; nil for any. It holds for a device named by its file too.
    public var name: String?

    /// The device at `path`, which may be a link such as udev's in /dev/input/by-path.
    public static func path(_ path: FilePath) -> EvdevSelector { EvdevSelector(path: path) }

    /// The first device that can do what is wanted, of those whose name has `name` in it.
    public static func automatic(name: String? = nil) -> EvdevSelector { EvdevSelector(name: name) }

    /// The device at `path`, or the first one, of those whose name has `name` in it.
    public init(path: FilePath? = nil, name: String? = nil) {
        self.path = path
        self.name = name
    }

    /// The directory where the device comes and goes.
    func directory(_ paths: HardwarePaths) -> FilePath {
        guard let path else { return paths.input }
        let parent = path.removingLastComponent()
        return parent.isEmpty ? "." : parent
    }

    /// The device, for people, before it is open.
    var description: String {
        let device = path?.string ?? "auto"
        return name.map { "\(device) (\($0))" } ?? device
    }

    /// Opens the device that can do what is `wanted`, as the error names it: "SW_MUTE_DEVICE".
    func open(
        in paths: HardwarePaths, access: EvdevHandle.Access = .read, wanted: String,
        where can: (borrowing EvdevHandle) -> Bool
    ) throws(RingerError) -> EvdevHandle {
        if let path {
            let handle = try EvdevHandle(path, access)
            guard matches(handle) else {
                throw RingerError(
                    .notFound, "find \"\(name ?? "")\"", path.string, detail: "it is \"\(handle.deviceName)\"")
            }
            guard can(handle) else {
                throw RingerError(.unsupported, "use \(wanted)", handle.description, detail: "the device has none")
            }
            return handle
        }
        var denied: RingerError?
        for file in DirectoryListing.numbered("event", in: paths.input) {
            do throws(RingerError) {
                let handle = try EvdevHandle(paths.input.appending(file), access)
                if matches(handle) && can(handle) { return handle }
            } catch {
                // A device that is just going is no reason to look no further; one that is forbidden may be the one.
                if error.code == .permissionDenied { denied = denied ?? error }
            }
        }
        if let denied { throw denied }
        let named = name.map { " named \"\($0)\"" } ?? ""
        throw RingerError(.notFound, "find an input device\(named) with \(wanted)", paths.input.string)
    }

    /// Opens the device that has `code`. Where sysfs shows which device that is and its file does not open, the error is
    /// that file's.
    func open(in paths: HardwarePaths, code: EvdevCode) throws(RingerError) -> EvdevHandle {
        do throws(RingerError) {
            return try open(in: paths, wanted: code.description) { $0.has(code) }
        } catch {
            if path == nil, let better = failure(in: paths, code: code) { throw better }
            throw error
        }
    }

    /// Why the device that sysfs shows to have `code` does not open; nil where it opens, or sysfs shows none.
    private func failure(in paths: HardwarePaths, code: EvdevCode) -> RingerError? {
        let evidence = SwitchEvidence(paths)
        for file in evidence.inputDevices
        where evidence.has(code, inputDevice: file) && matches(evidence.name(ofInputDevice: file)) {
            let path = paths.input.appending(file)
            do throws(RingerError) {
                _ = try EvdevHandle(path)
            } catch {
                return error.errno == .noSuchFileOrDirectory ? HardwareProblem.missingFile(path).error : error
            }
        }
        return nil
    }

    private func matches(_ handle: borrowing EvdevHandle) -> Bool { matches(handle.deviceName) }

    private func matches(_ deviceName: String) -> Bool {
        guard let name else { return true }
        return deviceName.contains(part: name)
    }
}

extension String {
    /// Whether `part` stands somewhere in the string.
    ///
    /// The standard library's own search brings the regular expressions with it: 1.3 MB in a static firmware.
    func contains(part: String) -> Bool {
        let part = Array(part.utf8)
        guard !part.isEmpty else { return true }
        let whole = Array(utf8)
        guard part.count <= whole.count else { return false }
        return (0...whole.count - part.count).contains { whole[$0..<$0 + part.count].elementsEqual(part) }
    }
}
