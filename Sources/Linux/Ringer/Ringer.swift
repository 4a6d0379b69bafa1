// What `import Ringer` shows: the names that a firmware writes. A program that brings a port of its own, or names one of the other
// types, imports RingerCore; for Linux's hardware behind the ports, RingerLinux. Members of types that are not named here can be
// used without their names.

// The device, its time and its timers.
@_exported import class RingerCore.Device
@_exported import protocol RingerCore.DeviceClock
@_exported import enum RingerCore.DeviceEvent
@_exported import enum RingerCore.DeviceKey
@_exported import protocol RingerCore.DeviceTimer
@_exported import struct RingerCore.RingerError
@_exported import struct RingerPolicy.DeviceState
@_exported import struct RingerPolicy.MonotonicTime
@_exported import enum RingerPolicy.SwitchPosition

// Its hardware, as text or values.
@_exported import enum RingerLinux.MotorSpecification
@_exported import enum RingerLinux.SwitchSpecification

// The rules, and what the user chooses.
@_exported import enum RingerPolicy.AudioCategory
@_exported import enum RingerPolicy.AudioRoute
@_exported import struct RingerPolicy.CategoryOptions
@_exported import enum RingerPolicy.Decision
@_exported import struct RingerPolicy.QuietHours
@_exported import struct RingerPolicy.UserPreferences
@_exported import func RingerPolicy.decide

// Sounds, alerts, announcements and vibration, and how they end.
@_exported import enum RingerCore.AlertKind
@_exported import struct RingerCore.AlertResult
@_exported import class RingerCore.Alerts
@_exported import struct RingerCore.Announcement
@_exported import class RingerCore.Announcements
@_exported import enum RingerCore.SoundLoader
@_exported import enum RingerCore.SoundOutcome
@_exported import class RingerCore.SoundPlayer
@_exported import struct RingerCore.SoundResult
@_exported import struct RingerCore.SystemSoundID
@_exported import struct RingerCore.VibrationPattern
@_exported import struct SoundFile.PCMBuffer

// Sessions.
@_exported import class RingerCore.AudioSession
@_exported import struct SessionRules.SessionPriority

// The status light.
@_exported import enum RingerCore.LightPattern

// An import of a type by its name leaves its operators out.
extension MonotonicTime {
    /// The instant `duration` after `time`.
    @_disfavoredOverload
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime { time.advanced(by: duration) }

    /// How long after `right` `left` is; negative when it is before.
    @_disfavoredOverload
    public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration { right.duration(to: left) }
}
