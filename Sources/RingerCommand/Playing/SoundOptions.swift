import SystemSounds
import ArgumentParser
import Ringer

extension AlertWay: ExpressibleByArgument {}
extension DeviceVariant: ExpressibleByArgument {}

/// Where predefined sounds come from.
struct SoundOptions: ParsableArguments {
    @Option(
        name: .customLong("sounds"),
        help: ArgumentHelp(
            "Look there first for files that override predefined sounds; then in $XDG_DATA_HOME/ringer/sounds and /usr/share/ringer/sounds.",
            valueName: "dir"), completion: .directory)
    var directory: String?
    @Option(help: "The family of the device, which decides about a few predefined sounds.")
    var variant = DeviceVariant.phone

    /// The predefined sounds as the options ask for them.
    var predefined: PredefinedSounds {
        PredefinedSounds(
            variant: variant, directories: (directory.map { [$0] } ?? []) + PredefinedSounds.standardDirectories)
    }

    /// The device's configuration with these sounds.
    var configuration: Device.Configuration {
        Device.Configuration(sounds: SystemSoundServices.Configuration(predefined: predefined))
    }
}

/// A sound as the command line names it.
enum NamedSound: ExpressibleByArgument {
    case id(SystemSoundID)
    case file(String)

    /// A number is an ID; the name or the category of a predefined sound is that sound's, the first one's of several;
    /// anything else is a file.
    init(argument: String) {
        if let number = UInt32(argument) {
            self = .id(SystemSoundID(rawValue: number))
        } else if let sound = PredefinedSound.named(argument) ?? PredefinedSound.inCategory(argument).first {
            self = .id(SystemSoundID(rawValue: sound.id))
        } else {
            self = .file(argument)
        }
    }

    /// What the argument's help says of it.
    static let help: ArgumentHelp =
        "A predefined sound's ID, name or category (see 'ringer sounds'), or a file: ./NAME where it has such a name."
}
