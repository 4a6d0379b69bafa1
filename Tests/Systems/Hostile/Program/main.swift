// Attacks ringerd on a bus with Debian's own system.conf, and asserts that others have what the service promises:
//
//     hostile [MESSAGES]      100,000 generated messages from each attacker by default
//     hostile floods SECONDS  floods with each method alone, for so long without and with replies
//     hostile waves MINUTES   strangers alone, while the service has the unit's MemoryMax
//     hostile calls ADDRESS COUNT  so many generated calls, of a simulated board too, to a service that runs on this bus (Calls.swift)
//
// Before the attacks a member of the group audio floods the service with each method in turn (Floods.swift), and strangers send
// the largest messages (Strangers.swift).
//
// The attackers are a user without any permission, a member of the group audio, who may play, and a second program of the user
// who plays meanwhile. Each sends generated messages, announcements of one descriptor a thousand times, and 20,000 messages a
// second for 10 s where the machine reaches that: what it reached is printed. Half of this is without the methods that may turn
// the motor: who may play may replace root's pulses, and its alert, which are judged beside the other half. Nobody of them uses
// the simulated board.
//
// Failures are: fewer messages than these, a call without a reply, an alarm or alert of root's that ends, another process than
// before, descriptors that stay, memory above the budget, and times above what is promised. Of the times the median is judged,
// since the attackers and whatever else the machine does have its processors too, and allowed besides are what the same use
// takes at rest, measured first, and what a round trip to the bus itself takes meanwhile: neither is the service's. The motor
// may never stop late by half a second besides what its thread waited for a processor.
import Glibc
import RingerLinux
import RingerDaemon
import ServiceSupport

/// Prints a line at once.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

struct Failure: Error {
    var message: String
}

/// How late the motor may stop on any machine.
let motorLimit = Duration.milliseconds(500)

/// The median; nil where there is none.
func median(_ times: [Duration]) -> Duration? { times.isEmpty ? nil : times.sorted()[times.count / 2] }

/// Prints times, and judges their median: at most that at rest, that of a round trip to the bus and so many milliseconds.
func row(_ what: String, _ times: [Duration], _ target: Int, rest: [Duration], bus: [Duration]) throws {
    let sorted = times.sorted()
    func milliseconds(_ time: Duration?) -> String {
        guard let time else { return "-" }
        let tenths = Int(time / .microseconds(100))
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
    say(
        "    \(what): median \(milliseconds(median(times))), at rest \(milliseconds(median(rest))), "
            + "the bus \(milliseconds(median(bus))), most \(milliseconds(sorted.last)) ms of \(times.count); target \(target)"
    )
    guard let late = median(times), let atRest = median(rest), let bus = median(bus) else {
        throw Failure(message: "\(what): no times")
    }
    guard late <= max(atRest, .zero) + bus + .milliseconds(target) else { throw Failure(message: "\(what): too late") }
}

/// The most private memory of a process until the task is cancelled, in KiB.
func peakMemory(of process: String) async throws -> Int {
    var most = 0
    while !Task.isCancelled {
        most = max(most, try ProcessUsage(of: process).memory)
        try? await Task.sleep(for: .milliseconds(20))
    }
    return most
}

/// Attacks beside the use of others. A user without permission may replace nothing; who may play may, and does not turn the
/// motor if what does is left out.
func run(
    _ attack: Attack, _ messages: Int, leaveOut: Set<String>, beside others: Others, atRest rest: Others.Times
) async throws {
    let isOver = Flag()
    let use = Task { try await others.use(until: isOver) }
    let clock = ContinuousClock()
    let start = clock.now
    let counts = try await attack.generated(messages, leaveOut: leaveOut)
    let generated = clock.now
    try attack.manyHandles()
    let sent = try await attack.bursts(20_000, seconds: 5, leaveOut: leaveOut)
    say(
        "    \(counts.calls) calls, \(counts.refused) refused, \(counts.released) sessions released, \(counts.signals) "
            + "forged signals in \(generated - start); longest wait for a reply \(counts.longest)")
    say("    \(sent.count) messages in bursts; the bus took \(sent.rate) a second")
    guard counts.calls + counts.signals == messages / 16 * 16, sent.count == 100_000 else {
        throw Failure(message: "fewer messages were sent")
    }
    isOver.raise()
    let times = try await use.value
    try row("a flip silences a sound, from the call", times.flips, 30, rest: rest.flips, bus: times.bus)
    try row("a sound of another begins, from the call", times.starts, 50, rest: rest.starts, bus: times.bus)
    let isHarmless = attack.user.groups.isEmpty
    if isHarmless || !leaveOut.isEmpty {
        try row(
            "the motor stops after 1.0 s, late by", times.motor.map(\.late), 20, rest: rest.motor.map(\.late),
            bus: times.bus)
        guard times.motor.allSatisfy({ $0.byService < motorLimit }) else {
            throw Failure(message: "the motor stopped late")
        }
        guard times.replaced == 0 else { throw Failure(message: "\(times.replaced) pulses were replaced") }
    }
    say("    others took the place of \(times.replaced) pulses and \(times.silenced) sounds, as who may play may")
    if isHarmless, times.silenced > 0 {
        throw Failure(message: "a user without permission took the place of others")
    }
    guard try await others.alarmRings() else { throw Failure(message: "the alarm has ended") }
    let isWhole = try await others.alertRings()
    guard isWhole || !isHarmless && leaveOut.isEmpty else { throw Failure(message: "the alert was replaced") }
    guard try await others.areAlone() else { throw Failure(message: "requests of programs that left the bus run on") }
}

/// Attacks with everything, and then without what turns the motor, and judges memory and descriptors.
func run(
    _ attack: Attack, _ messages: Int, beside others: Others, atRest rest: Others.Times, _ process: String,
    memory bound: Int
) async throws {
    say("\(attack.name):")
    let before = try ProcessUsage(of: process)
    let changing = Task { await attack.files.change() }
    let memory = Task { try await peakMemory(of: process) }
    for leftOut: Set<String> in [[], Attack.vibrating] {
        if !leftOut.isEmpty { say("    without \(leftOut.sorted().joined(separator: ", ")):") }
        try await run(attack, messages / 2, leaveOut: leftOut, beside: others, atRest: rest)
    }
    changing.cancel()
    memory.cancel()
    let most = try await memory.value
    say("    private memory: \(before.memory) KiB before, at most \(most), allowed \(bound)")
    guard most <= bound else { throw Failure(message: "the memory is above the budget") }
    for _ in 0..<6000 {
        guard try ProcessUsage(of: process).descriptors > before.descriptors else { break }
        try await Task.sleep(for: .milliseconds(20))
    }
    let after = try ProcessUsage(of: process).descriptors
    guard after <= before.descriptors else {
        throw Failure(message: "\(before.descriptors) descriptors have become \(after)")
    }
}

/// The attacks of generated messages, `messages` from each attacker.
func generated(_ messages: Int, audio: gid_t) async throws {
    let bus = try TestBus.system()
    // Tasks that are left where something fails may keep it.
    defer { bus.send(SIGKILL) }
    let process = try ServiceProcess(bus, isRealTime: true)
    let files = try OddFiles()
    let observer = try BusClient(bus.address)
    try await process.serves(observer)
    let owner = try await observer.bus("GetNameOwner", [.string("org.ringer.Ringer1")])
    let victim = TestUser(1, groups: [audio])
    let others = try await Others(bus, process, player: victim)
    // What is loaded once is not the attackers'.
    try await Task.sleep(for: .seconds(1))
    let isRested = Flag()
    let use = Task { try await others.use(until: isRested) }
    try await Task.sleep(for: .seconds(6))
    isRested.raise()
    let rest = try await use.value
    // The messages that wait, and what the allocator keeps; besides, what a user who may play may have of decoded sound.
    let bound = try ProcessUsage(of: "\(process.process)").memory + 16 * 1024
    for (name, user, programs) in [
        ("nobody", TestUser.nobody, 16), ("a member of audio", TestUser(2, groups: [audio]), 16),
        ("another program of the player's user", victim, 1),
    ] {
        let attack = Attack(
            name: name, bus: bus, user: user, files: files, programs: programs, session: others.alarm)
        let decoded = user.groups.isEmpty ? 0 : Budget.Limits()[.decoded] / 1024
        try await run(attack, messages, beside: others, atRest: rest, "\(process.process)", memory: bound + decoded)
    }
    guard process.isRunning, try await observer.bus("GetNameOwner", [.string("org.ringer.Ringer1")]) == owner else {
        throw Failure(message: "the service has been started anew")
    }
    say("ringerd is process \(process.process) still, and root's alarm and alert ring")
}

/// The unit's limit of memory in bytes.
func memoryMax() throws -> Int {
    guard let file = fopen("packaging/ringerd.service", "r") else { throw Failure(message: "there is no unit") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, CInt(line.count), file) != nil {
        let text = line.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if text.hasPrefix("MemoryMax="), let size = Int(text.dropFirst(10).prefix { $0.isNumber }) { return size << 20 }
    }
    throw Failure(message: "the unit has no MemoryMax")
}

func floods(_ seconds: Double, audio: gid_t) async throws {
    let bus = try TestBus.system()
    defer { bus.send(SIGKILL) }
    try await Floods(bus: bus, user: TestUser(2, groups: [audio])).run(seconds: seconds)
}

func strangers(waves: Int, for time: Duration, limit: Int? = nil) async throws {
    let bus = try TestBus.system()
    defer { bus.send(SIGKILL) }
    try await Strangers(bus: bus).run(waves: waves, for: time, limit: limit)
}

func hostile() async throws {
    let words = CommandLine.arguments.dropFirst()
    if words.first == "calls", words.count == 3, let count = Int(CommandLine.arguments[3]) {
        return try await generatedCalls(count, to: CommandLine.arguments[2])
    }
    guard let number = Double(words.last ?? "100000"), words.count < 3 else {
        throw Failure(message: "usage: hostile [MESSAGES] | floods SECONDS | waves MINUTES | calls ADDRESS COUNT")
    }
    guard let audio = getgrnam("audio")?.pointee.gr_gid else { throw Failure(message: "there is no group audio") }
    switch words.count == 2 ? words.first : nil {
    case "floods": try await floods(number, audio: audio)
    case "waves": try await strangers(waves: 4, for: .seconds(60 * number), limit: try memoryMax())
    default:
        try await floods(0.25, audio: audio)
        try await strangers(waves: 4, for: .zero)
        try await generated(Int(number), audio: audio)
    }
}

do {
    try await hostile()
} catch {
    say("hostile: \((error as? Failure)?.message ?? "\(error)")")
    exit(1)
}
