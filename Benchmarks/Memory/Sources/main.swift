// Asserts that resident memory stays flat over plays, alerts, sessions, registrations and detections on a simulated
// board, in virtual time, and prints a line for each; exit status 1 where one grows:
//
//     Benchmarks/Memory/run [TIMES]      each so often (default: 100,000), after a tenth of that to warm up
import Glibc
import SystemPackage

/// The largest growth over all rounds that counts as flat, in KiB. The smallest block of the heap has 32 bytes: one that
/// is leaked in each of 20,000 rounds makes 625 KiB.
let limit = 256

/// Resident memory in KiB. Source: proc(5), /proc/self/statm.
func resident() throws -> Int {
    let file = try FileDescriptor.open("/proc/self/statm", .readOnly)
    return try file.closeAfter {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
        let pages = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")[1]
        return (Int(pages) ?? 0) * sysconf(CInt(_SC_PAGESIZE)) / 1024
    }
}

let times = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
let flat = try Flat()
_ = try resident()  // the pages that reading it takes itself
var failed = false
for activity in try flat.activities() {
    for number in 0..<times / 10 { try activity.round(number) }
    let before = (memory: try resident(), expected: flat.asExpected)
    for number in 0..<times { try activity.round(number) }
    let growth = try resident() - before.memory
    let asExpected = flat.asExpected - before.expected
    let isFlat = growth < limit && asExpected == times
    if !isFlat { failed = true }
    print(
        "\(activity.name): \(asExpected) of \(times) as expected; \(before.memory) KiB resident after the warm-up,",
        "\(growth) more at the end, allowed below \(limit)", isFlat ? "ok" : "FAILED")
}
flat.close()
exit(failed ? 1 : 0)
