import Glibc
import RingerServices
import SystemPackage

/// A Ring/Silent switch on a GPIO line of its own, without a driver between.
///
/// With libgpiod 2.x the kernel debounces the line, and stamps a change when it has settled; with 1.x ``Debouncer``
/// does, and a change carries the stamp of its last edge.
public final class GPIOSwitch: RingSilentSwitch {
    /// How the line is wired and read.
    public struct Options: Sendable, Hashable {
        /// Whether the line is active when it is low.
        public var isActiveLow: Bool
        /// What pulls the line while the switch is open.
        public var bias: GPIOBias
        /// How long a level has to stand before it counts.
        public var debounce: Duration
        /// False where the active line means silent; true where it means ring.
        public var isInverted: Bool

        /// Options, by default those of a line that is high at silent, pulled by the board.
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

    /// Whether the kernel debounces, numbers the edges and tells of those that it dropped: with libgpiod 2.x.
    public static var isDebouncedByKernel: Bool { GPIOLineRequest.kernelDebounces }

    private let watcher: DeviceWatcher<Source>

    /// The switch on `line`, watched by `loop`.
    public init(
        _ line: GPIOLine, _ options: Options = Options(), loop: EventLoop, paths: HardwarePaths = .standard
    ) {
        watcher = DeviceWatcher(loop: loop, name: "GPIO \(line.description)", directory: paths.devices) {
            () throws(RingerError) in
            try Source(line, options, paths)
        }
    }

    deinit {
        watcher.closeSoon()
    }

    /// "GPIO gpiochip0 line 2 (ring-silent)".
    public var name: String { watcher.name }

    /// Begins to watch. The position now is told before it returns, then each change that settled.
    ///
    /// - Throws: ``RingerError``; `busy`, with the holder's name, where the line is used already.
    public func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        try watcher.start { event in handler(SwitchEvent(event)) }
    }

    /// Ends watching and releases the line. It may be called from anywhere, the handler included; elsewhere it waits
    /// for a call of the handler that is under way, so the caller must hold no lock that the handler takes.
    public func close() {
        watcher.close()
    }

    /// The line, requested.
    private struct Source: ~Copyable, DeviceSource {
        private let request: GPIOLineRequest
        private let file: FileIdentity?
        private let isInverted: Bool
        private var debouncer: Debouncer<Bool>
        private var sequence: UInt32 = 0
        private(set) var deadline: MonotonicTime?
        let name: String

        init(_ line: GPIOLine, _ options: Options, _ paths: HardwarePaths) throws(RingerError) {
            let located = try line.locate(in: paths)
            let inKernel = GPIOLineRequest.kernelDebounces
            // The request comes before the reading: edges in between are queued.
            let request = try located.chip.requestInput(
                located.offset, bias: options.bias, isActiveLow: options.isActiveLow,
                kernelDebounce: inKernel ? options.debounce : .zero)
            debouncer = Debouncer(level: try request.isActive(), duration: inKernel ? .zero : options.debounce)
            file = FileIdentity(located.chip.path)
            isInverted = options.isInverted
            name =
                switch line {
                case .named(let name): "GPIO \(request.subject) (\(name))"
                case .offset: "GPIO \(request.subject)"
                }
            self.request = request
        }

        var descriptor: CInt { request.descriptor }

        // Kernels before 6.6 wake nobody when a chip goes, and old ones did not bear being asked then: the chip's file
        // tells.
        var isPresent: Bool { file?.isThere ?? true }

        mutating func begin(now: MonotonicTime, into reports: inout [SwitchEvent]) {
            reports.append(.position(position(debouncer.settled), at: now))
        }

        mutating func read(
            isReady: Bool, now: MonotonicTime, into reports: inout [SwitchEvent]
        ) throws(RingerError) {
            let edges = try request.read(isReady: isReady)
            for edge in edges {
                if let number = edge.sequence { checkGap(before: number, edge.at, into: &reports) }
                try perform(debouncer.handle(.edge(edge.isActive, at: edge.at)), now, into: &reports)
            }
            // The small queue drops the newest edges and does not tell: what it held last may not be so any more.
            if let last = edges.last, last.sequence == nil, edges.count >= GPIOLineRequest.smallQueue {
                _ = debouncer.handle(.missed)
                try perform(debouncer.handle(.edge(request.isActive(), at: now)), now, into: &reports)
            }
        }

        mutating func tick(now: MonotonicTime, into reports: inout [SwitchEvent]) throws(RingerError) {
            deadline = nil
            // An edge from before the deadline may wait still.
            try read(isReady: false, now: now, into: &reports)
            try perform(debouncer.handle(.timer(at: now)), now, into: &reports)
        }

        private mutating func checkGap(before number: UInt32, _ at: MonotonicTime, into reports: inout [SwitchEvent]) {
            let lost = number &- sequence &- 1
            sequence = number
            if lost == 0 { return }
            _ = debouncer.handle(.missed)
            reports.append(.dropped(count: Int(lost), at: at))
        }

        private mutating func perform(
            _ actions: [Debouncer<Bool>.Action], _ now: MonotonicTime, into reports: inout [SwitchEvent]
        ) throws(RingerError) {
            for action in actions {
                switch action {
                case .schedule(let at):
                    deadline = at
                case .readLevel:
                    let level = try request.isActive()
                    try perform(debouncer.handle(.level(level, at: now)), now, into: &reports)
                case .changed(let isActive, let at):
                    reports.append(.position(position(isActive), at: at))
                }
            }
        }

        private func position(_ isActive: Bool) -> SwitchPosition { isActive == isInverted ? .ring : .silent }
    }
}
