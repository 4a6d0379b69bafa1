// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported import Foundation
internal import RingerCore

/// The name of a sound file, in the process's `Library/Sounds` or its bundle.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name of a sound file of the program.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The sound of a notification. Any thread.
public final class UNNotificationSound: NSObject, Sendable {
    /// The sound as the device plays it.
    let sound: NotificationSound

    private init(_ sound: NotificationSound) {
        self.sound = sound
    }

    /// The device's default sound.
    public class var `default`: UNNotificationSound { UNNotificationSound(.standard) }

    /// The default sound of critical alerts, which ignores the switch.
    public class var defaultCritical: UNNotificationSound { UNNotificationSound(.standardCritical()) }

    /// - Parameter volume: 0 to 1.
    public class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound {
        UNNotificationSound(.standardCritical(volume: volume))
    }

    /// A file; where it is missing, is no sound, or lasts 30 s or longer, the default is played.
    public convenience init(named name: UNNotificationSoundName) {
        self.init(.named(name.rawValue))
    }

    /// A file as a critical alert.
    public class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(.criticalNamed(name.rawValue))
    }

    /// - Parameter volume: 0 to 1.
    public class func criticalSoundNamed(
        _ name: UNNotificationSoundName, withAudioVolume volume: Float
    ) -> UNNotificationSound {
        UNNotificationSound(.criticalNamed(name.rawValue, volume: volume))
    }

    /// The sound that the payload of a remote notification names, in `aps.sound`: a file's name, `default`, or a dictionary of
    /// `name`, `critical` (1 or 0) and `volume` (0 to 1). The phone's system reads it; here the program does.
    ///
    /// - Parameter payload: The payload, as `JSONSerialization` reads it.
    /// - Returns: Nil where it names none.
    public convenience init?(payload: [AnyHashable: Any]) {
        guard let aps = payload["aps"] as? [AnyHashable: Any], let sound = aps["sound"] else { return nil }
        if let name = sound as? String {
            guard !name.isEmpty else { return nil }
            self.init(name == "default" ? .standard : .named(name))
        } else {
            guard let fields = sound as? [AnyHashable: Any] else { return nil }
            let name = fields["name"] as? String ?? "default"
            let isCritical = (fields["critical"] as? NSNumber)?.intValue == 1
            let volume = (fields["volume"] as? NSNumber)?.floatValue ?? 1
            guard !name.isEmpty else { return nil }
            switch (name == "default", isCritical) {
            case (true, false): self.init(.standard(volume: volume))
            case (true, true): self.init(.standardCritical(volume: volume))
            case (false, false): self.init(.named(name, volume: volume))
            case (false, true): self.init(.criticalNamed(name, volume: volume))
            }
        }
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? UNNotificationSound)?.sound == sound
    }

    public override var hash: Int { sound.hashValue }
}
