import Glibc
import RingerCore
import SystemPackage

/// A Ring/Silent switch on a GPIO line that no driver of the kernel uses.
///
/// With libgpiod 2.x the kernel debounces the line, and a change has the timestamp at which it settled. With 1.x
/// Ringer does, and a change has the timestamp of its last edge. Any thread may use it; it reads and reports on the
/// event loop's.
public final class GPIOSwitch: RingSilentSwitch {
    /// How the line is wired and read.
    public struct Options: Sendable, Hashable {
        /// Whether the line is active when it is low.
        public var isActiveLow: Bool
        /// What pulls the line while the switch is open.
        public var bias: GPIOBias
        /// How long a level must stand to count.
        public var debounce: Duration
        /// False if the active line means silent; true if it means ring.
        public var isInverted: Bool

        /// By default the line is high at silent, with the board's bias.
        public init(
            isActiveLow: Bool = false, bias: GPIOBias = .asIs, debounce: Duration = .milliseconds(10),
            isInverted: Bool = false
        ) {
            self.isActiveLow = isActiveLow
            self.bias = bias
            self.debounce = debounce
            self.isInverted = isInverted
        }
    }

    /// Whether the kernel debounces, numbers the edges and reports dropped ones: with libgpiod 2.x.
    public static var isDebouncedByKernel: Bool { GPIOLineRequest.kernelDebounces }

    private let reader: HotplugReader<Opened>

    /// - Parameters:
    ///   - line: The line.
    ///   - options: How it is wired and read.
    ///   - loop: The thread that reads it.
    ///   - paths: Where the kernel shows its devices.
    ///   - isAwaited: Whether to wait for a switch that cannot be opened at the start; see ``SwitchSpecification``.
    public convenience init(
        _ line: GPIOLine, _ options: Options = Options(), loop: EventLoop, paths: HardwarePaths = .standard,
        isAwaited: Bool = false
    ) {
        self.init(line, options, loop: loop, paths: paths, isAwaited: isAwaited, whileBusy: { {} })
    }

    /// The same. `whileBusy` is called when the line is found busy, and what it returns once that no longer is so.
    init(
        _ line: GPIOLine, _ options: Options, loop: EventLoop, paths: HardwarePaths, isAwaited: Bool,
        whileBusy: @escaping @Sendable () throws(RingerError) -> @Sendable () -> Void
    ) {
        reader = HotplugReader(
            loop: loop, name: "GPIO \(line.description)", directory: paths.devices,
            awaited: isAwaited ? .unlessMisnamed : .no,
            releaseWatch: { handler throws(RingerError) in
                let located = try line.locate(in: paths)
                let end = try whileBusy()
                do throws(RingerError) {
                    let watch = ChangeWatch(
                        try GPIOLineInfo(located.chip.path, located.offset), loop: loop, handler)
                    return {
                        watch.close()
                        end()
                    }
                } catch {
                    // Kernels before 5.10 cannot watch a line.
                    if error.errno == .invalidArgument || error.errno == .inappropriateIOCTLForDevice { return end }
                    end()
                    throw error
                }
            }
        ) { () throws(RingerError) in
            try Opened(line, options, paths)
        }
    }

    deinit {
        reader.closeSoon()
    }

    /// "GPIO gpiochip0 line 2 (ring-silent)".
    public var name: String { reader.name }

    /// Starts watching. Reports the current position before it returns, then each change once it settled.
    ///
    /// - Throws: ``RingerError``; `busy`, with the holder's name, if the line is in use.
    public func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        try reader.start { event in handler(SwitchEvent(event)) }
    }

    /// Requests the line anew: a kernel that debounces it knows only levels of which it saw an edge.
    public func reread() {
        reader.reopen { line in
            let known = line.position
            return { report in if case .position(known, _) = report { false } else { true } }
        }
    }

    /// Ends watching and releases the line. May be called from the handler; elsewhere it waits for a running call of
    /// the handler, so the caller must not hold a lock that the handler takes.
    public func close() {
        reader.close()
    }

    /// The line, requested.
    private struct Opened: ~Copyable, WatchedDevice {
        private let request: GPIOLineRequest
        private let file: FileIdentity?
        private var contacts: Contacts
        let name: String

        init(_ line: GPIOLine, _ options: Options, _ paths: HardwarePaths) throws(RingerError) {
            let located = try line.locate(in: paths)
            // Before the request: the path may lead to another chip afterwards.
            let chip = FileIdentity(located.chip.path)
            let inKernel = GPIOLineRequest.kernelDebounces
            // Request the line before reading it: edges in between are queued.
            let request = try located.chip.requestInput(
                located.offset, bias: options.bias, isActiveLow: options.isActiveLow,
                kernelDebounce: inKernel ? options.debounce : .zero)
            contacts = Contacts(
                debouncer: Debouncer(level: try request.isActive(), duration: inKernel ? .zero : options.debounce),
                isInverted: options.isInverted)
            file = chip
            name = line.name(of: request)
            self.request = request
        }

        var descriptor: CInt { request.descriptor }
        /// The position that was reported last.
        var position: SwitchPosition { contacts.position }

        var deadline: MonotonicTime? { contacts.settlesAtOnce ? nil : contacts.deadline }

        // Kernels before 6.6 do not wake readers when a chip disappears, and old ones do not survive a poll of a
        // removed chip: look at the chip's file instead.
        var isPresent: Bool { file?.isThere ?? false }

        mutating func begin(now: MonotonicTime, into reports: inout [SwitchEvent]) {
            reports.append(.position(contacts.position, at: now))
        }

        mutating func read(
            isReady: Bool, now: () -> MonotonicTime, into reports: inout [SwitchEvent]
        ) throws(RingerError) -> Bool {
            let count = try Self.readEdges(of: request, isReady: isReady, &contacts, into: &reports)
            // The small queue silently drops the newest edges: the last level in it may be outdated.
            if count >= GPIOLineRequest.smallQueue && !contacts.areNumbered {
                _ = contacts.debouncer.handle(.missed)
                contacts.take(.edge(try request.isActive(), at: now()), into: &reports)
            }
            if !contacts.settlesAtOnce { return false }
            // Looking for more can wait until these edges have been reported.
            if count > 0 { return true }
            if contacts.deadline == nil { return false }
            contacts.deadline = nil
            try checkLevel(now: now(), into: &reports)
            return false
        }

        mutating func tick(now: MonotonicTime, into reports: inout [SwitchEvent]) throws(RingerError) {
            contacts.deadline = nil
            // An edge from before the deadline may still be queued.
            _ = try Self.readEdges(of: request, isReady: false, &contacts, into: &reports)
            try checkLevel(now: now, into: &reports)
        }

        // Static, since the request is read while the contacts change.
        private static func readEdges(
            of request: borrowing GPIOLineRequest, isReady: Bool, _ contacts: inout Contacts,
            into reports: inout [SwitchEvent]
        ) throws(RingerError) -> Int {
            try request.read(isReady: isReady) { edge in contacts.take(edge, into: &reports) }
        }

        private mutating func checkLevel(now: MonotonicTime, into reports: inout [SwitchEvent]) throws(RingerError) {
            let mustReadLevel = contacts.take(.timer(at: now), into: &reports)
            if mustReadLevel { contacts.take(.level(try request.isActive(), at: now), into: &reports) }
        }
    }

    /// The state of the line's contacts.
    private struct Contacts {
        var debouncer: Debouncer<Bool>
        let isInverted: Bool
        /// Whether every edge counts: the kernel debounces, or nobody.
        let settlesAtOnce: Bool
        private var sequence: UInt32 = 0
        var deadline: MonotonicTime?

        init(debouncer: Debouncer<Bool>, isInverted: Bool) {
            self.debouncer = debouncer
            self.isInverted = isInverted
            settlesAtOnce = debouncer.duration == .zero
        }

        /// Whether the kernel numbers the edges.
        var areNumbered: Bool { sequence != 0 }

        mutating func take(_ edge: GPIOLineRequest.Edge, into reports: inout [SwitchEvent]) {
            if let number = edge.sequence {
                let lost = number &- sequence &- 1
                sequence = number
                if lost != 0 {
                    _ = debouncer.handle(.missed)
                    reports.append(.dropped(count: Int(clamping: lost), at: edge.at))
                }
            }
            take(.edge(edge.isActive, at: edge.at), into: &reports)
        }

        /// - Returns: Whether the level has to be read.
        @discardableResult
        mutating func take(_ event: Debouncer<Bool>.Event, into reports: inout [SwitchEvent]) -> Bool {
            var mustReadLevel = false
            var scheduled: MonotonicTime?
            let isInverted = isInverted
            debouncer.handle(event) { action in
                switch action {
                case .schedule(let at): scheduled = at
                case .readLevel: mustReadLevel = true
                case .changed(let isActive, let at):
                    reports.append(.position(Self.position(isActive, isInverted), at: at))
                }
            }
            deadline = scheduled ?? deadline
            return mustReadLevel
        }

        /// The switch's position, once it has settled.
        var position: SwitchPosition { Self.position(debouncer.settled, isInverted) }

        private static func position(_ isActive: Bool, _ isInverted: Bool) -> SwitchPosition {
            isActive == isInverted ? .ring : .silent
        }
    }
}
