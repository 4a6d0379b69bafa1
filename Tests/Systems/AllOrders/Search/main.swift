// Searches the orders in which requests, events, the device's thread, the sound thread and the hardware can follow each
// other, with the library's own machines. Tests/Systems/AllOrders/test builds and runs it.
//
//     all-orders [--budget NAME] [--depth N] [--seconds N] [--processes N] [--bits N] [--seed N] [--sample N] [--least N]
//
// Prints the number of distinct states, or the shortest path to one in which a promise is broken; then it exits with 1.
// With --least it exits with 2 where there are fewer states.
import Glibc
@testable import RingerCore

var options = Search.Options()
var arguments = CommandLine.arguments.dropFirst()

func usage() -> Never {
    print(
        "usage: all-orders [--budget NAME] [--depth N] [--seconds N] [--processes N] [--bits N] [--seed N] [--sample N] "
            + "[--least N]")
    exit(64)
}

while let name = arguments.popFirst() {
    guard let value = arguments.popFirst() else { usage() }
    switch (name, Int(value)) {
    case ("--budget", _):
        guard let known = Budget.named.first(where: { $0.name == value }) else { usage() }
        (options.name, options.budget) = known
    case ("--depth", let number?): options.depth = number
    case ("--seconds", let number?): options.seconds = number
    case ("--processes", let number?): options.processes = number
    case ("--least", let number?): options.least = UInt64(max(number, 0))
    case ("--bits", let number?): options.bits = UInt32(min(max(number, 10), 30))
    case ("--seed", let number?): options.seed = UInt64(number)
    case ("--sample", let number?): options.sample = UInt64(max(number, 1))
    default: usage()
    }
}

if let unknown = Fields.unknown() {
    print("\(options.name): the fingerprint was written for other machines: \(unknown)")
    exit(Search.Result.failed.rawValue)
}
Rehearsal.run(options.budget)
let kinds = Effects.counts
print(
    "\(options.name): \(kinds.all) kinds of effects, \(kinds.silent) of them touch nothing here; \(kinds.numbered) kinds of "
        + "closures with numbers")
exit(Search(options).run().rawValue)
