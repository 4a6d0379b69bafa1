import SystemSounds
import ArgumentParser
import RingerLinux
import RingerTerminal

extension AlertWay: ExpressibleByArgument {}
extension AlertKind: ExpressibleByArgument {}
extension DeviceVariant: ExpressibleByArgument {}

/// Which predefined sounds to use.
struct SoundOptions: ParsableArguments {
    @Option(
        name: .customLong("sounds"),
        help: ArgumentHelp(
            "A directory of files that replace predefined sounds. $XDG_DATA_HOME/ringer/sounds and /usr/share/ringer/sounds are searched after it.",
            valueName: "dir"), completion: .directory)
    var directory: String?
    @Option(
        help:
            "The kind of device: a few predefined sounds depend on it. By default what RINGER_VARIANT says, or a phone."
    )
    var variant: DeviceVariant?

    /// The predefined sounds for these options.
    var predefined: PredefinedSounds {
        var predefined = PredefinedSounds()
        if let variant { predefined.variant = variant }
        predefined.directories = (directory.map { [$0] } ?? []) + PredefinedSounds.standardDirectories
        return predefined
    }

    /// The device's configuration with these sounds and the user's preferences.
    func configuration(_ user: PreferenceOptions) -> Device.Configuration {
        Device.Configuration(
            preferences: user.preferences, sounds: SystemSoundServices.Configuration(predefined: predefined))
    }
}

extension NamedSound {
    /// The help of the argument.
    static let help: ArgumentHelp =
        "A predefined sound's ID, name or category (see 'ringer sounds'), or a file. Write ./NAME for a file with such a name."
}
