import RingerCore
import Synchronization

/// The switch that was found on a GPIO line. While the line is busy, each change of the input devices' directory has it look for
/// an input device with the switch, which then takes the line's place for good: a driver such as gpio-keys, which may be loaded
/// late, holds the line and shows the switch as its device.
///
/// Any thread may use it. The device's first position follows the loss of the line.
package final class FoundLineSwitch: RingSilentSwitch {
    private struct State {
        /// The line's switch, or the device's; nil until the start.
        var current: (any RingSilentSwitch)?
        /// Whether the line is still the switch.
        var isLine = true
        /// Whether the line is busy. Once it is released, what the directory reported before is over.
        var isBusy = false
    }

    private let line: GPIOLine
    private let options: GPIOSwitch.Options
    private let loop: EventLoop
    private let paths: HardwarePaths
    private let state = Mutex(State())

    package init(_ line: GPIOLine, _ options: GPIOSwitch.Options, loop: EventLoop, paths: HardwarePaths) {
        self.line = line
        self.options = options
        self.loop = loop
        self.paths = paths
    }

    private var current: (any RingSilentSwitch)? { state.withLock { $0.current } }

    package var name: String { current?.name ?? "GPIO \(line.description)" }

    package func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        let look: @Sendable () -> Void = { [weak self] in self?.look(handler) }
        let switchOnLine = GPIOSwitch(line, options, loop: loop, paths: paths, isAwaited: true) {
            [weak self, loop, paths] () throws(RingerError) in
            let watch = try DirectoryWatch(paths.input, loop: loop, look)
            self?.state.withLock { $0.isBusy = true }
            // The device may be there already.
            loop.execute(look)
            return { [weak self] in
                self?.state.withLock { $0.isBusy = false }
                watch.closeSoon()
            }
        }
        state.withLock { $0.current = switchOnLine }
        try switchOnLine.start(handler)
    }

    package func reread() {
        current?.reread()
    }

    package func close() {
        // After a look that is under way.
        loop.sync { [self] in
            state.withLock { $0.isLine = false }
            current?.close()
        }
    }

    /// Looks for a device, on the loop's thread.
    private func look(_ handler: @escaping @Sendable (SwitchEvent) -> Void) {
        guard let line = state.withLock({ $0.isLine && $0.isBusy ? $0.current : nil }) else { return }
        let devices = HardwareDiscovery.scan(paths).switches.filter { $0.problem == nil && !$0.specification.isLine }
        guard let device = devices.first?.specification.make(loop: loop, paths: paths, isAwaited: true) else { return }
        state.withLock { $0.current = device }
        do throws(RingerError) {
            try device.start(handler)
            state.withLock { $0.isLine = false }
            line.close()
        } catch {
            // The line is still watched, and so is the directory.
            state.withLock { $0.current = line }
            handler(.lost(error, at: loop.now))
        }
    }
}

extension SwitchSpecification {
    /// Whether the switch or button is a GPIO line that no driver of the kernel reads.
    package var isLine: Bool {
        switch self {
        case .gpio: true
        case .button(let contact, _): contact.isLine
        case .evdev, .slider: false
        }
    }
}
