import Glibc
import RingerLinux
import RingerTestKit
import Synchronization

/// A kind of call or event that is repeated with variation.
struct Kind {
    /// One round. Its number says which variation it has: each of them comes again and again.
    typealias Round = (_ number: Int) throws -> Void

    let name: String
    /// One of so many rounds: for kinds of which a round costs more.
    let share: Int
    /// Makes what the rounds use.
    let make: () throws -> Round

    init(_ name: String, share: Int = 1, _ make: @escaping () throws -> Round) {
        (self.name, self.share, self.make) = (name, share, make)
    }

    /// A kind whose rounds use one simulated board.
    init(_ name: String, share: Int = 1, _ round: @escaping (_ bench: BoardBench, _ number: Int) throws -> Void) {
        self.init(name, share: share) {
            let bench = try BoardBench()
            return { number in try round(bench, number) }
        }
    }

    /// A kind whose rounds wait for others: they run on Swift's threads, and the main thread waits for each.
    init(
        _ name: String, share: Int = 1,
        asynchronous make: @escaping @Sendable () async throws -> @Sendable (_ number: Int) async throws -> Void
    ) {
        self.init(name, share: share) {
            // Each thread of Dispatch keeps up to 1,024 blocks in which others gave it a task.
            for _ in 0..<4_096 { try finish {} }
            let round = try finish(make)
            return { number in try finish { try await round(number) } }
        }
    }
}

/// A round that did not end as it has to.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Fails the round unless `condition` holds.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Unexpected(what()) }
}

func writeFile(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw Unexpected("\(path) cannot be written: \(errno)") }
    fputs(text, file)
    fclose(file)
}

/// Waits for an operation on other threads, and moves the clock for it.
@discardableResult
func finish<Value: Sendable>(
    moving clock: VirtualClock? = nil, _ operation: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let isOver = Latch()
    let result = Mutex<Result<Value, any Error>?>(nil)
    Task {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
        result.withLock { $0 = outcome }
        isOver.open()
    }
    if let clock {
        while !isOver.wait(until: .now + .milliseconds(1)) { clock.advance(by: .milliseconds(100)) }
    } else {
        isOver.wait()
    }
    return try result.withLock { $0 }.unwrapped().get()
}

extension Optional {
    /// The value, which has to be there.
    func unwrapped() throws -> Wrapped {
        guard let self else { throw Unexpected("there is no \(Wrapped.self)") }
        return self
    }
}

extension Array {
    /// The variation of round `number`; `stride` rounds have the same one.
    subscript(round number: Int, each stride: Int = 1) -> Element { self[number / stride % count] }
}
