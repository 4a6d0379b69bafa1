import RingerLinux
import RingerTestKit
import RingerTerminal

/// A device in virtual time whose signals are recorded, to draw a picture from.
struct Stage {
    let clock = VirtualClock()
    let board: SimulatedBoard
    let device: Device
    let recorder: SignalRecorder

    init(position: SwitchPosition = .ring, preferences: UserPreferences = UserPreferences()) throws {
        let recorder = SignalRecorder(start: clock.now)
        self.recorder = recorder
        board = SimulatedBoard(clock: clock, position: position)
        var configuration = Device.Configuration(preferences: preferences, observer: { recorder.record($0) })
        // Sound files of this machine must not change the pictures.
        configuration.sounds.predefined.directories = []
        device = try Device.simulated(board, configuration: configuration)
    }

    /// Moves the clock by so many milliseconds.
    func wait(_ milliseconds: Int) {
        clock.advance(by: .milliseconds(milliseconds))
    }

    /// Writes a remark into the picture, at the current time.
    func mark(_ text: String) {
        recorder.mark(text, at: clock.now)
    }

    /// Moves the switch.
    func flip(to position: SwitchPosition) {
        board.ringSilent.position = position
    }

    /// Plays a system sound; the call and its completion are marked.
    @discardableResult
    func play(_ id: SystemSoundID, as use: SystemSoundServices.Use = .sound, _ name: String) -> SystemSoundServices.Call
    {
        mark(name)
        return device.sounds.start(id, as: use) { [recorder, clock] _ in recorder.mark("completion", at: clock.now) }
    }

    /// Plays a system sound again and again, each time in its own completion.
    func loop(_ id: SystemSoundID) {
        mark("loop \(id)")
        again(id)
    }

    private func again(_ id: SystemSoundID) {
        device.sounds.start(id) { [self] result in
            if case .stopped(.closed) = result.outcome { return }
            again(id)
        }
    }

    /// Plays a notification's sound; the call and its completion are marked.
    func notify() {
        mark("notify")
        device.notifications.start(.standard, in: nil) { [recorder, clock] _ in
            recorder.mark("completion", at: clock.now)
        }
    }

    /// Begins an alert; its start and its end are marked.
    func alert(_ id: SystemSoundID, way: AlertWay = .both) {
        mark("alert")
        device.alerts.start(id, way: way) { [recorder, clock] result in
            switch result.outcome {
            case .stopped(.limited): recorder.mark("timed out", at: clock.now)
            case .stopped: recorder.mark("stopped", at: clock.now)
            case .finished, .silenced, .failed: recorder.mark("failed", at: clock.now)
            }
        }
    }

    /// Stops the alert, which is marked, and waits for so many milliseconds.
    func stopAlert(thenWait milliseconds: Int) {
        mark("stop")
        device.alerts.stop()
        wait(milliseconds)
    }

    /// The picture of everything up to now.
    func picture(_ title: String) -> String {
        recorder.end(at: clock.now)
        return TimelinePicture(of: recorder.trace, title: title).svg
    }
}
