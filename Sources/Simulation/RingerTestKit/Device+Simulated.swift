import RingerCore

extension Device {
    /// A device on a simulated board, for machines without the hardware and for tests of firmware.
    ///
    /// - Parameters:
    ///   - board: The board. A test creates one on a ``VirtualClock``, and moves its switch and its clock.
    ///   - configuration: The device's behaviour.
    /// - Returns: The device.
    /// - Throws: `RingerError` if ``SimulatedSwitch/failStart(with:)`` set one.
    public static func simulated(
        _ board: SimulatedBoard, configuration: Configuration = Configuration()
    ) throws(RingerError) -> Device {
        try Device(Ports(simulated: board), configuration: configuration)
    }
}

extension Device.Ports {
    /// The ports of a simulated board. `close` frees the clock's resources.
    public init(simulated board: SimulatedBoard, close: @escaping @Sendable () -> Void = {}) {
        self.init(
            clock: board.clock, ringSilent: board.ringSilent, motor: board.motor, statusLight: board.statusLight,
            speaker: board.speaker, microphone: board.microphone,
            stateSources: [board.surroundings, board.button, board.keys],
            routes: RouteBoard(
                pcm: board.speaker.name,
                routes: board.speaker.routes.merging([.receiver, .bluetooth].map { ($0, board.speaker.name) }) {
                    own, _ in own
                }
            ),
            setOutputVolume: { volume throws(RingerError) in try board.surroundings.setOutputVolume(volume) },
            close: close)
        timeZone = board.timeZone
        silentLight = board.silentLight
    }
}

extension SimulatedBoard {
    /// A board in real time, on a thread of its own.
    ///
    /// - Parameter position: The switch's position.
    /// - Returns: The board, and the event loop that is its clock; the caller closes the loop.
    /// - Throws: `RingerError` if the system has no thread left.
    public static func inRealTime(
        position: SwitchPosition = .ring
    ) throws(RingerError) -> (board: SimulatedBoard, loop: EventLoop) {
        let loop = try EventLoop(name: "ringer-board")
        return (SimulatedBoard(clock: loop, position: position), loop)
    }
}
