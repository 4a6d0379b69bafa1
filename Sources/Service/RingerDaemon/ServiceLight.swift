import RingerCore
import RingerBus

/// The status light, which several requests share: it shows the newest of them. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone.
final class ServiceLight: @unchecked Sendable {
    /// A request's pattern, until it is hidden.
    struct Token: Hashable {
        fileprivate let number: UInt64
    }

    private let device: Device
    /// Receives what the light cannot do.
    private let report: (RingerError) -> Void
    private var shown: [(token: Token, pattern: LightPattern, color: LightColor?)] = []
    private var last: UInt64 = 0

    init(_ device: Device, report: @escaping (RingerError) -> Void) {
        self.device = device
        self.report = report
    }

    /// Shows `pattern` above the others, in `color` where the light has that.
    ///
    /// - Throws: ``RingerError`` if the light fails. One that cannot blink is lit instead, which is reported.
    func push(_ pattern: LightPattern, in color: LightColor? = nil) throws(RingerError) -> Token {
        last += 1
        let token = Token(number: last)
        shown.append((token, pattern, color))
        do throws(RingerError) {
            try showNewest()
        } catch {
            shown.removeAll { $0.token == token }
            do throws(RingerError) { try showNewest() } catch { report(error) }
            throw error
        }
        return token
    }

    /// Shows what was shown before `token`, where it is the newest.
    func pop(_ token: Token) throws(RingerError) {
        guard let index = shown.firstIndex(where: { $0.token == token }) else { return }
        let isNewest = index == shown.endIndex - 1
        shown.remove(at: index)
        if isNewest { try showNewest() }
    }

    /// Shows `pattern` until the task is cancelled.
    func show(_ pattern: LightPattern) async -> RequestEnd {
        do throws(RingerError) {
            let token = try push(pattern)
            let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
            // The stream ends when the task is cancelled.
            for await _ in stream {}
            withExtendedLifetime(continuation) {}
            try pop(token)
            return RequestEnd("stopped", "caller")
        } catch {
            return RequestEnd(error)
        }
    }

    private func showNewest() throws(RingerError) {
        do throws(RingerError) {
            let newest = shown.last?.pattern ?? .off
            if let light = device.statusLight as? any ColoredLight {
                try light.show(newest, in: shown.last?.color)
            } else {
                try device.statusLight?.show(newest)
            }
        } catch {
            guard error.code == .unsupported else { throw error }
            report(error)
        }
    }
}
