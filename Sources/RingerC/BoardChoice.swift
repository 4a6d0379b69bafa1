import CRinger
import Glibc
import Ringer
import RingerClient

/// What owns the hardware of a device that is opened.
enum BoardChoice {
    case hardware
    case service
    case simulated
    case simulatedInRealTime

    /// What the configuration names, or the environment's RINGER_BOARD; else the service where there is one and no part is
    /// named.
    init(_ values: ConfigurationHandle.Values) throws {
        switch values.board {
        case RINGER_BOARD_HARDWARE: self = .hardware
        case RINGER_BOARD_SERVICE: self = .service
        case RINGER_BOARD_SIMULATED: self = .simulated
        case RINGER_BOARD_SIMULATED_REAL_TIME: self = .simulatedInRealTime
        default:
            switch getenv("RINGER_BOARD").map({ String(cString: $0) }) ?? "auto" {
            case "auto":
                self = !values.namesParts && Device.isServiceAvailable() ? .service : .hardware
            case "hardware": self = .hardware
            case "service": self = .service
            case "simulated": self = .simulatedInRealTime
            case let other:
                throw Failure(
                    EINVAL, "RINGER_BOARD is '\(other)': it may be auto, hardware, service or simulated")
            }
        }
    }
}
