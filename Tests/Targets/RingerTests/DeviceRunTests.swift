import Glibc
import Ringer
import RingerHardware
import RingerCore
import SystemPackage
import Testing

@Suite("A firmware on the device's thread", .timeLimit(.minutes(1)))
struct DeviceRunTests {
    /// A machine without any device.
    private var hardware: Device.Hardware {
        let nowhere: FilePath = "/nonexistent/ringer"
        return Device.Hardware(
            ringSilent: nil, motor: MotorSpecification.none,
            paths: HardwarePaths(
                devices: nowhere, input: nowhere, leds: nowhere, sound: nowhere, processes: nowhere))
    }

    @Test("its stack has at least 1 MiB")
    func stack() throws {
        let sizes = Record<Int>()
        try Device.run(hardware) { _ in
            sizes.append(ownStackSize())
        }
        #expect(sizes.all.allSatisfy { $0 >= 1 << 20 } && sizes.all.count == 1)
    }

    // A file on slow storage held up the switch for as long as reading it took.
    @Test("work that is done elsewhere leaves the device's thread to others")
    func elsewhere() throws {
        let order = Record<String>()
        try Device.run(hardware) { device in
            let loop = try #require(device.clock as? EventLoop)
            let mayGoOn = Latch()
            loop.execute {
                order.append("device's thread")
                mayGoOn.open()
            }
            let wasOnLoop = await DetachedThread.run {
                mayGoOn.wait()
                order.append("other thread")
                return loop.isCurrentThread
            }
            #expect(!wasOnLoop && loop.isCurrentThread)
        }
        #expect(order.all == ["device's thread", "other thread"])
    }

    @Test("a file that cannot be read is an error of the call, also when it is read elsewhere")
    func missingFile() throws {
        try Device.run(hardware) { device in
            do throws(RingerError) {
                _ = try await device.play("/nonexistent/sound.wav")
                Issue.record("it played")
            } catch {
                #expect(error.code == .notFound && error.subject == "/nonexistent/sound.wav")
            }
        }
    }
}

/// The size of the calling thread's stack, in bytes.
private func ownStackSize() -> Int {
    // Swift's Glibc module leaves `pthread_getattr_np` out.
    typealias Attributes = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt
    guard let address = dlsym(nil, "pthread_getattr_np") else { return -1 }
    // SAFETY: this is the type that the C library declares.
    let attributesOf = unsafeBitCast(address, to: Attributes.self)
    var attributes = pthread_attr_t()
    guard attributesOf(pthread_self(), &attributes) == 0 else { return -1 }
    defer { pthread_attr_destroy(&attributes) }
    var size = 0
    pthread_attr_getstacksize(&attributes, &size)
    return size
}
