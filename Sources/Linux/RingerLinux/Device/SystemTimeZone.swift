import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// The system's time zone: that of the environment variable TZ, else of `/etc/localtime`, whose change is noticed. Where neither
/// is there it is UTC, as in the C library. Any thread.
final class SystemTimeZone: TimeZoneSource {
    private struct State {
        var watch: DirectoryWatch?
        var last: Result<[UInt8], RingerError>?
    }

    private let loop: EventLoop
    private let variable: String?
    private let localtime: FilePath
    private let zones: FilePath
    private let state = Mutex(State())

    /// - Parameters:
    ///   - variable: The value of TZ.
    ///   - localtime: The file where TZ is not set.
    ///   - zones: Where the zones that TZ names are.
    init(
        loop: EventLoop, variable: String? = getenv("TZ").map { String(cString: $0) },
        localtime: FilePath = "/etc/localtime", zones: FilePath = "/usr/share/zoneinfo"
    ) {
        (self.loop, self.variable, self.localtime, self.zones) = (loop, variable, localtime, zones)
    }

    /// Why the zone cannot be read now; nil if it can.
    static func problem() -> RingerError? {
        if let variable = getenv("TZ") {
            return rules(of: String(cString: variable), "/usr/share/zoneinfo").error
        }
        switch bytes(of: "/etc/localtime") {
        case .success(let bytes): return rules(bytes, "/etc/localtime").error
        case .failure(let error): return error.code == .notFound ? nil : error
        }
    }

    func start(_ handler: @escaping @Sendable (Result<TimeZoneRules, RingerError>) -> Void) {
        if let variable { return handler(Self.rules(of: variable, zones)) }
        // All reading is on the loop's thread: the newest file is reported last.
        loop.sync { [self] in
            do throws(RingerError) {
                let watch = try DirectoryWatch(localtime.removingLastComponent(), contents: true, loop: loop) {
                    [weak self] in
                    self?.read(handler)
                }
                state.withLock { $0.watch = watch }
            } catch {
                handler(.failure(error))
            }
            read(handler)
        }
    }

    func close() {
        // The caller may be a deinitialiser, which waits for nothing.
        state.withLock { $0.watch.take() }?.closeSoon()
    }

    /// Reads `/etc/localtime`, and reports its rules unless it has not changed.
    private func read(_ handler: @Sendable (Result<TimeZoneRules, RingerError>) -> Void) {
        let result = Self.bytes(of: localtime)
        let isNews = state.withLock { state in
            defer { state.last = result }
            return state.last != result
        }
        guard isNews else { return }
        switch result {
        case .success(let bytes): handler(Self.rules(bytes, localtime))
        case .failure(let error): handler(error.code == .notFound ? .success(.utc) : .failure(error))
        }
    }

    /// The rules that a value of TZ names: a file, a zone or rules of POSIX.
    private static func rules(of variable: String, _ zones: FilePath) -> Result<TimeZoneRules, RingerError> {
        let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        if name.isEmpty { return .success(.utc) }
        let path = zones.pushing(FilePath(name))
        switch bytes(of: path) {
        case .success(let bytes): return rules(bytes, path)
        case .failure(let error) where error.code != .notFound: return .failure(error)
        // Small systems have no files of zones.
        case .failure where ["UTC", "GMT", "Etc/UTC", "Etc/GMT"].contains(name): return .success(.utc)
        case .failure:
            do throws(TimeZoneError) {
                return .success(try TimeZoneRules(posix: name))
            } catch {
                return .failure(
                    RingerError(
                        .invalid, "read the time zone", "TZ=\(variable)",
                        detail: "\(path) does not exist, and as rules of POSIX: \(error)"))
            }
        }
    }

    private static func rules(_ bytes: [UInt8], _ path: FilePath) -> Result<TimeZoneRules, RingerError> {
        do throws(TimeZoneError) {
            return .success(try TimeZoneRules(tzif: bytes))
        } catch {
            return .failure(RingerError(.invalid, "read the time zone", path.string, detail: "\(error)"))
        }
    }

    private static func bytes(of path: FilePath) -> Result<[UInt8], RingerError> {
        Result { () throws(RingerError) in try TextFile.bytes(of: path.string, "read the time zone") }
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension Device {
    /// Why the time zone of this system cannot be read; nil if it can.
    package static func timeZoneProblem() -> RingerError? { SystemTimeZone.problem() }
}
