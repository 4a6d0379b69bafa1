@_exported import SystemSounds
import Glibc
import SystemPackage

/// The predefined sounds on this device: each from a file that overrides it, or synthesised from its recipe.
public struct PredefinedSounds: Sendable {
    /// Where a predefined sound comes from.
    @nonexhaustive
    public enum Source: Sendable, Hashable {
        /// This file overrides it.
        case file(String)
        /// It is synthesised from its recipe.
        case synthesized
        /// It is a vibration, without a sound.
        case vibration
        /// It has neither a sound nor a vibration.
        case silent
    }

    /// The family of the device. A few sounds have another file on a player than on a phone.
    public var variant: DeviceVariant
    /// The directories of files that override predefined sounds, searched in this order.
    public var directories: [String] {
        get { named ?? Self.standardDirectories }
        set { named = newValue }
    }
    /// The directories that were set; nil for the standard ones, which are read from the environment at each search.
    private var named: [String]?
    /// The rate at which recipes are rendered, in hertz.
    public var sampleRate: Double

    /// The predefined sounds of the family that the environment's `RINGER_VARIANT` names, of a phone where it names none, with
    /// the ``standardDirectories``.
    public init() {
        self.init(variant: Self.environment("RINGER_VARIANT").flatMap(DeviceVariant.init) ?? .phone)
    }

    /// The predefined sounds of a device, by default with the ``standardDirectories``.
    public init(
        variant: DeviceVariant = .phone, directories: [String]? = nil, sampleRate: Double = 48_000
    ) {
        self.variant = variant
        named = directories
        self.sampleRate = sampleRate
    }

    /// `$XDG_DATA_HOME/ringer/sounds` (`$HOME/.local/share/ringer/sounds` where that is not set), then
    /// `/usr/share/ringer/sounds`.
    public static var standardDirectories: [String] {
        var directories: [String] = []
        // XDG Base Directory Specification: a path that is not absolute is to be ignored.
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            directories.append(data + "/ringer/sounds")
        } else if let home = environment("HOME"), home.hasPrefix("/") {
            directories.append(home + "/.local/share/ringer/sounds")
        }
        return directories + ["/usr/share/ringer/sounds"]
    }

    /// Whether the file is there, and its directory may be searched.
    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func environment(_ name: String) -> String? {
        // SAFETY: getenv returns nil or a string that ends in a zero byte; it is copied at once.
        getenv(name).map { String(cString: $0) }
    }

    /// Where `sound` comes from now. A file is looked for, not opened: it may turn out to be broken when it is played.
    public func source(of sound: PredefinedSound) -> Source {
        guard let file = sound.file(on: variant) else { return sound.vibration.isEmpty ? .silent : .vibration }
        for directory in directories {
            let path = directory + "/" + file
            if Self.exists(path) { return .file(path) }
        }
        return .synthesized
    }

    /// The samples of `sound`, decoded or synthesised now; nil if it has no sound. The recipe is used where the file is
    /// broken, or longer than a system sound may be: ``PCMBuffer/shortfall`` says why.
    public func samples(of sound: PredefinedSound) -> PCMBuffer? {
        samples(of: sound, nil)
    }

    /// The same; with an error no file is looked for.
    func samples(of sound: PredefinedSound, _ refusal: RingerError?) -> PCMBuffer? {
        guard let file = sound.file(on: variant) else { return nil }
        var failure = refusal
        for directory in directories where failure == nil {
            let path = directory + "/" + file
            do throws(RingerError) {
                return try SoundLoader.load(path, maximumDuration: SoundLimits.systemSoundDuration)
            } catch {
                switch error.errno {
                case .noSuchFileOrDirectory, .notDirectory: continue
                // XDG Base Directory Specification: a directory that may not be searched is skipped. A service often runs
                // with the home of another user.
                case .permissionDenied where !Self.exists(path): continue
                default: failure = error
                }
            }
        }
        guard let sound = sound.recipe(on: variant).map({ SoundSynthesizer.render($0, sampleRate: sampleRate) }) else {
            return nil
        }
        return failure.map { sound.standingIn(because: $0) } ?? sound
    }
}

extension PredefinedSound {
    /// How it is felt; nil if it is a sound. A pattern has one strength: the first pulse's.
    var pattern: VibrationPattern? {
        guard let first = vibration.first else { return nil }
        let pulses = vibration.map { VibrationPattern.Pulse(on: $0.on, off: $0.off) }
        // It throws nothing: a `VibrationPulse` is checked for the same.
        return try? VibrationPattern(pulses: pulses, strength: Float(first.strength))
    }
}
