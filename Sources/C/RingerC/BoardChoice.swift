import CRinger
import ProcessDevice
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
            switch try Board.named() {
            case .auto: self = !values.namesParts && Device.isServiceAvailable() ? .service : .hardware
            case .hardware: self = .hardware
            case .service: self = .service
            case .simulated: self = .simulatedInRealTime
            }
        }
    }
}
