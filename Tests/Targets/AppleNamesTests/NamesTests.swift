import AVFoundation
import ProcessDevice
import RingerLinux
import RingerTestKit
import Testing
import UserNotifications

extension AppleNames {
    /// The other classes, in virtual time.
    @Suite @MainActor struct Names {
        @Test func `A session's requests and errors are the device's`() throws {
            let bench = try ProcessBench()
            let session = AVAudioSession.sharedInstance()
            #expect(session.category == .soloAmbient && session.mode == .default)
            try session.setCategory(.playAndRecord, mode: .voiceChat, options: [.duckOthers, .allowBluetoothA2DP])
            #expect(session.category == .playAndRecord && session.mode == .voiceChat)
            #expect(session.categoryOptions == .duckOthers)
            try session.setActive(true)
            #expect(session.currentRoute.outputs.map(\.portType) == [.builtInReceiver])
            try session.overrideOutputAudioPort(.speaker)
            #expect(session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
            #expect(session.availableCategories.count == 7)
            let error = #expect(throws: NSError.self) { try session.setCategory(.ambient, options: .defaultToSpeaker) }
            #expect(error?.domain == NSOSStatusErrorDomain && error?.code == Int(kAudioSessionIncompatibleCategory))
            let call = bench.device.sessions.interruptionBegan()
            #expect(throws: NSError.self) { try session.setActive(true) }
            bench.device.sessions.interruptionEnded(call)
            try session.setActive(false, options: .notifyOthersOnDeactivation)
            #expect(AudioSessionInitialize(nil, nil, nil, nil) == kAudioSessionNoError)
            var off: UInt32 = 0
            for property in [
                kAudioSessionProperty_OverrideCategoryMixWithOthers, kAudioSessionProperty_OverrideAudioRoute,
                kAudioSessionProperty_OverrideCategoryEnableBluetoothInput,
            ] {
                try session.setCategory(.soloAmbient)
                #expect(AudioSessionSetProperty(property, 4, &off) == kAudioSessionNoError)
            }
            #expect(AudioSessionSetActiveWithFlags(false, 0) == kAudioSessionNoError)
            bench.board.surroundings.set(.outputVolume(0.25))
            #expect(session.outputVolume == 0.25)
        }

        // For the run loop of another thread, callbacks came on the callbacks' thread; the mode was ignored.
        @Test func `A completion and an interruption run in the run loop and the mode that were named`() async throws {
            let bench = try ProcessBench(.silent)
            let (id, _) = try bench.register(frames: 80)
            let notes = Notes()
            let own = CFRunLoopMode("own" as CFString)
            for mode in [CFRunLoopMode.defaultMode, .commonModes, own] {
                let other = OtherThread()
                AudioServicesAddSystemSoundCompletion(
                    id, other.runLoop, mode.rawValue,
                    { sound, _ in notes.add("\(sound == id), \(Thread.current === other.thread)") }, nil)
                let before = notes.all.count
                for _ in 0..<3 { AudioServicesPlaySystemSound(id) }
                #expect(notes.all.count == before)
                if mode == own {
                    // It runs, and in another mode.
                    other.run(in: .defaultMode, until: { true })
                    #expect(notes.all.count == before)
                }
                other.run(in: mode == own ? own : .defaultMode) { notes.all.count == before + 3 }
            }
            #expect(notes.all == Array(repeating: "true, true", count: 9))
            let other = OtherThread()
            let listener: AudioSessionInterruptionListener = { _, state in
                notes.add("\(state), \(Thread.current === other.thread)")
            }
            #expect(AudioSessionInitialize(other.runLoop, nil, listener, nil) == kAudioSessionNoError)
            #expect(AudioSessionSetActive(true) == kAudioSessionNoError)
            bench.device.sessions.interruptionEnded(bench.device.sessions.interruptionBegan())
            other.run(in: .defaultMode) { notes.all.count == 11 }
            #expect(notes.all.suffix(2) == ["1, true", "0, true"])
        }

        @Test func `A completion runs in the main run loop`() async throws {
            let bench = try ProcessBench(.silent)
            let (id, _) = try bench.register(frames: 80)
            let notes = Notes()
            for runLoop in [nil, CFRunLoopGetMain()] {
                let before = notes.all.count
                AudioServicesAddSystemSoundCompletion(
                    id, runLoop, CFRunLoopMode.defaultMode.rawValue,
                    { sound, data in notes.add("\(sound == id), \(data == nil)") }, nil)
                AudioServicesPlaySystemSound(id)
                #expect(notes.all.count == before)
                try await eventually { notes.all.count == before + 1 }
            }
            #expect(notes.all == Array(repeating: "true, true", count: 2))
            // A completion that was removed before the main run loop comes to it is not called.
            AudioServicesAddSystemSoundCompletion(id, nil, nil, { _, _ in notes.add("removed") }, nil)
            AudioServicesPlaySystemSound(id)
            AudioServicesRemoveSystemSoundCompletion(id)
            AudioServicesPlaySystemSoundWithCompletion(id) { DispatchQueue.main.async { notes.add("last") } }
            try await eventually { notes.all.last == "last" }
            #expect(notes.all.count == 3)
        }

        /// A thread that runs its run loop when the test says so.
        private final class OtherThread: @unchecked Sendable {
            private(set) var thread: Thread?
            private(set) var runLoop: RunLoop?
            private let work = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
            private var job: (() -> Void)?

            init() {
                Thread.detachNewThread { [self] in
                    (thread, runLoop) = (Thread.current, RunLoop.current)
                    done.signal()
                    while true {
                        work.wait()
                        guard let job else { return }
                        job()
                        done.signal()
                    }
                }
                done.wait()
            }

            deinit { work.signal() }

            /// Runs it in a mode, until the condition holds.
            func run(in mode: CFRunLoopMode, until condition: @escaping () -> Bool) {
                job = {
                    repeat { CFRunLoopRunInMode(mode, 0.01, true) } while !condition()
                }
                work.signal()
                done.wait()
                job = nil
            }
        }

        @Test func `A route change is a dictionary with the reason and the old route`() async throws {
            let bench = try ProcessBench()
            #expect(AudioSessionInitialize(nil, nil, nil, nil) == kAudioSessionNoError)
            let notes = Notes()
            let status = AudioSessionAddPropertyListener(
                kAudioSessionProperty_AudioRouteChange,
                { _, property, size, data in
                    guard let data else { return notes.add("nothing") }
                    let change = Unmanaged<CFDictionary>.fromOpaque(data).takeUnretainedValue()
                    let reason = change[kAudioSession_AudioRouteChangeKey_Reason as CFString] as? NSNumber
                    let old = change[kAudioSession_AudioRouteChangeKey_OldRoute as CFString] as? String
                    notes.add("\(property) \(size) \(reason?.uint32Value ?? 99) \(old ?? "none")")
                }, nil)
            #expect(status == kAudioSessionNoError)
            #expect(AudioSessionSetActive(true) == kAudioSessionNoError)
            bench.board.surroundings.set(.headphoneInserted(true))
            try await eventually { !notes.all.isEmpty }
            #expect(notes.all.last == "\(kAudioSessionProperty_AudioRouteChange) 8 1 Speaker")
            #expect(AudioSessionRemovePropertyListener(kAudioSessionProperty_AudioRouteChange) == kAudioSessionNoError)
        }

        @Test func `A URL that is no file is refused`() throws {
            let bench = try ProcessBench()
            var id: AudioToolbox.SystemSoundID = 7
            let status = AudioServicesCreateSystemSoundID(NSURL(string: "https://example.org/a.wav")!, &id)
            #expect(status == kAudioServicesSystemSoundUnspecifiedError && id == 0)
            _ = bench
        }

        @Test(
            arguments: [
                (#"{"aps": {"sound": "default"}}"#, UNNotificationSound.default),
                (#"{"aps": {"sound": "a.caf"}}"#, UNNotificationSound(named: UNNotificationSoundName("a.caf"))),
                (
                    #"{"aps": {"sound": {"critical": 1, "name": "default", "volume": 0.5}}}"#,
                    .defaultCriticalSound(withAudioVolume: 0.5)
                ),
                (
                    #"{"aps": {"sound": {"critical": 1, "name": "a.caf"}}}"#,
                    .criticalSoundNamed(UNNotificationSoundName("a.caf"))
                ),
                (
                    #"{"aps": {"sound": {"critical": 0, "name": "a.caf", "volume": 1.0}}}"#,
                    UNNotificationSound(named: UNNotificationSoundName("a.caf"))
                ),
                (#"{"aps": {"sound": ""}}"#, nil), (#"{"aps": {"sound": 7}}"#, nil), (#"{"aps": {}}"#, nil),
                ("{}", nil),
            ] as [(String, UNNotificationSound?)])
        func `The sound of a payload`(_ payload: String, _ sound: UNNotificationSound?) throws {
            let object = try JSONSerialization.jsonObject(with: Data(payload.utf8))
            #expect(UNNotificationSound(payload: try #require(object as? [String: Any])) == sound)
        }

        @Test func `Each kind of sound is heard at ring; at silent the critical ones are, once they were asked for`()
            async throws
        {
            let name = UNNotificationSoundName("none.wav")
            let ordinary: [UNNotificationSound] = [.default, UNNotificationSound(named: name)]
            let critical: [UNNotificationSound] = [
                .defaultCritical, .defaultCriticalSound(withAudioVolume: 0.5), .criticalSoundNamed(name),
                .criticalSoundNamed(name, withAudioVolume: 0.5),
            ]
            let center = UNUserNotificationCenter.current()
            center.delegate = nil
            #expect(try await center.requestAuthorization(options: [.sound, .criticalAlert]))
            let settings = await center.notificationSettings()
            #expect(settings.authorizationStatus == .authorized && settings.criticalAlertSetting == .enabled)
            for (position, heard) in [(SwitchPosition.ring, [1, 1, 1, 1, 1, 1]), (.silent, [0, 0, 1, 1, 1, 1])] {
                let bench = try ProcessBench(position)
                var counts: [Int] = []
                for sound in ordinary + critical {
                    let before = bench.board.speaker.recordingCount
                    let content = UNMutableNotificationContent()
                    content.sound = sound
                    try await center.add(UNNotificationRequest(identifier: "", content: content, trigger: nil))
                    bench.clock.advance(by: .seconds(30))
                    counts.append(bench.board.speaker.recordingCount - before)
                }
                #expect(counts == heard)
            }
        }

        @Test func `An async delegate decides whether a notification is heard`() async throws {
            final class Quiet: UNUserNotificationCenterDelegate, Sendable {
                let notes = Notes()

                func userNotificationCenter(
                    _ center: UNUserNotificationCenter, willPresent notification: UNNotification
                ) async -> UNNotificationPresentationOptions {
                    notes.add(notification.request.identifier)
                    return notification.request.identifier == "quiet" ? [.banner] : [.sound]
                }
            }
            let bench = try ProcessBench()
            let delegate = Quiet()
            let content = UNMutableNotificationContent()
            content.sound = .default
            let center = UNUserNotificationCenter.current()
            center.delegate = delegate
            for identifier in ["quiet", "loud"] {
                try await center.add(UNNotificationRequest(identifier: identifier, content: content, trigger: nil))
                try await eventually { delegate.notes.all.last == identifier }
            }
            try await eventually { bench.board.speaker.recordingCount == 1 }
            #expect(delegate.notes.all == ["quiet", "loud"])
            center.delegate = nil
        }

        // The reminder that it replaced was heard after it.
        @Test func `A request without a trigger replaces one of its identifier that is pending`() async throws {
            let bench = try ProcessBench()
            let content = UNMutableNotificationContent()
            content.sound = .default
            let center = UNUserNotificationCenter.current()
            let reminder = UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: false)
            for trigger in [reminder, nil] {
                try await center.add(UNNotificationRequest(identifier: "one", content: content, trigger: trigger))
            }
            #expect(await center.pendingNotificationRequests().isEmpty)
            bench.clock.advance(by: .seconds(90))
            #expect(bench.board.speaker.recordingCount == 1)
        }

        @Test func `A file of the home directory that HOME names is heard`() async throws {
            let bench = try ProcessBench()
            let sounds = bench.directory.appending(path: "Library/Sounds")
            try FileManager.default.createDirectory(at: sounds, withIntermediateDirectories: true)
            try bench.wave(frames: 123).write(to: sounds.appending(path: "home.wav"))
            let before = ProcessInfo.processInfo.environment["HOME"]
            setenv("HOME", bench.directory.path, 1)
            defer { if let before { setenv("HOME", before, 1) } else { unsetenv("HOME") } }
            let content = UNMutableNotificationContent()
            content.sound = UNNotificationSound(named: UNNotificationSoundName("home.wav"))
            try await UNUserNotificationCenter.current().add(
                UNNotificationRequest(identifier: "", content: content, trigger: nil))
            bench.clock.advance(by: .seconds(1))
            #expect(bench.board.speaker.recordings.map(\.played) == [123])
        }

        @Test func `Why another sound was heard than a notification's is kept as the process's failure`() async throws {
            let bench = try ProcessBench()
            let content = UNMutableNotificationContent()
            func notify() async throws {
                try await UNUserNotificationCenter.current().add(
                    UNNotificationRequest(identifier: "", content: content, trigger: nil))
                bench.clock.advance(by: .seconds(40))
            }
            content.sound = .default
            try await notify()
            #expect(ProcessDevice.failure == nil)
            content.sound = UNNotificationSound(named: UNNotificationSoundName("none.wav"))
            try await notify()
            #expect(bench.board.speaker.recordings.map { $0.played > 0 } == [true, true])
            let failure = try #require(ProcessDevice.failure)
            #expect(failure.code == .notFound && failure.subject.hasSuffix("none.wav"), "\(failure)")
        }

        @Test func `A service extension changes a content, whose attachments go to the delegate`() async throws {
            final class Renamer: UNNotificationServiceExtension {
                override func didReceive(
                    _ request: UNNotificationRequest,
                    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
                ) {
                    guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else { return }
                    content.title += " renamed"
                    contentHandler(content)
                }
            }
            final class Reader: UNUserNotificationCenterDelegate, Sendable {
                let notes = Notes()

                func userNotificationCenter(
                    _ center: UNUserNotificationCenter, willPresent notification: UNNotification
                ) async -> UNNotificationPresentationOptions {
                    let content = notification.request.content
                    notes.add(([content.title] + content.attachments.map { "\($0.identifier) \($0.type)" }).joined())
                    return []
                }
            }
            let bench = try ProcessBench()
            let (reader, center) = (Reader(), UNUserNotificationCenter.current())
            center.delegate = reader
            let file = bench.directory.appending(path: "picture.png")
            let refusal = #expect(throws: UNError.self) { try UNNotificationAttachment(identifier: "", url: file) }
            #expect((refusal as NSError?)?.domain == UNErrorDomain && refusal?.errorCode == 100)
            try Data([1]).write(to: file)
            let content = UNMutableNotificationContent()
            content.title = "payment"
            content.attachments = [try UNNotificationAttachment(identifier: " picture", url: file, options: nil)]
            for service in [UNNotificationServiceExtension(), Renamer()] {
                let received = UNNotificationRequest(identifier: "", content: content, trigger: nil)
                service.didReceive(received) { content in
                    center.add(UNNotificationRequest(identifier: "", content: content, trigger: nil))
                }
                service.serviceExtensionTimeWillExpire()
            }
            try await eventually { reader.notes.all.count == 2 }
            #expect(reader.notes.all.sorted() == ["payment picture png", "payment renamed picture png"])
            center.delegate = nil
        }

        @Test func `A run loop is stopped from another thread, and runs in time`() async throws {
            let results = Notes()
            let (loops, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            nonisolated(unsafe) var loop: CFRunLoop?
            Thread.detachNewThread {
                loop = CFRunLoopGetCurrent()
                RunLoop.current.add(Timer(timeInterval: 1e6, repeats: false) { _ in }, forMode: .default)
                results.add("\(CFRunLoopRunInMode(.defaultMode, 0, false))")
                RunLoop.current.perform { loops.signal() }
                results.add("\(CFRunLoopRunInMode(.defaultMode, 1e6, false))")
                RunLoop.current.perform { loops.signal() }
                CFRunLoopRun()
                isDone.signal()
            }
            try await Self.stop(2, loops, isDone) { CFRunLoopStop(loop) }
            #expect(results.all == ["timedOut", "stopped"])
            #expect(
                CACurrentMediaTime() > 0 && abs(CFAbsoluteTimeGetCurrent() - Date().timeIntervalSinceReferenceDate) < 60
            )
        }

        /// Stops each of so many runs once it runs, and waits for the end.
        private nonisolated static func stop(
            _ runs: Int, _ loops: DispatchSemaphore, _ isDone: DispatchSemaphore, _ body: @escaping @Sendable () -> Void
        ) async throws {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    for _ in 0..<runs {
                        loops.wait()
                        body()
                    }
                    isDone.wait()
                    continuation.resume()
                }
            }
        }

        @Test func `A notification without a delegate plays its sound when its trigger says`() async throws {
            let bench = try ProcessBench()
            let content = UNMutableNotificationContent()
            content.sound = .default
            let request = UNNotificationRequest(
                identifier: "one", content: content,
                trigger: UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: true))
            content.sound = nil
            let center = UNUserNotificationCenter.current()
            try await center.add(request)
            bench.clock.advance(by: .milliseconds(59_999))
            #expect(bench.board.speaker.recordingCount == 0)
            bench.clock.advance(by: .milliseconds(1))
            #expect(bench.board.speaker.recordingCount == 1)
            bench.clock.advance(by: .seconds(60))
            #expect(bench.board.speaker.recordingCount == 2)
            center.removeAllPendingNotificationRequests()
            bench.clock.advance(by: .seconds(60))
            #expect(bench.board.speaker.recordingCount == 2)
        }
    }
}
