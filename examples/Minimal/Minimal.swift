// The smallest firmware: announces the switch's moves by a sound or a vibration. Its argument is a sound file's path.
import Ringer

@main
struct Minimal {
    static func main() throws {
        let chime = try CommandLine.arguments.dropFirst().first.map { path in try SoundLoader.load(path) }

        // It may block on this thread: the device has one of its own.
        try Device.run { device in
            try device.closeOnTermination()
            for await _ in device.states {
                guard device.decide(.session(.soloAmbient)).isHeard else {
                    // The chime would not be heard: vibrate instead.
                    _ = await device.vibrate()
                    continue
                }
                if let chime { _ = try await device.play(chime, category: .soloAmbient) }
            }
        }
    }
}
