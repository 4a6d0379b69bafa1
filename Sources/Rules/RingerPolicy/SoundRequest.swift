/// A kind of sound, as far as the rules depend on it.
public enum SoundRequest: Sendable, Hashable {
    /// A sound of an audio session.
    ///
    /// `isInterrupted` says that the session itself was interrupted and has not been resumed, `isInBackground` that its
    /// application is not the one in front, `isAlarm` that its priority is an alarm's, `announcement` that the sound is an
    /// announcement, and how loud.
    case session(
        AudioCategory, options: CategoryOptions = [], isInterrupted: Bool = false, isInBackground: Bool = false,
        isAlarm: Bool = false, announcement: AnnouncementVolume? = nil)
    /// A system sound. With `isUISound` it obeys the user's ``UserPreferences/soundEffects``.
    case systemSound(isUISound: Bool = true)
    /// An alert: a sound, a vibration, or both.
    case alert
    /// An alarm of a clock, a timer or a smoke detector: an alert that the user wants to hear in a silent room, unless
    /// ``UserPreferences/alarmsIgnoreSilence`` is off.
    case alarm
    /// A notification sound at a volume of 0 to 1. A critical one ignores the switch and do-not-disturb; whether the
    /// application may send one is decided before the request is made.
    case notification(volume: Float = 1, isCritical: Bool = false)
    /// A vibration on its own.
    case vibration
}

/// How loud an announcement is.
public enum AnnouncementVolume: Sendable, Hashable {
    /// As loud as the user wants announcements: ``UserPreferences/announcementVolume``.
    case preferred
    /// At a volume of its own in the place of the user's, clamped to 0...1.
    case own(Float)
}
