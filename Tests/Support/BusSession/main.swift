// A program with an audio session on the service, which it activates and plays a sound in until it is killed. It prints
// each signal that it gets, on a line:
//
//     bus-session ADDRESS CATEGORY OPTION|none PRIORITY
import Glibc
import RingerBus
import ServiceSupport

let words = CommandLine.arguments
guard words.count == 5, let priority = Int32(words[4]) else { exit(64) }
let client = try BusClient(words[1])
let options: [String: BusValue] = [
    "category": .string(words[2]), "options": .strings(words[3] == "none" ? [] : [words[3]]),
    "priority": .int32(priority),
]
let path = try await client.call("CreateSession", [.dictionary(options)])[0].string ?? ""
_ = try await client.call("Activate", interface: RingerNames.sessionInterface, path: path)
_ = try await client.request("Play", [.variant(.uint32(1005)), .dictionary([:])], path: path)
for await signal in client.signals {
    print(signal.member)
    fflush(nil)
}
