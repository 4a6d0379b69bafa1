import RingerBus
import RingerCore
import Testing

@testable import RingerClient

/// A device of the service that is let go of without being closed.
@Suite struct LetGoTests {
    // Used to end the process.
    @Test("what the service reports once the device is gone is dropped")
    func reports() throws {
        let loop = try EventLoop(name: "let-go")
        defer { loop.close() }
        let link = ServiceLink(.address("unix:path=/nowhere"), on: loop, clock: loop)
        loop.sync {
            weak var gone: ConnectedDevice?
            do {
                let device = ConnectedDevice(link)
                gone = device
            }
            #expect(gone == nil)
            #expect(link.onKey != nil)
            link.onChange?(["Preferences", "SwitchPosition"])
            link.onLoss?(RingerError(.disconnected, "use the service", "org.ringer.Ringer1"))
            link.onReturn?()
            link.onKey?(.inputAvailable(true))
            link.onSessionSignal?("/session", "Ducked", [])
        }
    }
}
