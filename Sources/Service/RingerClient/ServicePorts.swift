import CLinux
import Glibc
import RingerCore
import RingerBus
import SoundFile
import SystemPackage

/// The service's switch. Any thread.
final class ServiceSwitch: RingSilentSwitch {
    let name = "service \(RingerNames.service)"
    private let device: ConnectedDevice

    init(_ device: ConnectedDevice) {
        self.device = device
    }

    func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        device.link.loop.sync { [device] in device.state.onSwitch = handler }
    }

    func close() {
        device.link.loop.sync { [device] in device.state.onSwitch = nil }
    }
}

/// The rest of the service's state: jacks, volume, input, lock, removable routes. Any thread.
final class ServiceStateSource: DeviceStateSource {
    let name = "service \(RingerNames.service)"
    private let device: ConnectedDevice

    init(_ device: ConnectedDevice) {
        self.device = device
    }

    func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        device.link.loop.sync { [device] in device.state.onChange = handler }
    }

    func close() {
        device.link.loop.sync { [device] in device.state.onChange = nil }
    }
}

/// The service's status light: each pattern is a request, which may fail later: that is reported as degraded.
/// Any thread.
final class ServiceStatusLight: StatusLight {
    let name: String
    private let device: ConnectedDevice

    init(_ device: ConnectedDevice, name: String) {
        self.device = device
        self.name = name
    }

    func show(_ pattern: LightPattern) throws(RingerError) {
        device.link.loop.execute { [device] in device.show(pattern) }
    }

    func close() throws(RingerError) {
        device.link.loop.execute { [device] in device.show(.off) }
    }
}

/// The service's speaker: each sound is a request, whose samples go there in a file in memory. Any thread.
final class ServiceOutput: RemoteOutput {
    let name = "service \(RingerNames.service)"
    private let device: ConnectedDevice

    init(_ device: ConnectedDevice) {
        self.device = device
    }

    /// The service chooses the PCM.
    func pcm(for route: AudioRoute) -> String { name }

    func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback {
        let playback = ServicePlayback(device.link, options)
        device.link.loop.execute { [device] in
            if playback.isStopped {
                let total = options.manner.frames(of: sound)
                return handler(.ended(.stopped, at: device.link.clock.now, .init(played: 0, total: total)))
            }
            device.sounds.play(sound, options.terms, playback, handler)
        }
        return playback
    }

    func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {
        device.link.loop.sync { [device] in device.link.onDegraded = handler }
    }

    /// The service knows the hardware's formats and chooses them.
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {}
    func prefer(_ preferences: SessionPreferences) {}
    func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void) { completion(nil) }

    func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void) {
        device.link.loop.execute { [device] in device.sounds.releaseOutput(stoppingSounds: stoppingSounds, completion) }
    }

    func close() {
        device.link.loop.sync { [device] in device.sounds.stop() }
    }
}

/// A sound at the service. Any thread may stop it.
// SAFETY: the properties are used on the loop's thread alone.
final class ServicePlayback: JudgedPlayback, @unchecked Sendable {
    private let link: ServiceLink
    private let gate: Gate?
    private(set) var manner: SoundManner
    var request: ServiceLink.Request?
    private var wasStopped = false
    var isStopped: Bool { wasStopped || gate?.isOpen == false }
    /// Called when it has ended.
    var whenEnded: [() -> Void] = []

    init(_ link: ServiceLink, _ options: PlaybackOptions) {
        self.link = link
        gate = options.gate
        manner = options.manner
    }

    func stop() {
        link.loop.execute { [self] in stopNow() }
    }

    func stopNow() {
        wasStopped = true
        if let request { link.stop(request) }
    }

    /// The service's own rules decide the gain.
    func setGain(_ gain: Float, over duration: Duration) {}

    func setVolume(_ volume: Float) {
        link.loop.execute { [self] in
            manner.volume = volume
            if let request { link.setVolume(volume, of: request) }
        }
    }
}

extension PCMBuffer {
    /// Calls `body` with the descriptor of a file in memory that contains the sound as CAF, and closes it afterwards.
    func withFile<Result>(_ body: (CInt) -> Result) throws(RingerError) -> Result {
        let bytes: [UInt8]
        do throws(SoundFileError) {
            var encoder = try SoundEncoder(
                MemorySink(), container: .caf,
                codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)),
                sampleRate: sampleRate, channels: channels)
            try encoder.write(samples.span)
            bytes = try encoder.finish().bytes
        } catch {
            throw RingerError(.unsupported, "send the sound", RingerNames.service, detail: "\(error)")
        }
        let file = ringer_memory_file()
        guard file >= 0 else { throw RingerError("make a file", "in memory", Errno(rawValue: errno)) }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw RingerError("write the sound to", "a file in memory", Errno(rawValue: errno)) }
            written += count
        }
        return body(file)
    }
}
