/// A kind of sound that has a volume of its own among the ``UserPreferences``.
///
/// In the order in which a volume key finds it, where several are heard.
package enum SoundKind: String, Sendable, Hashable, CaseIterable {
    case call, alarm, alert, announcement, media
}

extension SoundRequest {
    /// The kind whose volume applies; nil for a sound that has none.
    package var kind: SoundKind? {
        switch self {
        case .session(_, _, _, _, isAlarm: true, _), .alarm: .alarm
        case .session(_, _, _, _, _, announcement: .some): .announcement
        case .session(let category, _, _, _, _, _): category == .playAndRecord ? .call : .media
        case .alert, .notification: .alert
        case .systemSound, .vibration: nil
        }
    }

    /// The same sound of a session as an announcement.
    package func announcing(_ volume: AnnouncementVolume) -> SoundRequest {
        guard case .session(let category, let options, let isInterrupted, let isInBackground, let isAlarm, _) = self
        else { return self }
        return .session(
            category, options: options, isInterrupted: isInterrupted, isInBackground: isInBackground, isAlarm: isAlarm,
            announcement: volume)
    }
}

extension UserPreferences {
    /// The volume of a kind of sound, clamped to 0...1.
    package subscript(volumeOf kind: SoundKind) -> Float {
        get {
            let volume =
                switch kind {
                case .call: callVolume
                case .alarm: alarmVolume
                case .alert: alertVolume
                case .announcement: announcementVolume
                case .media: mediaVolume
                }
            return clamped(volume)
        }
        set {
            switch kind {
            case .call: callVolume = newValue
            case .alarm: alarmVolume = newValue
            case .alert: alertVolume = newValue
            case .announcement: announcementVolume = newValue
            case .media: mediaVolume = newValue
            }
        }
    }
}

/// A volume that the rules can use: NaN, which would pass through `min` and `max`, is 0.
func clamped(_ volume: Float) -> Float {
    volume.isNaN ? 0 : min(max(volume, 0), 1)
}
