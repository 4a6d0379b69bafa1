import AudioToolbox
import Dispatch
import Glibc
import ProcessDevice
import RingerLinux

// One check of a new process, as Benchmarks/Detector/first starts it: how long the first play of a clip took, in ms.
//
//     FirstCheck apple|swift CLIP

func milliseconds(since start: MonotonicTime) -> Double { (MonotonicTime.now - start) / .milliseconds(1) }

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(64) }
if arguments[1] == "apple" {
    var clip: AudioToolbox.SystemSoundID = 0
    guard AudioServicesCreateSystemSoundID(URL(fileURLWithPath: arguments[2]) as CFURL, &clip) == 0 else { exit(1) }
    let start = MonotonicTime.now
    AudioServicesPlaySystemSoundWithCompletion(clip) {
        print(milliseconds(since: start))
        exit(0)
    }
    dispatchMain()
}
let device = try ProcessDevice.device
let clip = try device.sounds.register(arguments[2])
let isOver = DispatchSemaphore(value: 0)
let start = MonotonicTime.now
device.sounds.start(clip) { _ in
    print(milliseconds(since: start))
    isOver.signal()
}
isOver.wait()
device.close()
