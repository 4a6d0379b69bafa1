import FourCharacterCodes
/// A property of a system sound; an open set, compared with the named values.
public struct SystemSoundProperty: RawRepresentable, Sendable, Hashable {
    /// The four characters that name it.
    public let rawValue: UInt32

    /// The property of this name.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The property of these four characters.
    public init(_ characters: FourCharacterCode) {
        rawValue = characters.rawValue
    }

    /// Whether the sound obeys the user's "sound effects" preference; 1 unless set. It does not lift the switch's
    /// silence. The corresponding C constant is `kAudioServicesPropertyIsUISound`.
    public static let isUISound = SystemSoundProperty("isui")
    /// Whether the sound plays on to its end after the client has ended; 0 unless set. The corresponding C constant is
    /// `kAudioServicesPropertyCompletePlaybackIfAppDies`.
    public static let completePlaybackIfAppDies = SystemSoundProperty("ifdi")

    /// The values of the properties of a sound of which none was set. There are no others.
    static let defaults: [SystemSoundProperty: Bool] = [isUISound: true, completePlaybackIfAppDies: false]

    /// The size of a property's value in bytes: a `UInt32`, 0 for false.
    public static let valueSize = 4
    /// The size of a specifier in bytes: the sound's ID.
    public static let specifierSize = 4
}
