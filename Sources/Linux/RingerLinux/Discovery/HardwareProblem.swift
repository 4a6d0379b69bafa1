import Glibc
import RingerCore
import SystemPackage

/// A part of the hardware that exists and cannot be used.
package struct HardwareProblem: Sendable, Hashable {
    /// The operation, the part and the reason.
    package var error: RingerError
    /// The group of the part's file, if the process may not open it; nil if the group may not either, or is root's.
    package var group: String?
    /// How to repair it; nil if that is not known.
    package var repair: Repair?

    package init(error: RingerError, group: String? = nil, repair: Repair? = nil) {
        self.error = error
        self.group = group
        self.repair = repair
    }

    /// The problem that `error` is for the file at `path`. If permission is missing, names the group that has it and
    /// the command that joins the group.
    init(_ error: RingerError, _ path: FilePath) {
        self.init(error: error)
        guard error.code == .permissionDenied else { return }
        var status = stat()
        guard stat(path.string, &status) == 0 else { return }
        let mayOpen = status.st_mode & S_IRGRP != 0 && status.st_mode & S_IWGRP != 0
        if mayOpen && status.st_gid != 0 {
            let name = Account.group(status.st_gid)
            group = name
            repair = .join(name)
            if self.error.detail == nil { self.error.detail = "\(Account.user(geteuid())) is not in the group \(name)" }
        } else if path.starts(with: "/dev") {
            repair = .deviceRule(path)
        } else if path.starts(with: HardwarePaths.standard.leds), let led = path.removingLastComponent().lastComponent {
            repair = .lightRule(led.string)
        }
    }

    /// The kernel has the device of the file at `path`, but the file is missing.
    static func missingFile(_ path: FilePath) -> HardwareProblem {
        HardwareProblem(
            error: RingerError(
                "open", path.string, .noSuchFileOrDirectory,
                detail: "the kernel has this device: let the container or the systemd unit have its file, "
                    + "DeviceAllow= without PrivateDevices="))
    }

    /// `error` with the command that repairs it in its detail, if one is known.
    static func explain(_ error: RingerError) -> RingerError {
        guard error.subject.hasPrefix("/") else { return error }
        let problem = HardwareProblem(error, FilePath(error.subject))
        guard let repair = problem.repair else { return problem.error }
        var error = problem.error
        error.detail = (error.detail.map { $0 + "; " } ?? "") + "as root: \(repair)"
        return error
    }

    /// Where files of sound cards are there and this process may open none of their cards; nil otherwise.
    package static func soundCards(_ folder: FilePath = HardwarePaths.standard.sound) -> HardwareProblem? {
        let cards = DirectoryListing.numbered("controlC", in: folder).map { folder.appending($0) }
        guard let first = cards.first, !cards.contains(where: { access($0.string, R_OK | W_OK) == 0 }) else {
            return nil
        }
        return HardwareProblem(RingerError("open", first.string, .current), first)
    }
}

/// Names of users and groups.
enum Account {
    /// The user's name, or its number if it has no name.
    static func user(_ id: uid_t) -> String { name(of: id) ?? "\(id)" }

    /// The user's name; nil if it has none. The corresponding C function is `getpwuid_r`.
    static func name(of id: uid_t) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer: [CChar] = Array(repeating: 0, count: 4096)
        guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.pw_name else {
            return nil
        }
        return String(cString: name)
    }

    /// The group's name, or its number if it has no name. The corresponding C function is `getgrgid_r`.
    static func group(_ id: gid_t) -> String {
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer: [CChar] = Array(repeating: 0, count: 16_384)
        guard getgrgid_r(id, &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.gr_name else {
            return "\(id)"
        }
        return String(cString: name)
    }
}
