/// Which system sound may use an output, the speaker or the motor: one at a time.
///
/// A new call replaces the one that has the output. It waits instead, first come, first served:
///
/// - while the output belongs to the sound that replaced the last play of the call's ID, or that replaced that sound in
///   turn;
/// - while it belongs to a sound that itself waited for the call's ID;
/// - where it was made from a completion.
///
/// So loops alternate whole sounds, and a sound that interrupts a loop is played to its end.
struct SystemSoundQueue {
    typealias Number = UInt64

    /// A sound by ID: each client has IDs of its own. The rounds of an alert and the sounds of notifications are others
    /// than plays of the same ID.
    struct Sound: Sendable, Hashable {
        var client: UInt64
        var id: SystemSoundID
        var kind = SystemSoundOrder.Kind.play
    }

    struct Entry {
        var number: Number
        var sound: Sound
        /// The sounds that had the output while the call waited.
        var waitedFor: Set<Sound> = []
    }

    /// So many calls of one ID wait at most. A sound that is asked for again and again faster than it can be played
    /// falls no further behind.
    static let mostWaiting = 8

    private(set) var current: Entry?
    private(set) var waiting: [Entry] = []
    /// The IDs whose last play `current` has replaced, itself or through the calls that it replaced.
    private(set) var replaced: Set<Sound> = []

    /// The call that has the output; nil if it is free.
    var owner: Number? { current?.number }

    /// Asks for the output, for a call that has not asked yet. It has the output then, or waits.
    ///
    /// - Returns: The call that ends as replaced, if any: the one that had the output, or, where too many calls of this ID
    ///   wait, the one that waited for longest.
    mutating func request(_ number: Number, _ sound: Sound, isFromCompletion: Bool) -> Number? {
        var new = Entry(number: number, sound: sound)
        guard let current else {
            self.current = new
            return nil
        }
        if isFromCompletion || replaced.contains(sound) || current.waitedFor.contains(sound) {
            new.waitedFor = [current.sound]
            let before = waiting.filter { $0.sound == sound }
            let dropped = before.count < Self.mostWaiting ? nil : before[0].number
            waiting.removeAll { $0.number == dropped }
            waiting.append(new)
            return dropped
        }
        replaced.insert(current.sound)
        replaced.remove(sound)
        give(to: new)
        return current.number
    }

    /// The call ended, or is being stopped, or waits no longer. The call that has waited longest becomes the owner.
    mutating func release(_ number: Number) {
        waiting.removeAll { $0.number == number }
        guard current?.number == number else { return }
        replaced = []
        current = nil
        if !waiting.isEmpty { give(to: waiting.removeFirst()) }
    }

    private mutating func give(to new: Entry) {
        current = new
        for index in waiting.indices { waiting[index].waitedFor.insert(new.sound) }
    }
}
