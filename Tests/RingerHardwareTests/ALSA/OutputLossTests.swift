import RingerServices
import SystemPackage
import Testing

@testable import RingerHardware

@Suite struct OutputLossTests {
    private let gone = RingerError("write", "PCM default", .operationNotSupportedByDevice)

    @Test("an output that fails because its device is gone is lost once, and back when it opens")
    func lost() {
        var loss = OutputLoss()
        #expect(!loss.opened())
        #expect(loss.failed(gone))
        #expect(!loss.failed(gone))
        #expect(loss.isLost)
        #expect(loss.opened())
        #expect(!loss.isLost)
        #expect(!loss.opened())
    }

    @Test("an output that was never there is not lost")
    func never() {
        var loss = OutputLoss()
        #expect(!loss.failed(RingerError(.notFound, "open", "PCM default")))
        #expect(!loss.isLost)
    }

    @Test(
        "what is lost is told from what fails otherwise",
        arguments: [
            (.noSuchFileOrDirectory, true), (.connectionRefused, true), (.ioError, true), (.resourceBusy, false),
            (.permissionDenied, false), (.brokenPipe, false), (.invalidArgument, false),
        ] as [(Errno, Bool)])
    func reasons(errno: Errno, expected: Bool) {
        var loss = OutputLoss()
        _ = loss.opened()
        #expect(loss.failed(RingerError("open", "PCM default", errno)) == expected)
    }
}
