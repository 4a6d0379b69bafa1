import RingerLinux
import Testing

/// One picture of the documentation, and the actions that it shows, in virtual time.
struct Scene: Sendable {
    /// The picture's file, without its extension.
    var name: String
    var title: String
    /// Whether alerts are felt at ring.
    var vibrates = true
    var perform: @Sendable (Stage) -> Void

    /// Runs the scene and draws it.
    func draw() throws -> String {
        let stage = try Stage(preferences: UserPreferences(vibrateOnRing: vibrates))
        stage.wait(100)
        perform(stage)
        defer { stage.device.close() }
        return stage.picture(title)
    }

    static let all: [Scene] = [
        Scene(name: "play", title: "Play, at ring and at silent") { stage in
            stage.play(1000, "play")
            stage.wait(1400)
            stage.flip(to: .silent)
            stage.wait(200)
            stage.play(1000, "play")
            stage.wait(500)
        },
        Scene(name: "alert", title: "Play as an alert, at ring and at silent") { stage in
            stage.play(1000, as: .alert, "playAlert")
            stage.wait(1400)
            stage.flip(to: .silent)
            stage.wait(200)
            stage.play(1000, as: .alert, "playAlert")
            stage.wait(700)
        },
        Scene(name: "vibrate", title: "Vibrate, at ring and at silent") { stage in
            stage.play(.vibrate, "vibrate")
            stage.wait(800)
            stage.flip(to: .silent)
            stage.wait(200)
            stage.play(.vibrate, "vibrate")
            stage.wait(700)
        },
        Scene(name: "flip-in-sound", title: "A flip in the middle of a sound") { stage in
            stage.play(1000, "play")
            stage.wait(350)
            stage.flip(to: .silent)
            stage.wait(400)
        },
        Scene(name: "replaced", title: "A second sound replaces the first") { stage in
            stage.play(1000, "play 1000")
            stage.wait(350)
            stage.play(1001, "play 1001")
            stage.wait(900)
        },
        Scene(name: "loops", title: "Two loops, and a notification between them") { stage in
            stage.loop(1000)
            stage.wait(400)
            stage.loop(1001)
            stage.wait(3000)
            stage.notify()
            stage.wait(4300)
        },
        Scene(name: "failing-alert", title: "An alert whose speaker fails for a second", vibrates: false) { stage in
            stage.board.speaker.fault = .missing
            stage.alert(1007)
            stage.wait(1000)
            stage.board.speaker.fault = nil
            stage.wait(1500)
            stage.stopAlert(thenWait: 300)
        },
        Scene(name: "flip-in-alert", title: "A flip in the middle of an alert, and back", vibrates: false) { stage in
            stage.alert(1007)
            stage.wait(2200)
            stage.flip(to: .silent)
            stage.wait(2300)
            stage.flip(to: .ring)
            stage.wait(1300)
            stage.stopAlert(thenWait: 400)
        },
        Scene(name: "alert-times-out", title: "An alert that nobody answers: 20 s") { stage in
            stage.alert(1005)
            stage.wait(21_000)
        },
        Scene(name: "vibrating-alert", title: "An alert at silent, stopped") { stage in
            stage.flip(to: .silent)
            stage.wait(100)
            stage.alert(1005)
            stage.wait(2200)
            stage.stopAlert(thenWait: 300)
        },
        Scene(name: "interrupted-alert", title: "Another sound interrupts an alert", vibrates: false) { stage in
            stage.alert(1007)
            stage.wait(900)
            stage.play(1004, "play 1004")
            stage.wait(1500)
            stage.stopAlert(thenWait: 200)
        },
    ]
}

extension Scene: CustomTestStringConvertible {
    var testDescription: String { name }
}
