/// Which sources have something plugged into their jacks, by their indices.
struct PluggedJacks: Sendable {
    private var headphones: [Int: Bool] = [:]
    private var microphones: [Int: Bool] = [:]

    /// The changes of the whole device that follow from one of a source: something is plugged in while it is in any
    /// source's jack, and out when the jack's device is lost, since nobody would report that it was pulled out.
    mutating func combine(_ change: DeviceStateChange, of index: Int) -> [DeviceStateChange] {
        switch change {
        case .headphoneInserted(let isInserted):
            headphones[index] = isInserted
            return [.headphoneInserted(headphones.values.contains(true))]
        case .microphoneInserted(let isInserted):
            microphones[index] = isInserted
            return [.microphoneInserted(microphones.values.contains(true))]
        case .lost:
            var changes: [DeviceStateChange] = []
            if headphones[index] == true { changes += combine(.headphoneInserted(false), of: index) }
            if microphones[index] == true { changes += combine(.microphoneInserted(false), of: index) }
            return changes + [change]
        default:
            return [change]
        }
    }
}
