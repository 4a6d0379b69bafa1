// The smallest firmware: announces the switch's moves by a sound or a vibration. Its argument is a sound file's path.
import Glibc
import Ringer

@main
struct Minimal {
    static func main() {
        do {
            try run()
        } catch {
            var line = "Minimal: \(error)\n"
            line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
            exit(1)
        }
    }

    static func run() throws {
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
