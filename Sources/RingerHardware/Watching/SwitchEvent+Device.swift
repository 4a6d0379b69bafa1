import RingerServices

extension SwitchEvent {
    /// The event of a switch from that of its device.
    init(_ event: WatchEvent<SwitchEvent>) {
        switch event {
        case .report(let report): self = report
        case .lost(let error, let at): self = .lost(error, at: at)
        case .found(let at): self = .found(at: at)
        }
    }
}
