// What sources that import AVFoundation use of audio: they expect AudioToolbox and Foundation with it.
@_exported import AVFAudio
@_exported import AudioToolbox
