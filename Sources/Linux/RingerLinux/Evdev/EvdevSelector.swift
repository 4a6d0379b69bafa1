import CEvdev
import RingerCore
import SystemPackage

/// Which input device to use.
public struct EvdevSelector: Sendable, Hashable {
    /// The device's file; nil for the first device with the wanted capability.
    public var path: FilePath?
    /// A part of the device's name; nil for any. Applies also if ``path`` is set.
    public var name: String?

    /// The device at `path`, which may be a link such as udev's in /dev/input/by-path.
    public static func path(_ path: FilePath) -> EvdevSelector { EvdevSelector(path: path) }

    /// The first device with the wanted capability whose name contains `name`.
    public static func automatic(name: String? = nil) -> EvdevSelector { EvdevSelector(name: name) }

    /// The device at `path`, or the first one, whose name contains `name`.
    public init(path: FilePath? = nil, name: String? = nil) {
        self.path = path
        self.name = name
    }

    /// The directory that the device's file is in.
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

    /// Opens the selected device. `wanted` names the capability in errors: "SW_MUTE_DEVICE".
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
        var failure: RingerError?
        for file in try DirectoryListing.existing("event", in: paths.input) {
            do throws(RingerError) {
                let handle = try EvdevHandle(paths.input.appending(file), access)
                if matches(handle) && can(handle) { return handle }
            } catch {
                // Skip a device that is disappearing, and a file that is none; remember one that is forbidden or failed, since
                // it may be the wanted one.
                switch error.code {
                case .notFound, .disconnected, .unsupported, .invalid: break
                default: failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        let named = name.map { " named \"\($0)\"" } ?? ""
        throw RingerError(.notFound, "find an input device\(named) with \(wanted)", paths.input.string)
    }

    /// Opens the device that has `code`. If sysfs shows which device has it and that device's file does not open,
    /// throws the error of that file.
    func open(in paths: HardwarePaths, code: EvdevCode) throws(RingerError) -> EvdevHandle {
        do throws(RingerError) {
            return try open(in: paths, wanted: code.description) { handle in
                // A keyboard's key has to be named.
                handle.has(code) && (path != nil || code.type != EvdevCode.mute.type || !handle.has(.letterA))
            }
        } catch {
            if path == nil, let better = failure(in: paths, code: code) { throw better }
            throw error
        }
    }

    /// Why the device that has `code` according to sysfs does not open; nil if it opens, or sysfs shows none.
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
    /// Whether the string contains `part`.
    ///
    /// The standard library's own search links its regular expressions: 1.3 MB in a static firmware.
    func contains(part: String) -> Bool {
        let part = Array(part.utf8)
        guard !part.isEmpty else { return true }
        let whole = Array(utf8)
        guard part.count <= whole.count else { return false }
        return (0...whole.count - part.count).contains { whole[$0..<$0 + part.count].elementsEqual(part) }
    }
}
