import RingerCore
import SystemPackage

/// The jacks that the kernel shows as switches of an input device: headphones and microphone. Any
/// thread may use it; it reads and reports on the event loop's.
public final class JackSource: DeviceStateSource {
    private let reader: HotplugReader<OpenInput>

    /// The jacks of an input device, by default of the first one that has any.
    public init(_ device: EvdevSelector = .automatic(), loop: EventLoop, paths: HardwarePaths = .standard) {
        reader = OpenInput.reader(.jack, of: device, loop: loop, paths: paths)
    }

    deinit {
        reader.closeSoon()
    }

    /// "jack /dev/input/event3 (sound Headset Jack)".
    public var name: String { reader.name }

    /// Starts watching. Before it returns, reports what is plugged in now, for the jacks that the device has.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try reader.startReporting(handler)
    }

    /// Ends watching and closes the device. May be called from the handler; elsewhere it waits for a running call of
    /// the handler, so the caller must not hold a lock that the handler takes.
    public func close() {
        reader.close()
    }
}
