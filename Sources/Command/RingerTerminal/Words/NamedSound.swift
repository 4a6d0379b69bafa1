import Ringer
import SystemSounds

/// A sound as the command line names it.
package enum NamedSound: Sendable {
    case id(SystemSoundID)
    case file(String)

    /// A number is an ID; the name or category of a predefined sound is that sound, the first one of several; anything
    /// else is a file.
    package init(argument: String) {
        if let number = UInt32(argument) {
            self = .id(SystemSoundID(rawValue: number))
        } else if let sound = PredefinedSound.named(argument) ?? PredefinedSound.inCategory(argument).first {
            self = .id(SystemSoundID(rawValue: sound.id))
        } else {
            self = .file(argument)
        }
    }
}

extension NamedSound: CustomStringConvertible {
    /// The sound's number, or its file.
    package var description: String {
        switch self {
        case .id(let id): "\(id)"
        case .file(let path): path
        }
    }
}
