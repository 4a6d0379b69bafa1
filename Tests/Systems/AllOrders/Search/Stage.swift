import CSnapshot
@testable import RingerCore
import SessionRules

/// The world of this process, whose memory is kept and restored.
enum Stage {
    /// Much more than a world takes.
    private static let region = 1 << 24
    nonisolated(unsafe) private(set) static var world: World?

    static func make(_ budget: Budget) -> Bool {
        // The constants that worlds refer to.
        keep(VibrationPattern.standard.pulses)
        keep(World.long.pulses)
        keep(RouteBoard.standard.entries)
        snapshot_make(region)
        within { world = World(budget) }
        // Restoring its memory undoes what this code retained or released meanwhile: no release may be the last one.
        if let world { for _ in 0..<1000 { _ = Unmanaged.passRetained(world) } }
        return world != nil
    }

    /// Keeps the elements of a constant array.
    private static func keep<Element>(_ array: [Element]) {
        // SAFETY: an array is a reference to the object that holds its elements.
        snapshot_keep(unsafeBitCast(array, to: UnsafeRawPointer.self))
    }

    static func take(_ step: Step) {
        within { world?.take(step) }
    }

    /// Calls `body`, which allocates in the region alone.
    static func within<Result>(_ body: () -> Result) -> Result {
        snapshot_use(true)
        defer { snapshot_use(false) }
        return body()
    }
}

/// The states on the way to the present one, each with the memory of its world.
struct KeptPath {
    private var ids: [UInt32] = []
    private var places: [(memory: UnsafeMutableRawPointer, room: Int, size: Int)] = []
    /// How many of `places` are in use: one more than `ids` has.
    private var depth = 0

    init() {
        keep(0)
    }

    /// Takes the world to the last of these states.
    mutating func go(to new: ArraySlice<UInt32>, _ step: (UInt32) -> Step) {
        var common = 0
        while common < ids.count, common < new.count, ids[common] == new[common] { common += 1 }
        ids.removeLast(ids.count - common)
        restore(common)
        for id in new.dropFirst(common) {
            Stage.take(step(id))
            ids.append(id)
            keep(ids.count)
        }
    }

    /// Restores the world so many steps from the beginning.
    func restore(_ depth: Int) {
        snapshot_restore(places[depth].memory, places[depth].size)
    }

    private mutating func keep(_ depth: Int) {
        let size = snapshot_size()
        if places.count == depth { places.append((.allocate(byteCount: size, alignment: 16), size, 0)) }
        if places[depth].room < size {
            places[depth].memory.deallocate()
            places[depth] = (.allocate(byteCount: size, alignment: 16), size, 0)
        }
        places[depth].size = snapshot_save(places[depth].memory)
    }
}
