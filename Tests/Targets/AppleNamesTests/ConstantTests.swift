import AVFoundation
import Foundation
import Testing

extension AppleNames {
    /// The names, values and sizes of the table are Apple's.
    @Suite struct Constants {
        private struct Row: Equatable {
            var value: Int64?
            var size: Int
        }

        private static func row<Value: BinaryInteger>(_ value: Value) -> Row {
            Row(value: Int64(value), size: MemoryLayout<Value>.size)
        }

        private static func row<Value>(_ type: Value.Type) -> Row {
            Row(value: nil, size: MemoryLayout<Value>.size)
        }

        private static let here: [String: Row] = [
            "AVAudioSession.CategoryOptions.allowBluetooth": row(
                AVAudioSession.CategoryOptions.allowBluetooth.rawValue),
            "AVAudioSession.CategoryOptions.defaultToSpeaker": row(
                AVAudioSession.CategoryOptions.defaultToSpeaker.rawValue),
            "AVAudioSession.CategoryOptions.duckOthers": row(AVAudioSession.CategoryOptions.duckOthers.rawValue),
            "AVAudioSession.CategoryOptions.interruptSpokenAudioAndMixWithOthers": row(
                AVAudioSession.CategoryOptions.interruptSpokenAudioAndMixWithOthers.rawValue),
            "AVAudioSession.CategoryOptions.mixWithOthers": row(AVAudioSession.CategoryOptions.mixWithOthers.rawValue),
            "kAudioServicesBadPropertySizeError": row(kAudioServicesBadPropertySizeError),
            "kAudioServicesBadSpecifierSizeError": row(kAudioServicesBadSpecifierSizeError),
            "kAudioServicesNoError": row(kAudioServicesNoError),
            "kAudioServicesNoHardwareError": row(kAudioServicesNoHardwareError),
            "kAudioServicesPropertyCompletePlaybackIfAppDies": row(kAudioServicesPropertyCompletePlaybackIfAppDies),
            "kAudioServicesPropertyIsUISound": row(kAudioServicesPropertyIsUISound),
            "kAudioServicesSystemSoundClientTimedOutError": row(kAudioServicesSystemSoundClientTimedOutError),
            "kAudioServicesSystemSoundExceededMaximumDurationError": row(
                kAudioServicesSystemSoundExceededMaximumDurationError),
            "kAudioServicesSystemSoundUnspecifiedError": row(kAudioServicesSystemSoundUnspecifiedError),
            "kAudioServicesUnsupportedPropertyError": row(kAudioServicesUnsupportedPropertyError),
            "kAudioSessionAlreadyInitialized": row(kAudioSessionAlreadyInitialized),
            "kAudioSessionBadPropertySizeError": row(kAudioSessionBadPropertySizeError),
            "kAudioSessionBeginInterruption": row(kAudioSessionBeginInterruption),
            "kAudioSessionCategory_AmbientSound": row(kAudioSessionCategory_AmbientSound),
            "kAudioSessionCategory_AudioProcessing": row(kAudioSessionCategory_AudioProcessing),
            "kAudioSessionCategory_LiveAudio": row(kAudioSessionCategory_LiveAudio),
            "kAudioSessionCategory_MediaPlayback": row(kAudioSessionCategory_MediaPlayback),
            "kAudioSessionCategory_PlayAndRecord": row(kAudioSessionCategory_PlayAndRecord),
            "kAudioSessionCategory_RecordAudio": row(kAudioSessionCategory_RecordAudio),
            "kAudioSessionCategory_SoloAmbientSound": row(kAudioSessionCategory_SoloAmbientSound),
            "kAudioSessionCategory_UserInterfaceSoundEffects": row(kAudioSessionCategory_UserInterfaceSoundEffects),
            "kAudioSessionEndInterruption": row(kAudioSessionEndInterruption),
            "kAudioSessionIncompatibleCategory": row(kAudioSessionIncompatibleCategory),
            "kAudioSessionInitializationError": row(kAudioSessionInitializationError),
            "kAudioSessionNoCategorySet": row(kAudioSessionNoCategorySet),
            "kAudioSessionNoError": row(kAudioSessionNoError),
            "kAudioSessionNotActiveError": row(kAudioSessionNotActiveError),
            "kAudioSessionNotInitialized": row(kAudioSessionNotInitialized),
            "kAudioSessionOverrideAudioRoute_None": row(kAudioSessionOverrideAudioRoute_None),
            "kAudioSessionOverrideAudioRoute_Speaker": row(kAudioSessionOverrideAudioRoute_Speaker),
            "kAudioSessionProperty_AudioCategory": row(kAudioSessionProperty_AudioCategory),
            "kAudioSessionProperty_AudioInputAvailable": row(kAudioSessionProperty_AudioInputAvailable),
            "kAudioSessionProperty_AudioRoute": row(kAudioSessionProperty_AudioRoute),
            "kAudioSessionProperty_AudioRouteChange": row(kAudioSessionProperty_AudioRouteChange),
            "kAudioSessionProperty_CurrentHardwareIOBufferDuration": row(
                kAudioSessionProperty_CurrentHardwareIOBufferDuration),
            "kAudioSessionProperty_CurrentHardwareInputLatency": row(kAudioSessionProperty_CurrentHardwareInputLatency),
            "kAudioSessionProperty_CurrentHardwareInputNumberChannels": row(
                kAudioSessionProperty_CurrentHardwareInputNumberChannels),
            "kAudioSessionProperty_CurrentHardwareOutputLatency": row(
                kAudioSessionProperty_CurrentHardwareOutputLatency),
            "kAudioSessionProperty_CurrentHardwareOutputNumberChannels": row(
                kAudioSessionProperty_CurrentHardwareOutputNumberChannels),
            "kAudioSessionProperty_CurrentHardwareOutputVolume": row(kAudioSessionProperty_CurrentHardwareOutputVolume),
            "kAudioSessionProperty_CurrentHardwareSampleRate": row(kAudioSessionProperty_CurrentHardwareSampleRate),
            "kAudioSessionProperty_OtherAudioIsPlaying": row(kAudioSessionProperty_OtherAudioIsPlaying),
            "kAudioSessionProperty_OtherMixableAudioShouldDuck": row(kAudioSessionProperty_OtherMixableAudioShouldDuck),
            "kAudioSessionProperty_OverrideAudioRoute": row(kAudioSessionProperty_OverrideAudioRoute),
            "kAudioSessionProperty_OverrideCategoryDefaultToSpeaker": row(
                kAudioSessionProperty_OverrideCategoryDefaultToSpeaker),
            "kAudioSessionProperty_OverrideCategoryEnableBluetoothInput": row(
                kAudioSessionProperty_OverrideCategoryEnableBluetoothInput),
            "kAudioSessionProperty_OverrideCategoryMixWithOthers": row(
                kAudioSessionProperty_OverrideCategoryMixWithOthers),
            "kAudioSessionProperty_PreferredHardwareIOBufferDuration": row(
                kAudioSessionProperty_PreferredHardwareIOBufferDuration),
            "kAudioSessionProperty_PreferredHardwareSampleRate": row(kAudioSessionProperty_PreferredHardwareSampleRate),
            "kAudioSessionProperty_ServerDied": row(kAudioSessionProperty_ServerDied),
            "kAudioSessionRouteChangeReason_CategoryChange": row(kAudioSessionRouteChangeReason_CategoryChange),
            "kAudioSessionRouteChangeReason_NewDeviceAvailable": row(kAudioSessionRouteChangeReason_NewDeviceAvailable),
            "kAudioSessionRouteChangeReason_NoSuitableRouteForCategory": row(
                kAudioSessionRouteChangeReason_NoSuitableRouteForCategory),
            "kAudioSessionRouteChangeReason_OldDeviceUnavailable": row(
                kAudioSessionRouteChangeReason_OldDeviceUnavailable),
            "kAudioSessionRouteChangeReason_Override": row(kAudioSessionRouteChangeReason_Override),
            "kAudioSessionRouteChangeReason_Unknown": row(kAudioSessionRouteChangeReason_Unknown),
            "kAudioSessionRouteChangeReason_WakeFromSleep": row(kAudioSessionRouteChangeReason_WakeFromSleep),
            "kAudioSessionUnsupportedPropertyError": row(kAudioSessionUnsupportedPropertyError),
            "kAudioSessionInterruptionType_ShouldNotResume": row(kAudioSessionInterruptionType_ShouldNotResume),
            "kAudioSessionInterruptionType_ShouldResume": row(kAudioSessionInterruptionType_ShouldResume),
            "kAudioSessionMode_Default": row(kAudioSessionMode_Default),
            "kAudioSessionMode_Measurement": row(kAudioSessionMode_Measurement),
            "kAudioSessionMode_VideoRecording": row(kAudioSessionMode_VideoRecording),
            "kAudioSessionMode_VoiceChat": row(kAudioSessionMode_VoiceChat),
            "kAudioSessionProperty_InterruptionType": row(kAudioSessionProperty_InterruptionType),
            "kAudioSessionProperty_Mode": row(kAudioSessionProperty_Mode),
            "kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation": row(
                kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation),
            "kSystemSoundID_Vibrate": row(kSystemSoundID_Vibrate),
            "Boolean": row(Boolean.self),
            "Float32": row(Float32.self),
            "Float64": row(Float64.self),
            "OSStatus": row(OSStatus.self),
            "SystemSoundID": row(SystemSoundID.self),
            "UInt32": row(UInt32.self),
        ]

        /// The lines of the table: name, value, size, the type of a property's value, its access.
        private static func lines() throws -> [[String]] {
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Support/AppleNames/constants.tsv")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            }
        }

        private static func table() throws -> [String: Row] {
            Dictionary(
                uniqueKeysWithValues: try lines().map { cells in
                    (cells[0], Row(value: Int64(cells[1]), size: Int(cells[2]) ?? 0))
                })
        }

        @Test func `Every constant and type of the table has its value and size`() throws {
            let table = try Self.table()
            #expect(table.count > 60)
            #expect(Set(table.keys) == Set(Self.here.keys))
            for (name, row) in table { #expect(Self.here[name] == row, "\(name)") }
        }

        @Test func `Each property of a session has the table's size and access`() throws {
            let bench = try ProcessBench()
            #expect(AudioSessionInitialize(nil, nil, nil, nil) == kAudioSessionNoError)
            let sizes: [String: UInt32] = [
                "UInt32": 4, "Float32": 4, "Float64": 8, "CFStringRef": 8, "CFDictionaryRef": 8,
            ]
            var checked = 0
            for cells in try Self.lines() where cells[0].hasPrefix("kAudioSessionProperty_") {
                let (name, access) = (cells[0], cells[4])
                let property = try #require(AudioSessionPropertyID(cells[1]))
                let size = try #require(sizes[cells[3]])
                let buffer = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
                defer { buffer.deallocate() }
                buffer.initializeMemory(as: UInt64.self, repeating: 0, count: 2)
                let isReadable = access.hasPrefix("read")
                var given = size
                let got = AudioSessionGetProperty(property, &given, buffer)
                #expect(got == (isReadable ? kAudioSessionNoError : kAudioSessionUnsupportedPropertyError), "\(name)")
                // Listeners have to know how large it is, too.
                var told: UInt32 = 0
                #expect(AudioSessionGetPropertySize(property, &told) == kAudioSessionNoError && told == size, "\(name)")
                if isReadable {
                    #expect(given == size, "\(name)")
                    given = size - 1
                    #expect(
                        AudioSessionGetProperty(property, &given, buffer) == kAudioSessionBadPropertySizeError,
                        "\(name)")
                }
                let set = AudioSessionSetProperty(property, size + 1, buffer)
                let isWritable = access.hasSuffix("write")
                #expect(
                    set == (isWritable ? kAudioSessionBadPropertySizeError : kAudioSessionUnsupportedPropertyError),
                    "\(name)")
                checked += 1
            }
            #expect(checked == 22)
            _ = bench
        }

        @Test func `References are as large as a pointer, and the route change's keys are Apple's`() {
            #expect(MemoryLayout<CFString?>.size == MemoryLayout<UnsafeRawPointer>.size)
            #expect(MemoryLayout<CFURL>.size == MemoryLayout<UnsafeRawPointer>.size)
            #expect(MemoryLayout<DarwinBoolean>.size == 1)
            #expect(kAudioSession_AudioRouteChangeKey_Reason == "OutputDeviceDidChange_Reason")
            #expect(kAudioSession_AudioRouteChangeKey_OldRoute == "OutputDeviceDidChange_OldRoute")
        }
    }
}
