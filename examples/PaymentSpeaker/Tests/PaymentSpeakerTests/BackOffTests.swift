import Ringer
import Testing

@testable import PaymentSpeaker

@Suite struct BackOffTests {
    static let start = MonotonicTime(seconds: 1000, nanoseconds: 0)

    @Test func theBoundDoublesToAMinuteWhileNoConnectionIsGood() {
        var backOff = BackOff()
        var bounds: [Duration] = []
        for number in 0..<9 {
            // The broker grants the subscriptions, and each connection breaks: before it was asked, or without an answer.
            if number > 3 {
                backOff.connectionBegan(at: Self.start)
                backOff.connectionEnded(at: Self.start + .seconds(3600))
            }
            bounds.append(backOff.nextBound())
        }
        #expect(bounds == [0.5, 1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test(arguments: [(1.0, 0.5), (10, 1.25), (50, 6.25), (3600, 45), (1e6, 45)])
    func theFirstBoundIsAnEighthOfTheTimeThatAGoodConnectionHeld(held: Double, bound: Double) {
        var backOff = BackOff()
        for _ in 0..<9 { _ = backOff.nextBound() }
        backOff.connectionBegan(at: Self.start)
        backOff.connectionIsGood()
        backOff.connectionEnded(at: Self.start + .seconds(held))
        #expect(backOff.nextBound() == .seconds(bound))
        #expect(backOff.nextBound() == .seconds(bound * 2 > 60 ? 60 : bound * 2))
    }

    /// Connections of 50 s each: the absences used to grow from 0.4 s to 31.9 s.
    @Test func onALinkThatIsLostAgainAndAgainAbsencesStayShort() {
        var (backOff, now, absent) = (BackOff(), Self.start, Duration.zero)
        for _ in 0..<100 {
            backOff.connectionBegan(at: now)
            backOff.connectionIsGood()
            now = now + .seconds(50)
            backOff.connectionEnded(at: now)
            let pause = backOff.next()
            #expect(pause <= .seconds(6.25))
            absent += pause
            now = now + pause
        }
        #expect(absent * 10 < now - Self.start)
    }

    @Test func aFleetThatWasConnectedForLongComesBackOverHalfAMinuteAndMore() {
        let pauses = (0..<500).map { _ in
            var backOff = BackOff()
            backOff.connectionBegan(at: Self.start)
            backOff.connectionIsGood()
            backOff.connectionEnded(at: Self.start + .seconds(3600))
            return backOff.next()
        }
        // That 500 random times of 0 to 45 s leave 15 s free at the ends has a chance below 10^-70.
        #expect(pauses.max()! - pauses.min()! >= .seconds(30))
        // No tenth of the time has more than a fifth of the speakers.
        for part in 0..<10 {
            let range = Duration.seconds(4.5 * Double(part))..<Duration.seconds(4.5 * Double(part + 1))
            #expect(pauses.count(where: range.contains) < 100)
        }
    }
}
