import Glibc

/// A sound card of the laboratory, which comes and goes as its driver is bound to it and unbound.
enum SoundCardDriver: String, CaseIterable, Sendable {
    case dummy = "snd_dummy"
    case loopback = "snd_aloop"

    private var folder: String { "/sys/bus/platform/drivers/\(rawValue)" }

    /// Removes the card, as if it were unplugged; returns when no process has it open any more.
    func unplug() async throws {
        try await blocking { try KernelFile.write("\(rawValue).0", to: "\(folder)/unbind") }
    }

    /// The card comes back.
    func plug() async throws {
        try await blocking { try KernelFile.write("\(rawValue).0", to: "\(folder)/bind") }
    }

    /// Unplugs the card while `body` runs, and plugs it in again in any case.
    func whileUnplugged(_ body: () async throws -> Void) async throws {
        try await unplug()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        try await plug()
        try result.get()
    }
}
