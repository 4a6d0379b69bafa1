import RingerServices

/// A coordinator with many sessions, and what a host does after each change: it decides for every session, and tells
/// the listeners of its properties.
struct Crowd {
    private struct Member {
        var id: SessionID
        var store: SessionPropertyStore
        var listeners = SessionListeners<Int>()
    }

    private(set) var coordinator: SessionCoordinator
    private let queues = SessionListenerQueues()
    private var streams: [AsyncStream<SessionListenerQueues.Notification>] = []
    private var members: [Member] = []
    private(set) var heard = 0
    private(set) var told = 0
    private let hardware = SessionHardware(sampleRate: 48_000, outputChannels: 2, outputVolume: 0.5)
    var state = DeviceState(ringSilent: .ring)

    init(count: Int, board: RouteBoard, category: AudioCategory, options: CategoryOptions) throws {
        coordinator = SessionCoordinator(board: board)
        for number in 1...count {
            let id = SessionID(rawValue: UInt64(number))
            _ = coordinator.handle(.make(id, name: "session \(number)"))
            _ = coordinator.handle(.setCategory(id, category, options: options))
            var member = Member(id: id, store: SessionPropertyStore(session: id))
            try member.store.initialize()
            for code in ["rout", "roch", "othr", "cmix"] as [FourCharacterCode] {
                guard let property = SessionProperty(code: code) else { continue }
                streams.append(queues.open(try member.listeners.add(code, number).added, of: property))
            }
            members.append(member)
        }
    }

    /// Takes in an event and does all that follows from it.
    mutating func change(_ event: SessionCoordinator.Event) {
        var routeChanges: [SessionID: RouteChange] = [:]
        for case .routeChanged(let id, let change) in coordinator.handle(event) { routeChanges[id] = change }
        heard = 0
        for index in members.indices {
            let id = members[index].id
            if coordinator.isAudible(id, state: state) { heard += 1 }
            guard let facts = coordinator.facts(for: id, hardware: hardware, state: state) else { continue }
            for change in members[index].store.update(facts, routeChange: routeChanges[id]) {
                let listeners = members[index].listeners.listeners(of: change.property)
                queues.tell(change, to: listeners)
                told += listeners.count
            }
        }
    }
}
