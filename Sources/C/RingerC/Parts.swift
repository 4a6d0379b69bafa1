// ringer.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CRinger
import Glibc
import RingerLinux

@_cdecl("ringer_find_parts") @implementation public func ringer_find_parts(
    _ parts: UnsafeMutablePointer<ringer_part>?, _ size: Int, _ count: Int
) -> CInt {
    attempt {
        guard count >= 0 else { throw Failure(EINVAL, "\(UInt(bitPattern: count)) parts are too many") }
        let found = HardwareDiscovery.scan().parts
        if count > 0 {
            let array = try Structure(parts, size, "parts")
            for (index, part) in found.prefix(count).enumerated() { array.write(part, at: index) }
        }
        return CInt(clamping: found.count)
    }
}

extension HardwareFindings {
    /// What C sees of it.
    var parts: [ringer_part] {
        func part(
            _ kind: ringer_part_kind, _ specification: String, _ name: String, _ problem: HardwareProblem?
        ) -> ringer_part {
            var part = ringer_part()
            part.kind = kind
            withUnsafeMutableBytes(of: &part.specification) { copy(specification, to: $0) }
            withUnsafeMutableBytes(of: &part.name) { copy(name, to: $0) }
            let sentence = problem.map { "\($0.error)" + ($0.repair.map { "; as root: \($0)" } ?? "") } ?? ""
            withUnsafeMutableBytes(of: &part.problem) { copy(sentence, to: $0) }
            return part
        }
        var parts = switches.map { part(RINGER_PART_SWITCH, "\($0.specification)", $0.name, $0.problem) }
        parts += motors.map { part(RINGER_PART_MOTOR, "\($0.specification)", $0.name, $0.problem) }
        parts += lights.map { part(RINGER_PART_STATUS_LIGHT, $0.specification, $0.name, $0.problem) }
        parts += jacks.map { part(RINGER_PART_JACK, "", $0.name, $0.problem) }
        for found in [keys, volumeKeys] { parts += found.map { part(RINGER_PART_KEYS, "", $0.name, $0.problem) } }
        parts += problems.map { part(RINGER_PART_PROBLEM, "", $0.error.subject, $0) }
        return parts
    }
}
