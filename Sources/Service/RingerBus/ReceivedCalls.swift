/// The method calls that other programs make to a connection's objects: who makes them, which wait, and which are refused. On
/// the loop's thread alone, as the connection.
package final class ReceivedCalls {
    /// A call that waits for its turn.
    private struct WaitingCall {
        let message: BusMessage
        weak var registration: BusConnection.Registration?
    }

    private unowned let connection: BusConnection
    private var waiting = WaitingCalls<WaitingCall>()
    /// How many calls of a program wait or have no reply yet.
    private var open: [String: Int] = [:]
    /// The programs of which a call was refused since.
    private var refused: Set<String> = []
    /// Who has called, by their unique names, which the bus gives to nobody else: the newest, and their names by age.
    private var callers: [String: BusCaller] = [:]
    private var callersByAge: [String] = []
    private var refusalsLeft = mostRefusals
    /// Called when a call was refused for being one too many, with its caller and a sentence.
    package var onRefusal: ((BusCaller, String) -> Void)?

    /// The most calls of one program that wait or have no reply yet.
    package static let mostOfOneProgram = 128
    private static let mostCallers = 1024
    /// After so many refusals a call that is refused gets no reply until the end of a turn at which the bus has taken all that was
    /// sent: refusals that always wait would hold up the answers, which begin where nothing waits.
    private static let mostRefusals = 64
    private static let refusal =
        "more than \(mostOfOneProgram) calls of one program wait, or those of all programs take too much memory"

    init(of connection: BusConnection) {
        self.connection = connection
    }

    /// Whether a call's turn has come.
    var hasNext: Bool { waiting.hasNext }

    func removeAll() {
        waiting = WaitingCalls()
    }

    /// Returns false where a call is beyond what its program may have; it is refused.
    func admits(_ message: BusMessage) -> Bool {
        guard message.isMethodCall, open[message.sender, default: 0] >= Self.mostOfOneProgram else { return true }
        refuse(message)
        return false
    }

    private func refuse(_ message: BusMessage) {
        if refused.insert(message.sender).inserted, let caller = callers[message.sender] {
            onRefusal?(caller, Self.refusal)
        }
        refuse(message, .limitsExceeded("too many calls wait"))
    }

    private func refuse(_ message: BusMessage, _ error: BusError) {
        guard message.expectsReply, refusalsLeft > 0 else { return }
        refusalsLeft -= 1
        connection.reply(to: message, error)
    }

    /// Called at the end of a turn at which the bus has taken all that was sent.
    func allWritten() {
        refusalsLeft = Self.mostRefusals
    }

    /// Keeps a call until it is its program's turn. Its size is judged before.
    func add(_ message: BusMessage, for registration: BusConnection.Registration) {
        let size: Int
        do throws(BusError) {
            size = try message.measure()
        } catch {
            return refuse(message, error)
        }
        let name = message.sender
        open[name, default: 0] += 1
        message.whenFreed = { [weak self] in
            guard let self else { return }
            open[name, default: 1] -= 1
            guard open[name] == 0 else { return }
            open[name] = nil
            refused.remove(name)
        }
        let call = WaitingCall(message: message, registration: registration)
        let (excess, mustAsk) = waiting.add(call, size: size, of: name, by: callers[name])
        for call in excess { refuse(call.message) }
        while !connection.hasDescriptorsLeft, let newest = waiting.removeNewest() {
            refuse(newest.message)
            // sd-bus has this one's descriptors until it was handled.
            if newest.message === message { break }
        }
        if mustAsk { askWho(name) }
    }

    /// Asks the bus who a program is.
    private func askWho(_ name: String) {
        connection.callBus("GetConnectionCredentials", [.string(name)]) { [weak self] result in
            guard let self else { return }
            let values = (try? result.get().read().first)?.dictionary
            let groups = values?["UnixGroupIDs"]?.elements?.compactMap(\.uint32) ?? []
            // It may have left the bus.
            let caller = values?["UnixUserID"]?.uint32.map { BusCaller(user: $0, groups: Set(groups)) }
            waiting.know(name, as: caller)
            guard let caller else { return }
            if refused.contains(name) { onRefusal?(caller, Self.refusal) }
            if callers.updateValue(caller, forKey: name) == nil { callersByAge.append(name) }
            if callersByAge.count > Self.mostCallers { callers[callersByAge.removeFirst()] = nil }
        }
    }

    /// Has the call answered whose turn it is. Returns false where there is none.
    func answerNext() -> Bool {
        guard let (call, caller) = waiting.next() else { return false }
        let message = call.message
        message.caller = caller
        let isAnswered = call.registration?.handler(message)
        // Without the registration the service has stopped.
        if isAnswered == nil { connection.reply(to: message, .unknownObject(message.path)) }
        if isAnswered == false { connection.reply(to: message, .unknownMethod("there is no method \(message.member)")) }
        return true
    }
}
