import CRinger
import Glibc
import RingerLinux
import Testing

@testable import RingerC

/// The names of the values of ringer.h's enumerations.
@Suite("Names of ringer.h's values")
struct NameTests {
    /// An enumeration of the header.
    private struct Enumeration {
        let function: (UInt32) -> UnsafePointer<CChar>?
        /// Swift's name of a value, where Swift has one.
        var swift: (UInt32) -> String? = { _ in nil }

        func name(_ number: UInt32) -> String { function(number).map { String(cString: $0) } ?? "NULL" }

        init(_ function: @escaping (UInt32) -> UnsafePointer<CChar>?) {
            self.function = function
        }

        init<Value: CCounterpart & RawRepresentable>(
            _ type: Value.Type, _ function: @escaping (UInt32) -> UnsafePointer<CChar>?
        ) where Value.RawValue == String {
            self.function = function
            swift = { number in Value.allCases.first { $0.constant.rawValue == number }?.rawValue }
        }
    }

    private let named: [String: Enumeration] = [
        "position": Enumeration(SwitchPosition.self) { ringer_position_name(ringer_position($0)) },
        "route": Enumeration(AudioRoute.self) { ringer_route_name(ringer_route($0)) },
        "category": Enumeration(AudioCategory.self) { ringer_category_name(ringer_category($0)) },
        "reason": Enumeration(Decision.Reason.self) { ringer_reason_name(ringer_reason($0)) },
        "part_kind": Enumeration { ringer_part_kind_name(ringer_part_kind($0)) },
        "session_phase": Enumeration { ringer_session_phase_name(ringer_session_phase($0)) },
        "input": Enumeration(AudioInput.self) { ringer_input_name(ringer_input($0)) },
        "event_type": Enumeration { ringer_event_name(ringer_event_type($0)) },
        "session_change": Enumeration { ringer_session_change_name(ringer_session_change($0)) },
        "drop": Enumeration { ringer_drop_name(ringer_drop($0)) },
        "stop": Enumeration { ringer_stop_name(ringer_stop($0)) },
        "route_change": Enumeration { ringer_route_change_name(ringer_route_change($0)) },
        "cause": Enumeration { ringer_cause_name(ringer_cause($0)) },
        "outcome": Enumeration { ringer_outcome_name(ringer_outcome($0)) },
        "stop_cause": Enumeration(SoundOutcome.StopCause.self) { ringer_stop_cause_name(ringer_stop_cause($0)) },
        "key": Enumeration(DeviceKey.self) { ringer_key_name(ringer_key($0)) },
        "verdict": Enumeration(MuteReading.Verdict.self) { ringer_verdict_name(ringer_verdict($0)) },
    ]

    /// Enumerations whose values programs give and the library never reports.
    private static let unnamed: Set = [
        "board", "sound_kind", "alert_way", "alert_kind", "alerts_during_call", "property",
    ]

    /// The enumerations that the header defines, with their constants.
    private func enumerations() throws -> [String: [(constant: String, number: UInt32)]] {
        let preprocessed = try run("gcc -E -P -xc '\(RingerCTests.package)/Sources/C/CRinger/include/ringer.h'")
        try #require(preprocessed.status == 0)
        var found: [String: [(constant: String, number: UInt32)]] = [:]
        for definition in preprocessed.output.matches(of: /enum ringer_(\w+)\s*\{([^}]*)\}/) {
            found[String(definition.1)] = try definition.2.split(separator: ",").map { line in
                let constant = try #require(line.wholeMatch(of: /\s*(RINGER_\w+) = (\w+)\s*/), "\(line)")
                let digits = constant.2
                let number = digits.hasPrefix("0x") ? UInt32(digits.dropFirst(2), radix: 16) : UInt32(digits)
                return (String(constant.1), try #require(number))
            }
        }
        return found
    }

    @Test("each value that the library reports has a name of its own, which is Swift's where Swift has one")
    func names() throws {
        let header = try enumerations()
        #expect(Set(header.keys) == Set(named.keys).union(Self.unnamed))
        for (enumeration, constants) in header {
            guard let function = named[enumeration] else { continue }
            var names: Set<String> = []
            for (constant, number) in constants {
                let name = function.name(number)
                if let swift = function.swift(number) { #expect(name == swift, "\(constant)") }
                // As on D-Bus, where a session without a route has an empty one.
                #expect(name.isEmpty == constant.hasSuffix("_NONE"), "\(constant) is named '\(name)'")
                #expect(names.insert(name).inserted, "\(constant) shares the name '\(name)'")
            }
            let numbers = Set(constants.map(\.number))
            for number in Set(0...99).union([.max, 1 << 31]).subtracting(numbers) {
                #expect(function.name(number) == "", "\(number) of \(enumeration)")
            }
        }
    }

    @Test("the names of events of sessions and of outcomes are those of the cases in Swift")
    func cases() {
        func event(_ event: SessionEvent) -> ringer_session_event {
            ringer_session_event(event, of: SessionID(rawValue: 1))
        }
        func expect(_ name: UnsafePointer<CChar>?, _ value: some Any) {
            // The case, without what it carries.
            #expect(name.map { String(cString: $0) } == "\(value)".prefix { $0 != "(" }.description)
        }
        for reason: InterruptionDropReason in [.answered, .reactivated, .deactivated, .removed] {
            expect(ringer_drop_name(ringer_drop(event(.interruptionDropped(reason)).why)), reason)
        }
        for reason: SessionStopReason in [.interruption, .deactivation, .removal, .oldDeviceUnavailable] {
            expect(ringer_stop_name(ringer_stop(event(.soundStopped(reason)).why)), reason)
        }
        for reason in RouteChangeReason.allCases {
            let change = RouteChange(reason, from: SessionRoute(.speaker), to: SessionRoute(.line))
            expect(ringer_route_change_name(ringer_route_change(event(.routeChanged(change)).why)), reason)
        }
        let causes: [InterruptionCause] = [
            .session(SessionID(rawValue: 2)), .outside(OutsideInterruption(rawValue: 3)), .service,
        ]
        for cause in causes { expect(ringer_cause_name(event(.interruptionBegan(by: cause)).cause), cause) }
        let events: [SessionEvent] = [
            .activated, .deactivated, .interruptionBegan(by: .service), .interruptionEnded(shouldResume: true),
            .interruptionDropped(.answered), .soundStopped(.removal), .ducked, .unducked,
            .settingsChanged(SessionSettings()),
            .routeChanged(RouteChange(.unknown, from: SessionRoute(nil), to: SessionRoute(nil))), .audible,
            .silenced(by: .screenLock),
        ]
        for value in events { expect(ringer_session_change_name(event(value).change), value) }
        for phase: SessionState.Phase in [.inactive, .active, .interrupted] {
            expect(ringer_session_phase_name(phase.constant), phase)
        }
        let outcomes: [SoundOutcome] = [.finished, .silenced(by: .screenLock), .stopped(.caller)]
        for outcome in outcomes {
            expect(ringer_outcome_name(ringer_result(outcome, startedAt: nil, nil).outcome), outcome)
        }
        #expect(String(cString: ringer_outcome_name(RINGER_OUTCOME_FAILED)) == "failed")
    }
}
