// A month of a payment speaker in virtual time: every payment must be heard whole, once and without delay, the motor turn
// for exactly as long as its patterns say, and resident memory stay flat.
import Glibc

/// The largest growth after the third day that counts as flat, in KiB.
let limit = 256

/// Resident memory in KiB. Source: proc(5), /proc/self/statm.
func resident() -> Int {
    var (size, pages) = (0, 0)
    guard let file = fopen("/proc/self/statm", "r") else { exit(2) }
    defer { fclose(file) }
    let read = withUnsafeMutablePointer(to: &size) { size in
        withUnsafeMutablePointer(to: &pages) { pages in
            withVaList([size, pages]) { vfscanf(file, "%ld %ld", $0) }
        }
    }
    guard read == 2 else { exit(2) }
    return pages * sysconf(CInt(_SC_PAGESIZE)) / 1024
}

let month = try Month()
var memory: [Int] = []
try month.pass { _ in memory.append(resident()) }
let growth = (memory.last ?? .max) - memory[2]
let counts = month.counts
print(
    """
    \(month.heard) of \(Schedule.payments) payments heard once; \(counts.cutOff) times one was cut off before
    \(counts.flips) flips, \(counts.unplugs) unplugged switches, \(counts.interruptions) interruptions, \
    \(counts.restarts) restarts
    \(counts.vibrations) vibrations, the motor turned for \(month.motor.turned) of \(month.motor.expected)
    \(memory[2]) KiB resident after the third day, \(growth) more at the end, allowed below \(limit)
    """)
for finding in month.findings { print("FAILED: \(finding)") }
exit(month.findings.isEmpty && growth < limit ? 0 : 1)
