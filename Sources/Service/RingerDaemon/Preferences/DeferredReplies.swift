import RingerCore
import RingerBus
import Synchronization

/// The calls that are replied to once another thread is done, or with the reason why it is not: messages are the bus's thread's
/// to free. Those that have changed what a file keeps wait until the change is written. It runs on the event loop's thread.
// SAFETY: all state but `results` is used on the loop's thread alone.
final class DeferredReplies: @unchecked Sendable {
    private let connection: BusConnection
    private var calls: [Int: BusMessage] = [:]
    private var last = 0
    /// The results of writing: an error, or none.
    private let results = Mutex<[Int: RingerError?]>([:])

    init(_ connection: BusConnection) {
        self.connection = connection
    }

    /// Keeps a call until the writer calls what is returned.
    func add(_ message: BusMessage) -> TextFileWriter.Completion {
        last &+= 1
        let number = last
        calls[number] = message
        return { [weak self] error in
            self?.results.withLock { _ = $0.updateValue(error, forKey: number) }
            self?.connection.loop.execute { [weak self] in self?.answer(number) }
        }
    }

    /// Replies to all calls whose changes were written: the service stops.
    func answerAll() {
        for number in calls.keys.sorted() { answer(number) }
    }

    private func answer(_ number: Int) {
        guard let result = results.withLock({ $0.removeValue(forKey: number) }),
            let message = calls.removeValue(forKey: number)
        else { return }
        connection.answer(message) {
            if let error = result { throw error }
            connection.reply(to: message)
        }
    }
}
