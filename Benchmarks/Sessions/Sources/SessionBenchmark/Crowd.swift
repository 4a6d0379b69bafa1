import RingerCore
import SessionProperties
import SessionRules

/// A coordinator with many sessions, and the work after each change: a decision for every session, and notifications to
/// the listeners of its properties.
struct Crowd {
    private struct Member {
        var id: SessionID
        var publisher: SessionPropertyStore
        var listeners = SessionListeners<Int>()
    }

    private(set) var coordinator: SessionCoordinator
    private let queues = SessionListenerQueues()
    private var streams: [AsyncStream<SessionPropertyNotification>] = []
    private var members: [Member] = []
    private(set) var heard = 0
    private(set) var told = 0
    private let hardware = HardwareFigures(sampleRate: 48_000, outputChannels: 2, outputVolume: 0.5)
    var state = DeviceState(ringSilent: .ring)

    init(count: Int, board: RouteBoard, category: AudioCategory, options: CategoryOptions) throws {
        coordinator = SessionCoordinator(board: board)
        for number in 1...count {
            let id = SessionID(rawValue: UInt64(number))
            _ = coordinator.handle(.make(id, name: "session \(number)"))
            _ = coordinator.handle(.setCategory(id, category, options: options))
            var member = Member(id: id, publisher: SessionPropertyStore(session: id, isInitialized: true))
            for code in ["rout", "roch", "othr", "cmix"] as [FourCharacterCode] {
                guard let property = SessionProperty(code: code) else { continue }
                streams.append(queues.open(try member.listeners.add(code, number).added, of: property))
            }
            members.append(member)
        }
    }

    /// Handles an event with all its consequences.
    mutating func change(_ event: SessionCoordinator.Event) {
        var routeChanges: [SessionID: RouteChange] = [:]
        for case .routeChanged(let id, let change) in coordinator.handle(event) { routeChanges[id] = change }
        heard = 0
        var conditions = SessionConditions(state, UserPreferences(), in: coordinator)
        for index in members.indices {
            guard let session = coordinator.session(members[index].id) else { continue }
            if conditions.isAudible(session) { heard += 1 }
            let facts = conditions.facts(of: session, hardware)
            for change in members[index].publisher.update(facts, routeChange: routeChanges[session.id]) {
                let listeners = members[index].listeners.listeners(of: change.property)
                queues.tell(change, to: listeners)
                told += listeners.count
            }
        }
    }
}
