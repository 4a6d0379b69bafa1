import Boards
import CRinger

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
            let board = try Board.named()
            if board == .simulated {
                self = .simulatedInRealTime
            } else {
                self = board.isService(namesParts: values.namesParts) ? .service : .hardware
            }
        }
    }
}
