import CPaymentSpeaker
import Glibc
import PaymentRules
import Ringer
import RingerClient
import RingerTestKit

/// The parts of the program as the options name them.
extension Options {
    /// The device that the options name.
    ///
    /// - Returns: The device, and its board where that is simulated.
    func open() async throws -> (device: Device, board: SimulatedBoard?) {
        switch board {
        case .simulated:
            let (simulated, loop) = try SimulatedBoard.inRealTime(position: position)
            // What was heard is of no interest here, and takes memory.
            simulated.speaker.recordingLimit = 1
            if sound == .skip { simulated.speaker.fault = .unpaced }
            let device = try Device(Device.Ports(simulated: simulated) { loop.close() }, configuration: configuration)
            return (device, simulated)
        case .service: return (try await Device.connect(), nil)
        case .auto:
            if await Device.isServiceAvailable() { return (try await Device.connect(), nil) }
            var hardware = hardware
            hardware.following.insert(.volume)
            return (try await Device.discover(hardware, configuration: configuration), nil)
        }
    }

    private var configuration: Device.Configuration {
        var configuration = Device.Configuration()
        if let quietHours { configuration.preferences.quietHours = quietHours }
        return configuration
    }

    /// How to reach the broker.
    func brokerSettings() throws(RingerError) -> MQTTClient.Settings {
        let password = try passwordFile.map { path throws(RingerError) in
            String(try contents(of: path).prefix { $0 != "\n" })
        }
        return MQTTClient.Settings(
            host: host, port: port ?? (authorities == nil ? 1883 : 8883), identifier: "payment-speaker-\(device)",
            keepAlive: keepAlive, username: username, password: password, authorities: authorities,
            certificate: certificate, key: key)
    }

    /// The wall clock; nil while it is not set.
    @Sendable static func wallClock(_ clock: Clock) -> WallTime? {
        let isSet =
            switch clock {
            case .auto: payment_clock_is_synchronised()
            case .set: true
            case .unset: false
            }
        guard isSet else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return WallTime(microseconds: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
    }
}
