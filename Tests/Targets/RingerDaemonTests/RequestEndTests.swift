import RingerBus
import Testing

@testable import RingerCore

/// What the service writes of a result, its clients read.
@Suite struct RequestEndTests {
    static let outcomes =
        [SoundOutcome.finished] + SoundOutcome.StopCause.allCases.map { .stopped($0) }
        + Decision.Reason.allCases.map { .silenced(by: $0) }

    static let fallback = SoundFallback(.undecodable, RingerError(.invalid, "read", "/a.wav", detail: "no frames"))
    static let fallbackText = BusValue.string("undecodable: /a.wav: cannot read: not valid (no frames)")

    static func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("an outcome is read as it was written", arguments: outcomes)
    func outcome(_ outcome: SoundOutcome) {
        #expect(SoundOutcome(RequestEnd(outcome), "play") == outcome)
    }

    @Test(
        "an error is read with its code and its sentence",
        arguments: [
            RingerError.Code.notFound, .permissionDenied, .busy, .disconnected, .unsupported, .invalid, .timedOut,
            .closed, .otherProcess, .system, .soundTooLong, .soundIncomplete, .unreachable,
        ])
    func error(_ code: RingerError.Code) {
        let error = RingerError(code, "open", "PCM default", detail: "it is not there")
        let read = RingerError(code, "play", RingerNames.service, detail: "\(error)")
        #expect(SoundOutcome(RequestEnd(SoundOutcome.failed(error)), "play") == .failed(read))
        #expect(SoundOutcome(RequestEnd(SystemSoundError(error)), "play") == .failed(read))
    }

    @Test("a request of a task that was cancelled is read as stopped by its caller")
    func cancellation() {
        #expect(SoundOutcome(RequestEnd(CancellationError()), "play") == .stopped(.caller))
    }

    @Test(
        "the result of a sound or an announcement is read with its times and its position",
        arguments: outcomes, [nil, at(20)])
    func sound(_ outcome: SoundOutcome, _ startedAt: MonotonicTime?) {
        var result = SoundResult(
            outcome: outcome, requestedAt: Self.at(10), startedAt: startedAt, endedAt: Self.at(145),
            position: StreamPosition(played: 6000, total: 48_000))
        let end = RequestEnd(result)
        #expect(SoundOutcome(end, "play") == outcome)
        #expect(end.startedAt == startedAt && end.endedAt == Self.at(145) && end.framesPlayed == 6000)
        #expect(end.details["elapsed"] == .double(startedAt == nil ? 0.135 : 0.125))
        #expect(end.details["frames"] == .uint64(48_000) && end.details["fallback"] == nil)
        result.fallback = Self.fallback
        #expect(RequestEnd(result).details["fallback"] == Self.fallbackText)
    }

    @Test(
        "the result of a system sound is read with its outcome, and has that of its vibration",
        arguments: [
            (nil, nil), (.finished, "finished"), (.stopped(.caller), "stopped"), (.stopped(.replaced), "replaced"),
            (.stopped(.limited), "limited"),
            (
                .failed(RingerError(.busy, "vibrate", "motor", detail: "asleep")),
                "failed(motor: cannot vibrate: in use (asleep))"
            ),
        ] as [(SoundOutcome?, String?)])
    func systemSound(_ vibration: SoundOutcome?, _ word: String?) {
        for outcome in Self.outcomes {
            var result = SystemSoundResult(
                sound: 1000, outcome: outcome, vibration: vibration, vibrated: true, requestedAt: Self.at(10),
                endedAt: Self.at(260), position: StreamPosition(played: 0, total: 0))
            let end = RequestEnd(result)
            #expect(SoundOutcome(end, "play") == outcome)
            #expect(end.details["elapsed"] == .double(0.25) && end.details["vibration"]?.string == word)
            result.fallback = Self.fallback
            #expect(end.details["fallback"] == nil && RequestEnd(result).details["fallback"] == Self.fallbackText)
        }
    }

    @Test(
        "the result of an alert is read with its outcome; a time that is over has a word of its own",
        arguments: outcomes)
    func alert(_ outcome: SoundOutcome) {
        var result = AlertResult(
            outcome: outcome, rounds: 2, sounded: true, vibrated: false, startedAt: Self.at(10), endedAt: Self.at(760))
        let end = RequestEnd(result)
        #expect(SoundOutcome(end, "alert") == outcome)
        #expect((end.outcome == "timedOut") == (outcome == .stopped(.limited)))
        #expect(end.outcome != "timedOut" || end.reason.isEmpty)
        #expect(
            end.details == [
                "elapsed": .double(0.75), "rounds": .uint32(2), "sounded": .boolean(true), "vibrated": .boolean(false),
            ])
        result.fallback = Self.fallback
        result.soundError = RingerError(.notFound, "open", "PCM default")
        let details = RequestEnd(result).details
        #expect(details["fallback"] == Self.fallbackText)
        #expect(details["soundError"] == .string("PCM default: cannot open: not found"))
    }

    @Test(
        "a detector's reading is read as it was written",
        arguments: [
            (.audible, nil), (.muted, nil), (.muted, .volume), (.unknown, .recording), (.unknown, .interruption),
            (.unknown, .streamDisturbed), (.unknown, .streamStalled), (.unknown, .timingDoubtful),
            (.unknown, .deadline), (.unknown, .stopped), (.unknown, .nothingKnows),
        ] + Decision.Reason.allCases.map { (.unknown, .silenced(by: $0)) }
            as [(MuteReading.Verdict, MuteReading.Cause?)])
    func reading(_ verdict: MuteReading.Verdict, _ cause: MuteReading.Cause?) {
        let reading = MuteReading(
            verdict: verdict, elapsed: .milliseconds(125), threshold: .milliseconds(500), route: .headphone,
            switchPosition: .silent, cause: cause, way: .service, attempts: 2, at: Self.at(5))
        #expect(MuteReading(RequestEnd(reading), .silent, Self.at(5)) == reading)
    }

    @Test("a detector's error is read with its sentence")
    func failedReading() {
        let error = RingerError(.busy, "open", "PCM default")
        let reading = MuteReading(
            verdict: .unknown, elapsed: .zero, threshold: .milliseconds(500), route: .speaker, switchPosition: nil,
            cause: .outputFailed(error), way: .service, attempts: 1, at: Self.at(5))
        let read = MuteReading(RequestEnd(reading), nil, Self.at(5))
        guard case .outputFailed(let error)? = read.cause else {
            Issue.record("\(read)")
            return
        }
        #expect(error.operation == "measure" && error.detail == "outputFailed: PCM default: cannot open: in use")
    }
}
