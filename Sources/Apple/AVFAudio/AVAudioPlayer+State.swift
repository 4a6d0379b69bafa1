internal import RingerCore

extension AVAudioPlayer {
    /// The program's delegate.
    // SAFETY: the reference alone is used on any thread; the object is called on the main queue.
    struct Delegate: @unchecked Sendable {
        weak var object: (any AVAudioPlayerDelegate)?
    }

    /// What it does, and is to do.
    struct State: Sendable {
        let sound: PCMBuffer
        var delegate = Delegate()
        var volume: Float = 1
        /// What changes the volume by and by has a number: an older one is late.
        var fade: UInt64 = 0
        var numberOfLoops = 0
        /// How many rounds had ended when it began to play or was paused.
        var rounds = 0
        /// The position then, in frames.
        var frame = 0
        /// How many rounds of the stretch are played at least: those that had begun when the loops were changed.
        var begun = 1
        var isPlaying = false
        /// When it began to play.
        var since = MonotonicTime(nanoseconds: 0)
        /// What plays from one position on, heard or not, has a number: what belongs to an older one is late.
        var stretch: UInt64 = 0
        /// The sound that is heard, what it was asked to play, and its session: the process may have another device by now.
        var heard: (id: SoundPlayer.ID, manner: SoundManner, session: AudioSession)?
        /// Whether a thread changes the manner of the sound.
        var isChanging = false
        /// The end of a stretch that is not heard.
        var timer: (any DeviceTimer)?
        /// The beginning of the next stretch.
        var start: (any DeviceTimer)?
        /// The heard stretch that was paused, what was to be played of it, and how many of its rounds have ended: its sound's end
        /// says where exactly.
        var paused: (stretch: UInt64, manner: SoundManner, rounds: Int)?

        init(_ sound: PCMBuffer) { self.sound = sound }

        /// What the sound is asked to play from the beginning of the stretch, or from the pause, on: the round that has begun, if no
        /// more is wanted.
        var wanted: SoundManner {
            let most = SoundManner.most(of: sound)
            let wanted = numberOfLoops < 0 ? most : min(numberOfLoops, most - 1) + 1 - rounds
            return SoundManner(first: frame, rounds: max(wanted, 1), volume: volume)
        }

        /// What it is to play, by the clock: the sound may have begun later.
        var manner: SoundManner {
            var manner = wanted
            manner.rounds = max(manner.rounds, begun)
            return manner
        }

        /// What of it is left at `now`.
        func left(_ now: MonotonicTime?) -> SoundManner {
            guard isPlaying, let now else { return manner }
            let played = Double((now - since).nanoseconds) / 1e9 * sound.sampleRate
            // Another thread may have begun it meanwhile.
            return manner.after(max(0, Int64(played.rounded())), of: sound)
        }

        /// The position is where so much is left.
        mutating func advance(to left: SoundManner) {
            (rounds, frame, begun) = (rounds + manner.rounds - left.rounds, left.first, 1)
        }
    }
}
