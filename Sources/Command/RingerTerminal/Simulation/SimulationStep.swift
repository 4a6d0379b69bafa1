import RingerCore
import RingerTestKit

/// One thing that happens on the simulated board, or that is expected of it.
enum SimulationStep: Sendable {
    /// A sound that is played in a category or a session.
    struct Playing: Sendable {
        /// The clips, joined without a gap; none for a melody.
        var sounds: [NamedSound] = []
        /// How long it lasts, cut or repeated; nil for its own length.
        var length: Duration?
    }

    /// What is done to the announcement queue.
    enum QueueControl: String, Sendable, CaseIterable {
        case pause, resume, skip, `repeat`, clear
    }

    /// What a session is made with.
    struct Session: Sendable {
        var category: AudioCategory
        var options: CategoryOptions = []
        var priority = SessionPriority.ordinary
    }

    /// What happens to the sounds that are played from now on.
    enum Output: String, Sendable, CaseIterable {
        case busy, missing, unpaced, works

        var fault: SimulatedSoundOutput.Fault? {
            switch self {
            case .busy: .busy
            case .missing: .missing
            case .unpaced: .unpaced
            case .works: nil
            }
        }
    }

    // The switch.
    case move(SwitchPosition)
    case flip
    case plug(Bool)
    case readable(Bool)
    // The rest of the board.
    case lock(Bool)
    /// Sets the kept position, for this time, nil until the next one; a position of nil changes between ring and silent.
    case keep(SwitchPosition?, Duration? = nil)
    case button(PositionButton)
    /// Presses the button, and releases it after this time; nil to hold it.
    case press(Duration?)
    case release
    /// Presses a volume key, and holds it until it has repeated so often.
    case volumeKey(DeviceKey, repeated: Int)
    case surroundings(DeviceStateChange)
    /// Sets the wall clock, in seconds of local time since 1970; nil for one that was never set.
    case wallClock(Int64?)
    case timeZone(String)
    case output(Output)
    case motor(works: Bool)
    // The user.
    case prefer(UserPreference, String)
    // The firmware. What is begun may have a name.
    case play(Playing, AudioCategory, CategoryOptions, name: String?)
    case playIn(session: String, Playing, name: String?)
    case session(Playing, Session, name: String?)
    case activate(Session, name: String?)
    case deactivate(String)
    case background(Bool, session: String?)
    case call, answer, hangUp
    case sound(NamedSound, asAlert: Bool, name: String?)
    case alert(NamedSound, AlertKind, AlertWay, limit: Duration?, name: String?)
    case notify(NotificationSound, container: String?, name: String?)
    case announce(Playing, Session, expiry: Duration?, volume: Float?, name: String?)
    case announcements(QueueControl)
    case vibrate(VibrationPattern, name: String?)
    case detect
    case stop(String?)
    // Time, and what is expected.
    case wait(Duration)
    case expect(Expectation)

    /// The name that the step gives to what it begins.
    var newName: String? {
        switch self {
        case .play(_, _, _, let name), .playIn(_, _, let name), .session(_, _, let name), .activate(_, let name),
            .sound(_, _, let name), .alert(_, _, _, _, let name), .notify(_, _, let name),
            .announce(_, _, _, _, let name), .vibrate(_, let name):
            name
        default: nil
        }
    }
}

extension Script {
    /// What a script may say, for the help.
    package static let grammar = """
        The switch
          ring | silent | vibrate-position  move the switch there
          flip                              from ring to silent, or back to ring
          unplug | plug                     unplug the switch itself, plug it in again
          deny | allow                      whether the firmware may read the switch;
                                            "deny" first in a test: from the start

        What software or a button sets beside the switch
          keep ring|vibrate|silent|toggle   the kept position, which adds silence
          keep ring|vibrate|silent for TIME the same, which ends by itself
          press [for TIME] | hold | release the button that moves it, at once or for so
                                            long
          button toggle|cycle [long TIME]   what its presses do, from now on; "long":
                                            presses that last so long alone

        The rest of the board
          lock | unlock                     lock the screen, unlock it
          headphone in|out                  also: microphone, line, bluetooth
          input on|off                      whether the board has its own microphone
          volume-up|volume-down [NUMBER]    a volume key, pressed once, or held for so
                                            many steps of 1/16
          volume NUMBER|unknown             the mixer's output volume, 0 to 1
          other-audio on|off                whether another process plays
          pcm busy|missing|unpaced|works    the PCM, from now on: held by another
                                            process, not there, taking all at once
          motor fails|works                 whether the motor can be turned on

        The time of day, for quiet hours
          clock DATE TIME | clock unset     the wall clock, in local time; at first
                                            it is clock 2026-01-01 00:00, a Thursday
          zone RULES                        the time zone as in the variable TZ; at
                                            first UTC0: zone CET-1CEST,M3.5.0,M10.5.0/3

        The user
          set PREFERENCE VALUE              an option below, "on" or "off" for flags:
                                            set do-not-disturb on; set alert-volume 0.5
                                            set quiet-hours Mon..Fri 22:00-07:00
                                            set quiet-hours Sun 20:00-22:00 volume=0.3

        The firmware
          play CATEGORY [from SOUND] [for TIME] [with OPTION]...
          session CATEGORY [from SOUND] [for TIME] [with OPTION]...
            [priority PRIORITY]             an audio session as long as its sound
          activate CATEGORY [with OPTION]... [priority PRIORITY]
                                            an audio session that stays
          play in NAME [from SOUND] [for TIME]
          deactivate NAME
          background|foreground [NAME]      the session's application goes there
          call | answer | hang-up           a call interrupts the sessions; the user
                                            accepts it; it ends
          sound SOUND [as alert]            a system sound
          alert SOUND [by sound|vibration|both|none] [for TIME]
          alarm SOUND [by sound|vibration|both|none] [for TIME]
                                            again and again, for 20 s by default
          notify [FILE in FOLDER] [critical] [at VOLUME]
                                            a notification's sound
          announce CATEGORY [from SOUND]... [for TIME] [with OPTION]...
            [priority NUMBER] [expiring in TIME] [at VOLUME]
                                            into the announcement queue, joined
          pause|resume|skip|repeat|clear announcements
          vibrate [ON,OFF,ON...] [at STRENGTH]
                                            turn the motor (milliseconds)
          detect                            find out by timing whether sounds are heard
          stop [NAME]                       stop that, or everything
        What begins something may end in "called NAME". SOUND is a predefined
        sound's ID or name, or a file; files are looked for beside the script.

        Time
          wait TIME                         20 ms, 1.5 s, 2 min, 1 h; 3 is 3 seconds

        Tests
          test TITLE                        begins a test, on a new board; lines
                                            before the first test begin every test
          expect [NAME] [not] STATE [within TIME | for TIME]
                                            now; once until then; all the time
        STATE, of everything or of what NAME is:
          heard [on ROUTE] [at GAIN], silent, felt, still
        of NAME, or of what was begun last:
          running, ended, finished, silenced [by REASON], stopped [by CAUSE], failed,
          refused, timed-out, limited; but for the first, "after TIME" may follow
          active, inactive, interrupted, ducked, unducked, audible, inaudible: sessions
        of the device:
          at ring|vibrate|silent, route ROUTE, volume NUMBER|unknown, locked, unlocked
          detected muted|audible|unknown    what detect found last
          report TEXT                       a line that contains TEXT, after the one
                                            that the last "expect report" found
        """
}
