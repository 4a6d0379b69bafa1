import PaymentRules
import Ringer

/// The device: its state, its key and its status light.
extension PaymentSpeaker {
    func follow(_ events: AsyncStream<DeviceEvent>) async {
        for await event in events {
            switch event {
            case .switchMoved(let position, _, _):
                status.position = position
                setProblem("switch", device.switchProblem)
            case .stateChanged, .routeChanged: followState()
            case .switchLost, .switchFound: setProblem("switch", device.switchProblem)
            // Of the switch, before its first position, or of the output.
            case .degraded(let error, _): setProblem(error == device.switchProblem ? "switch" : "sound", error)
            case .key(.repeatAnnouncement, isPressed: true, _):
                do throws(RingerError) {
                    try repeatAnnouncement()
                } catch {
                    setProblem("ledger", error)
                }
            default: break
            }
        }
    }

    /// What the device says of itself beside its switch.
    func followState() {
        let state = device.state
        (status.volume, status.route) = (state.outputVolume, state.route)
        status.quietHoursVolume = state.quietHoursVolume
        setProblem(
            "volume",
            isAudible
                ? nil
                : RingerError(.invalid, "announce payments", "mixer", detail: "its volume is 0: nobody hears them"))
    }

    /// Whether the mixer lets anything be heard; Ringer's own volumes silence an announcement with a reason.
    var isAudible: Bool { device.state.outputVolume ?? 1 > 0 }

    func countUnheard() async throws {
        show(unheard: try await patiently { ledger throws(RingerError) in try ledger.countSilenced() })
    }

    func countQueue() async throws {
        status.queue = try await patiently { ledger throws(RingerError) in try ledger.countPending() }
    }

    func show(unheard: Int) {
        status.unheard = unheard
        do throws(RingerError) {
            try device.statusLight?.show(status.unheard > 0 ? Self.unheardLight : .off)
            setProblem("status light", nil)
        } catch {
            setProblem("status light", error)
        }
    }
}
