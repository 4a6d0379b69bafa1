// Repeats a kind of call or event with variation, in a process of its own, and asserts that stack, heap, descriptors, threads,
// watches and the cost of a round are flat:
//
//     endurance list               the names of the kinds, a line each
//     endurance ROUNDS KIND        prints a line of this kind; exit status 1 where something has grown, or a round failed
//     endurance month              a month of a payment speaker in virtual time: Month/Month.swift says what must be true
import Glibc

/// Ends the process, and with it what the rounds used: their files, and buses and services that it started, which are in its
/// group.
func end(_ status: CInt) -> Never {
    fflush(nil)
    _ = system("rm -rf /tmp/ringer-*-\(getpid()) /tmp/ringer-*-\(getpid())[-.]*")
    signal(SIGTERM, SIG_IGN)
    kill(0, SIGTERM)
    _exit(status)
}

setpgid(0, 0)

let arguments = CommandLine.arguments
switch arguments.count {
case 2 where arguments[1] == "list":
    for kind in Kinds.all { print(kind.name) }
case 2 where arguments[1] == "month":
    do {
        let (text, isRight) = try Month.run()
        print(text)
        end(isRight ? 0 : 1)
    } catch {
        print("a month: FAILED: \(error)")
        end(1)
    }
case 3:
    let kinds = Kinds.all + Planted.kinds + Kinds.laboratory
    guard let rounds = Int(arguments[1]), let kind = kinds.first(where: { $0.name == arguments[2] })
    else { fallthrough }
    do {
        let (line, isFlat) = try Endurance(kind, rounds: rounds).run()
        print(line)
        end(isFlat ? 0 : 1)
    } catch {
        print("\(kind.name): FAILED: \(error)")
        end(1)
    }
default:
    print("usage: endurance list | endurance ROUNDS KIND")
    exit(64)
}
