import CLabSupport
import Glibc
import Synchronization

/// Answers for a motor that the test has plugged in, on a thread of its own.
///
/// The kernel makes a program that uploads or erases an effect wait until the device has answered. What was asked is
/// recorded before that program continues.
final class MotorAnswerer: Sendable {
    private struct Log {
        var commands: [VirtualInput.MotorCommand] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<[VirtualInput.MotorCommand], Never>)] = []
        var uploadError: Int32 = 0
    }

    private final class Shared: Sendable {
        let log = Mutex(Log())
    }

    private let shared = Shared()
    private let thread: pthread_t
    /// The thread ends when the other end of this pipe is closed.
    private let lifeline: Int32

    /// Answers on a uinput descriptor that does not block, until `stop`.
    init(_ descriptor: Int32) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw LabFailure.system("pipe") }
        let (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        lifeline = writer
        let shared = shared
        do {
            thread = try makeThread {
                Self.answer(descriptor, until: reader, shared)
                close(reader)
            }
        } catch {
            close(reader)
            close(writer)
            throw error
        }
    }

    /// Returns when the device's descriptor is no longer used: its number may go to another file then.
    func stop() {
        close(lifeline)
        pthread_join(thread, nil)
    }

    /// What was asked so far.
    var commands: [VirtualInput.MotorCommand] {
        shared.log.withLock { $0.commands }
    }

    /// What was asked, once it is so much.
    func commands(count: Int) async -> [VirtualInput.MotorCommand] {
        await withCheckedContinuation { continuation in
            let commands = shared.log.withLock { log -> [VirtualInput.MotorCommand]? in
                if log.commands.count >= count { return log.commands }
                log.waiters.append((count, continuation))
                return nil
            }
            if let commands { continuation.resume(returning: commands) }
        }
    }

    /// Lets every upload from now on fail with this error number; 0 lets them succeed.
    func failUploads(with error: Int32) {
        shared.log.withLock { $0.uploadError = error }
    }

    private static func answer(_ descriptor: Int32, until lifeline: Int32, _ shared: Shared) {
        while true {
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&requests, 2, -1) >= 0 || errno == EINTR else { return }
            var event = input_event()
            while read(descriptor, &event, MemoryLayout<input_event>.size) == MemoryLayout<input_event>.size {
                answer(event, on: descriptor, shared)
            }
            if requests[1].revents != 0 { return }
        }
    }

    private static func answer(_ event: input_event, on descriptor: Int32, _ shared: Shared) {
        switch (Int32(event.type), Int32(event.code)) {
        case (EV_UINPUT, UI_FF_UPLOAD):
            var upload = uinput_ff_upload()
            lab_uinput_begin_upload(descriptor, UInt32(bitPattern: event.value), &upload)
            let error = shared.log.withLock { $0.uploadError }
            let (effect, rumble) = (upload.effect, upload.effect.u.rumble)
            if error == 0 {
                record(
                    .upload(
                        effect: Int(effect.id), strong: rumble.strong_magnitude, weak: rumble.weak_magnitude,
                        milliseconds: effect.replay.length), in: shared)
            }
            lab_uinput_end_upload(descriptor, &upload, -error)
        case (EV_UINPUT, UI_FF_ERASE):
            var erase = uinput_ff_erase()
            lab_uinput_begin_erase(descriptor, UInt32(bitPattern: event.value), &erase)
            record(.erase(effect: Int(erase.effect_id)), in: shared)
            lab_uinput_end_erase(descriptor, &erase)
        case (EV_FF, FF_GAIN):
            record(.gain(event.value), in: shared)
        case (EV_FF, let effect):
            record(.play(effect: Int(effect), count: event.value), in: shared)
        default:
            break
        }
    }

    private static func record(_ command: VirtualInput.MotorCommand, in shared: Shared) {
        let (commands, ready) = shared.log.withLock { log in
            log.commands.append(command)
            let count = log.commands.count
            let ready = log.waiters.filter { $0.count <= count }
            log.waiters.removeAll { $0.count <= count }
            return (log.commands, ready)
        }
        for waiter in ready { waiter.continuation.resume(returning: commands) }
    }
}
