import Glibc
import RingerCore
import SystemPackage
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

extension NamedSound {
    /// Makes sure that what names no predefined sound is a file in `folder`.
    ///
    /// - Throws: ``RingerError`` where there is no such file, and the name resembles a predefined sound's, which it names.
    package func check(in folder: String = ".") throws(RingerError) {
        guard case .file(let path) = self, !path.contains("/"), access("\(folder)/\(path)", F_OK) != 0, errno == ENOENT
        else { return }
        let names = PredefinedSound.all.flatMap { [$0.name, $0.category ?? $0.name] }
        let nearest = names.map { (name: $0, distance: path.distance(to: $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= min(2, path.count / 2) else { return }
        throw RingerError("open", path, .noSuchFileOrDirectory, detail: "or is \"\(nearest.name)\" meant?")
    }
}

extension String {
    /// How many letters have to be added, removed or changed to make `other` of this, in any case.
    fileprivate func distance(to other: String) -> Int {
        let other = Array(other.lowercased().utf8)
        var row = Array(0...other.count)
        for (index, letter) in lowercased().utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let changed = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
