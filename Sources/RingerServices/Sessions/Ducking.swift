/// How far and how fast a session's sound goes down while another ducks it.
public enum Ducking {
    /// The level of a ducked sound, in decibels below its own.
    public static let decibels: Float = -14
    /// The same as a factor on the samples: 10 to the power of -14/20.
    public static let gain: Float = 0.199_526_23
    /// How long the gain takes to go down, and to come back: short enough to be down within 50 ms together with a
    /// period that is already on its way, long enough to make no click.
    public static let ramp = Duration.milliseconds(20)
}
