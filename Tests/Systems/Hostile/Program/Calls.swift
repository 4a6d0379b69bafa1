import RingerBus
import RingerDaemon
import ServiceSupport

/// Calls each method and sets each property of the service on the bus at `address`, whose board is simulated, with values that no
/// program should send. Each call is answered, with values or an error that has a name, and the service is there to the end.
func generatedCalls(_ count: Int, to address: String) async throws {
    // Under qemu, beside other load, a call that advances virtual time takes minutes.
    let client = try BusClient(address, replyTimeout: .seconds(1800))
    defer { client.close() }
    let owner = try await client.bus("GetNameOwner", [.string(RingerNames.service)])
    func makeSession() async throws -> String {
        try await client.call("CreateSession", [.dictionary([:])]).first?.string ?? ""
    }
    let session = try await makeSession()
    let files = try OddFiles()
    var calls = HostileCalls(
        seed: 42, Attack.interfaces(session: session) + [(.simulatedBoard, RingerNames.path)], descriptors: files.all)
    var refused = 0
    for round in 0..<count {
        let call = calls.next()
        do {
            _ = try await client.call(call.member, call.arguments, interface: call.interface, path: call.path)
            if call.member == "Release" { calls.replace(call.path, by: try await makeSession()) }
        } catch let error as BusError {
            guard error.isClear, !error.name.hasSuffix(".NoReply") else {
                throw Failure(message: "call \(round), \(call.member) with \(call.arguments): \(error)")
            }
            refused += 1
        }
    }
    guard try await client.property("Board") == .string("simulated"),
        try await client.bus("GetNameOwner", [.string(RingerNames.service)]) == owner
    else { throw Failure(message: "the service is another one than before") }
    guard refused > count / 4, refused < count else {
        throw Failure(message: "\(refused) of \(count) calls were refused")
    }
    say("\(count) generated calls were answered, \(refused) with an error")
}
