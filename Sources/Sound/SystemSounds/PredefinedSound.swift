/// One of the 125 sounds and vibrations every device knows by number.
///
/// A row has a file, or a vibration, or neither: a row with neither is silent. The files are not shipped: each file's
/// stem names a recipe that is synthesised, and a file of that name on the device takes its place.
///
/// Source: the table of system sound IDs that System Sound Services has grown since its first version.
public struct PredefinedSound: Sendable, Hashable, Identifiable {
    /// The number by which a program plays it: 1000 to 1351, and 4095.
    public let id: UInt32
    /// A name of its own: no two rows share one, it never changes, and it never reads as a number.
    ///
    /// It is the stem of the phone's file. Where an earlier row has taken that, the category is added, and where an
    /// earlier row of that stem has the category as well (or there is no category), the ID: `Tock`, `Tock-1105`,
    /// `Tock-KeyPressClickPreview`. A row without a file has its category for a name: `Vibrate`.
    public let name: String
    /// What the sound is for, such as `SMSReceived_Alert`. Several rows share one; ID 1015 has none.
    public let category: String?
    /// The file's name on a phone, such as `alarm.caf`, or nil if there is no sound.
    public let filePhone: String?
    /// The file's name on a player, such as `sq_alarm.caf`, or nil if there is no sound.
    public let filePlayer: String?
    /// The system version that brought this sound, such as `4.2`, or nil if it was there from the beginning.
    public let availableSince: String?
    /// The system version that gave this sound its category, where the category is younger than the sound.
    public let categorySince: String?
    /// The category before `categorySince`, where there was one.
    public let formerCategory: String?
    /// What the motor does, from first to last; empty for a row that does not vibrate.
    package let vibration: [VibrationPulse]

    /// - Parameters:
    ///   - stem: The name of the phone's file without its ending, `.caf`; nil where there is no sound.
    ///   - name: The row's name, where it is neither the stem nor, without one, the category.
    ///   - player: The stem on a player, where it is another one.
    init(
        _ id: UInt32, _ stem: String?, _ category: String?, name: String? = nil, player: String? = nil,
        since: String? = nil, categorySince: String? = nil, formerCategory: String? = nil,
        vibration: [VibrationPulse] = []
    ) {
        self.id = id
        self.name = name ?? stem ?? category ?? ""
        self.category = category
        self.filePhone = stem.map { $0 + ".caf" }
        self.filePlayer = player.map { $0 + ".caf" } ?? filePhone
        self.availableSince = since
        self.categorySince = categorySince
        self.formerCategory = formerCategory
        self.vibration = vibration
    }

    /// The file this sound plays on a device of the given family, or nil if there is no sound.
    public func file(on variant: DeviceVariant) -> String? {
        switch variant {
        case .phone: filePhone
        case .player: filePlayer
        }
    }

    /// The recipe of the sound on a device of the given family, or nil if there is no sound.
    package func recipe(on variant: DeviceVariant) -> SoundRecipe? {
        file(on: variant).flatMap { SoundRecipe.predefined(file: $0) }
    }
}

/// The family of device whose predefined sound is requested: players have files of their own for a few sounds.
public enum DeviceVariant: String, Sendable, Hashable, CaseIterable {
    /// A device with a loudspeaker for music and speech.
    case phone
    /// A device with no more than a beeper, whose clicks and alarms sound square.
    case player
}
