import RingerCore
import SystemPackage
import Testing

@testable import RingerLinux

@Suite struct OutputLossTests {
    private let gone = RingerError("write", "PCM default", .operationNotSupportedByDevice)

    @Test("an output that fails because its device is gone is lost once, and back when it opens")
    func lost() {
        var loss = OutputLoss()
        let news = [loss.opened(), loss.failed(gone), loss.failed(gone)]
        #expect(news == [false, true, false])
        #expect(loss.isLost)
        let later = [loss.opened(), loss.opened()]
        #expect(later == [true, false])
        #expect(!loss.isLost)
    }

    @Test("an output that was never there is not lost")
    func never() {
        var loss = OutputLoss()
        let isNews = loss.failed(RingerError(.notFound, "open", "PCM default"))
        #expect(!isNews)
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
        let isNews = loss.failed(RingerError("open", "PCM default", errno))
        #expect(isNews == expected)
    }
}
