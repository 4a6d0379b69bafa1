import RingerCore
import RingerBus
import Synchronization
import SystemPackage

/// The connection to the service: finds it again when it was gone, keeps what its properties report, and has its requests
/// and signals.
///
/// Every method is called on the loop's thread, unless it says otherwise.
// SAFETY: all state is used on the loop's thread alone.
final class ServiceLink: @unchecked Sendable {
    /// What happens to a request.
    enum RequestEvent {
        case started(MonotonicTime)
        case ended(RequestEnd)
        case failed(RingerError)
    }

    /// A request to the service, which may be stopped before the service has answered it.
    /// Used on the loop's thread alone.
    final class Request {
        fileprivate var number: UInt32?
        fileprivate var isStopped = false
        /// The volume that it is to get once the service has answered.
        fileprivate var volume: Float?
        fileprivate var isGettingVolume = false
        private var hasStarted = false
        private var handler: ((RequestEvent) -> Void)?

        fileprivate init(_ handler: @escaping (RequestEvent) -> Void) {
            self.handler = handler
        }

        fileprivate func start(_ time: MonotonicTime) {
            if hasStarted { return }
            hasStarted = true
            handler?(.started(time))
        }

        /// Reports the last event. The handler may refer to who has the request: it is not kept.
        fileprivate func end(_ event: RequestEvent) {
            handler.take()?(event)
        }
    }

    let loop: EventLoop
    let clock: any DeviceClock
    private let bus: BusConnection.Bus
    private var connection: BusConnection?
    private var matches: [BusConnection.Registration] = []
    private var requests: [UInt32: Request] = [:]
    private(set) var isClosed = false
    private var reconnectDelay = Duration.seconds(1)
    /// How often the service was asked for its properties and has not answered.
    private var questions = 0
    /// Asks a service that failed to answer once more.
    private var askingTimer: (any DeviceTimer)?
    private var askingDelay = Duration.seconds(1)

    /// The calls made and signals received so far. It may be read on any thread.
    let traffic = Atomic<UInt64>(0)
    /// What the service's properties report.
    private(set) var properties: [String: BusValue] = [:]
    /// Whether the service is there.
    private(set) var isPresent = false
    /// Called with the names of the properties that changed.
    var onChange: ((Set<String>) -> Void)?
    /// Called when the service is gone, and why.
    var onLoss: ((RingerError) -> Void)?
    /// Called when the service is there again, after its properties were read.
    var onReturn: (() -> Void)?
    /// Called with a signal of a session's object: its path, member and arguments.
    var onSessionSignal: ((_ path: String, _ member: String, _ arguments: [BusValue]) -> Void)?
    /// Called with a key that was pressed or released.
    var onKey: ((DeviceStateChange) -> Void)?
    /// Called with what the service reports as wrong.
    var onDegraded: ((RingerError) -> Void)?

    init(_ bus: BusConnection.Bus, on loop: EventLoop, clock: any DeviceClock) {
        self.bus = bus
        self.loop = loop
        self.clock = clock
    }

    // MARK: - Finding the service

    /// Connects to the bus, and reads the service's properties: the bus starts the service if it can.
    ///
    /// It may be called on any thread.
    func open() async throws(RingerError) {
        let result = await withCheckedContinuation { continuation in open { continuation.resume(returning: $0) } }
        try result.get()
    }

    /// As ``open()``; `completion` is called once, on the loop's thread.
    func open(_ completion: @escaping @Sendable (Result<Void, RingerError>) -> Void) {
        loop.execute { [self] in
            do throws(RingerError) {
                try attach()
            } catch {
                return completion(.failure(error))
            }
            refresh(completion)
        }
    }

    /// Whether a service has the name or, if those count, the bus can start one. The link is
    /// not used for anything else.
    ///
    /// It may be called on any thread; `completion` is called once, on the loop's thread.
    func isServiceAvailable(orStartable startable: Bool = true, _ completion: @escaping @Sendable (Bool) -> Void) {
        loop.execute { [self] in
            guard let connection = try? BusConnection.connect(bus, on: loop) else { return completion(false) }
            self.connection = connection
            let path = "/org/freedesktop/DBus"
            let bus = "org.freedesktop.DBus"
            var isOver = false
            func end(_ isAvailable: Bool) {
                if isOver { return }
                isOver = true
                connection.close()
                self.connection = nil
                completion(isAvailable)
            }
            connection.onDisconnect { _ in end(false) }
            connection.call(bus, path, bus, "NameHasOwner", [.string(RingerNames.service)]) { result in
                if (try? result.get().read().first?.boolean) == true { return end(true) }
                if !startable { return end(false) }
                connection.call(bus, path, bus, "ListActivatableNames") { result in
                    let names = (try? result.get().read().first?.strings) ?? []
                    end(names.contains(RingerNames.service))
                }
            }
        }
    }

    private func attach() throws(RingerError) {
        let connection = try BusConnection.connect(bus, on: loop)
        self.connection = connection
        connection.onDisconnect { [weak self] error in self?.busIsGone(error) }
        let service = BusName(RingerNames.service, on: connection) { [weak self] change in
            guard let self else { return }
            switch change {
            // The caller of attach() asks for its properties.
            case .found: break
            case .changed(let old, _):
                if old != nil { lose(RingerError(.disconnected, "use the service", RingerNames.service)) }
                // One that the bus can start is started again.
                refresh()
            case .unwatched(let error): onDegraded?(RingerError(error, "follow the service"))
            }
        }
        matches = [
            service.signals { [weak self] message in
                guard let self, let arguments = try? message.read() else { return }
                take(message.path, message.interface, message.member, arguments)
            }
        ]
    }

    /// Reads all properties, and so finds out whether the service is there.
    ///
    /// - Parameter isRepeated: Whether it was asked before, in vain: it is not started for this, and may answer whenever it
    ///   can.
    private func refresh(
        isRepeated: Bool = false, _ completion: @escaping @Sendable (Result<Void, RingerError>) -> Void = { _ in }
    ) {
        askingTimer?.cancel()
        questions += 1
        call(
            RingerNames.path, BusInterface.properties, "GetAll", [.string(RingerNames.interface)],
            autoStart: !isRepeated, timeout: isRepeated ? nil : .seconds(25)
        ) { [self] result in
            questions -= 1
            switch result {
            case .success(let values):
                askingDelay = .seconds(1)
                let wasPresent = isPresent
                isPresent = true
                take(values.first?.dictionary ?? [:], areAll: true)
                completion(.success(()))
                if !wasPresent { onReturn?() }
            case .failure(let error):
                completion(.failure(error))
                // The bus reports who takes the name later.
                if error.code != .notFound { askLater() }
            }
        }
    }

    /// Asks a service that is there and could not answer once more: after 1 s, and then ever more rarely.
    private func askLater() {
        if isClosed || isPresent || connection == nil || questions > 0 { return }
        askingTimer = loop.schedule(at: loop.now + askingDelay) { [weak self] in self?.refresh(isRepeated: true) }
        askingDelay = min(askingDelay * 2, .seconds(30))
    }

    private func lose(_ error: RingerError) {
        let lost = requests
        requests = [:]
        for number in lost.keys.sorted() { lost[number]?.end(.failed(error)) }
        if !isPresent { return }
        isPresent = false
        onLoss?(error)
    }

    private func busIsGone(_ error: RingerError) {
        matches = []
        connection = nil
        lose(error)
        reconnectLater()
    }

    /// A bus that ended is not reported by the kernel when it returns: it is looked for after 1 s, and then ever more rarely.
    private func reconnectLater() {
        if isClosed { return }
        _ = loop.schedule(at: loop.now + reconnectDelay) { [weak self] in
            guard let self, !isClosed else { return }
            do throws(RingerError) {
                try attach()
                reconnectDelay = .seconds(1)
                refresh()
            } catch {
                reconnectDelay = min(reconnectDelay * 2, .seconds(30))
                reconnectLater()
            }
        }
    }

    /// Ends every request and leaves the bus.
    func close() {
        isClosed = true
        askingTimer?.cancel()
        (onChange, onLoss, onReturn, onSessionSignal, onKey, onDegraded) = (nil, nil, nil, nil, nil, nil)
        matches = []
        // What is called now may call again: that fails at once.
        connection.take()?.close()
        lose(RingerError(.closed, "use the service", RingerNames.service))
    }

    // MARK: - Calls and requests

    /// Calls a method of the service. `completion` is called once.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        autoStart: Bool = true, timeout: Duration? = .seconds(25),
        _ completion: @escaping (Result<[BusValue], RingerError>) -> Void
    ) {
        traffic.wrappingAdd(1, ordering: .relaxed)
        guard let connection else {
            return completion(
                .failure(RingerError(isClosed ? .closed : .disconnected, "call \(member)", RingerNames.service)))
        }
        connection.call(
            RingerNames.service, path, interface, member, arguments, autoStart: autoStart, timeout: timeout
        ) { [self] result in
            switch result {
            case .failure where isClosed:
                completion(.failure(RingerError(.closed, "call \(member)", RingerNames.service)))
            case .success(let message):
                do throws(BusError) {
                    completion(.success(try message.read()))
                } catch {
                    completion(.failure(RingerError(error, "call \(member)")))
                }
            case .failure(let error):
                completion(.failure(RingerError(error, "call \(member)")))
            }
        }
    }

    /// Begins a request. `handler` gets its events: last, once, that it ended or failed.
    @discardableResult
    func request(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
        _ handler: @escaping (RequestEvent) -> Void
    ) -> Request {
        let request = Request(handler)
        call(path, interface, member, arguments) { [self] result in
            switch result {
            case .success(let values):
                let number = values.first?.uint32 ?? 0
                request.number = number
                requests[number] = request
                if let volume = request.volume { setVolume(volume, of: request) }
                if request.isStopped {
                    request.isStopped = false
                    stop(request)
                }
            case .failure(var error):
                // The bus does not know the name. For a program it is a service that is gone, not a file that is missing.
                if error.code == .notFound && !isPresent { error.code = .disconnected }
                request.end(.failed(error))
            }
        }
        return request
    }

    /// Stops a request; it ends as its signal says. One that has ended is left alone: the next service gives its number to another.
    func stop(_ request: Request) {
        if request.isStopped { return }
        request.isStopped = true
        guard let number = request.number, requests[number] === request else { return }
        call(RingerNames.path, RingerNames.interface, "Stop", [.uint32(number)]) { [weak self] result in
            guard let error = result.error else { return }
            // It may be stopped again.
            request.isStopped = false
            self?.onDegraded?(error)
        }
    }

    /// Changes the volume of a request's sound, 0 to 1: by one call at a time, however often it is changed.
    func setVolume(_ volume: Float, of request: Request) {
        request.volume = volume
        guard let number = request.number, requests[number] === request, !request.isGettingVolume else { return }
        request.volume = nil
        request.isGettingVolume = true
        call(
            RingerNames.path, RingerNames.interface, "SetVolume", [.uint32(number), .double(Double(volume))]
        ) { [weak self] result in
            request.isGettingVolume = false
            if let error = result.error { self?.onDegraded?(error) }
            if let volume = request.volume { self?.setVolume(volume, of: request) }
        }
    }

    /// Calls a method whose reply is not needed; an error is reported.
    func send(
        _ member: String, _ arguments: [BusValue], path: String = RingerNames.path,
        interface: String = RingerNames.interface
    ) {
        call(path, interface, member, arguments) { [weak self] result in
            if let error = result.error { self?.onDegraded?(error) }
        }
    }

    /// Sets a property. `completion` is called once, with why that failed; without one an error is reported.
    func set(
        _ property: String, to value: BusValue, path: String = RingerNames.path,
        interface: String = RingerNames.interface, _ completion: ((RingerError?) -> Void)? = nil
    ) {
        let arguments: [BusValue] = [.string(interface), .string(property), .variant(value)]
        call(path, BusInterface.properties, "Set", arguments) { [weak self] result in
            if let completion { return completion(result.error) }
            if let error = result.error { self?.onDegraded?(error) }
        }
    }

    // MARK: - Signals

    private func take(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
        traffic.wrappingAdd(1, ordering: .relaxed)
        // A sign of life.
        if !isPresent && questions == 0 { refresh(isRepeated: true) }
        if path != RingerNames.path { return onSessionSignal?(path, member, arguments) ?? () }
        switch (interface, member) {
        case (BusInterface.properties, "PropertiesChanged") where arguments.count > 1 && isPresent:
            if arguments[0].string == RingerNames.interface { take(arguments[1].dictionary ?? [:]) }
        case (RingerNames.interface, "Started") where arguments.count > 1:
            guard let request = arguments[0].uint32.flatMap({ requests[$0] }), let time = arguments[1].time else {
                break
            }
            request.start(time)
        case (RingerNames.interface, "Ended") where arguments.count > 3:
            guard let request = arguments[0].uint32.flatMap({ requests.removeValue(forKey: $0) }) else { break }
            let details = arguments[3].dictionary ?? [:]
            let end = RequestEnd(arguments[1].string ?? "", arguments[2].string ?? "", details)
            if let time = end.startedAt { request.start(time) }
            request.end(.ended(end))
        case (RingerNames.interface, "Key") where arguments.count > 2:
            guard let key = arguments[0].string.flatMap(DeviceKey.init(rawValue:)), let time = arguments[2].time else {
                break
            }
            onKey?(.key(key, isPressed: arguments[1].boolean ?? false, at: time))
        case (RingerNames.interface, "Degraded") where !arguments.isEmpty:
            onDegraded?(
                RingerError(.system, "report of the service", RingerNames.service, detail: arguments[0].string))
        default: break
        }
    }

    /// - Parameter areAll: Whether they are all that the service has: one of another version may lack some of the one before.
    private func take(_ values: [String: BusValue], areAll: Bool = false) {
        var changed = Set(values.filter { properties[$0.key] != $0.value }.keys)
        if areAll { changed.formUnion(properties.keys.filter { values[$0] == nil }) }
        for name in changed { properties[name] = values[name] }
        if !changed.isEmpty { onChange?(changed) }
    }
}

extension Result {
    /// The error; nil for success.
    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
