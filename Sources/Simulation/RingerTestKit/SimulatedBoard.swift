import RingerCore

/// A board to test firmware on: a switch, a motor, a status light, a button, keys, a speaker and the rest of the
/// device's state, on one clock.
public struct SimulatedBoard: Sendable {
    /// The board's clock.
    public let clock: any DeviceClock
    /// The Ring/Silent switch.
    public let ringSilent: SimulatedSwitch
    /// The vibration motor.
    public let motor: SimulatedMotor
    /// The status light.
    public let statusLight: SimulatedStatusLight
    /// The light that is lit while the device is not at ring.
    public let silentLight: SimulatedStatusLight
    /// The button that moves the kept position, beside the switch.
    public let button: SimulatedButton
    /// The keys.
    public let keys: SimulatedKeys
    /// The speaker.
    public let speaker: SimulatedSoundOutput
    /// The microphone.
    public let microphone: SimulatedSoundInput
    /// Jacks, volume, input and screen lock.
    public let surroundings: SimulatedStateSource
    /// The time zone.
    public let timeZone: SimulatedTimeZone

    /// A board on `clock`, its switch at `position`.
    ///
    /// - Parameters:
    ///   - clock: The board's clock.
    ///   - position: The switch's position.
    ///   - routes: The routes that have a PCM of their own, and its name. The others have one PCM, as on hardware: the codec
    ///     takes its sound to the headphones and back.
    public init(clock: any DeviceClock, position: SwitchPosition = .ring, routes: [AudioRoute: String] = [:]) {
        self.clock = clock
        ringSilent = SimulatedSwitch(clock: clock, position: position)
        motor = SimulatedMotor(clock: clock)
        statusLight = SimulatedStatusLight(clock: clock)
        silentLight = SimulatedStatusLight(clock: clock)
        button = SimulatedButton(clock: clock)
        keys = SimulatedKeys(clock: clock)
        speaker = SimulatedSoundOutput(clock: clock, routes: routes)
        microphone = SimulatedSoundInput()
        surroundings = SimulatedStateSource()
        timeZone = SimulatedTimeZone()
    }
}
