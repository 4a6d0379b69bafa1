/*
 * Audio Session Services: the process's audio session, its category, its properties and their listeners, interruptions.
 *
 * Any thread may call any function. Callbacks as in AudioServices.h.
 */
#ifndef RINGER_AUDIOSESSION_H
#define RINGER_AUDIOSESSION_H

#include <CoreFoundation/CoreFoundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results, of type OSStatus. A NULL pointer where a value is needed, and a value that is none, is kAudio_ParamError. */
enum {
    kAudioSessionNoError = 0,
    kAudioSessionNotInitialized = 0x21696E69,                           /* '!ini' */
    kAudioSessionAlreadyInitialized = 0x696E6974,                       /* 'init' */
    kAudioSessionInitializationError = 0x696E693F,                      /* 'ini?' */
    kAudioSessionUnsupportedPropertyError = 0x7074793F,                 /* 'pty?' */
    kAudioSessionBadPropertySizeError = 0x2173697A,                     /* '!siz' */
    kAudioSessionNotActiveError = 0x21616374,                           /* '!act' */
    kAudioServicesNoHardwareError = 0x6E6F6877,                         /* 'nohw' */
    kAudioSessionNoCategorySet = 0x3F636174,                            /* '?cat' */
    kAudioSessionIncompatibleCategory = 0x21636174                      /* '!cat' */
};

typedef UInt32 AudioSessionPropertyID;

/* The properties, and the types of their values. */
enum {
    kAudioSessionProperty_PreferredHardwareSampleRate = 0x68777372,             /* 'hwsr', Float64, Hz */
    kAudioSessionProperty_PreferredHardwareIOBufferDuration = 0x696F6264,       /* 'iobd', Float32, s */
    kAudioSessionProperty_AudioCategory = 0x61636174,                           /* 'acat', UInt32 */
    kAudioSessionProperty_AudioRoute = 0x726F7574,                              /* 'rout', CFStringRef, read only */
    kAudioSessionProperty_AudioRouteChange = 0x726F6368,                        /* 'roch', CFDictionaryRef, listeners only */
    kAudioSessionProperty_CurrentHardwareSampleRate = 0x63687372,               /* 'chsr', Float64, Hz, read only */
    kAudioSessionProperty_CurrentHardwareInputNumberChannels = 0x63686963,      /* 'chic', UInt32, read only */
    kAudioSessionProperty_CurrentHardwareOutputNumberChannels = 0x63686F63,     /* 'choc', UInt32, read only */
    kAudioSessionProperty_CurrentHardwareOutputVolume = 0x63686F76,             /* 'chov', Float32, 0 to 1, read only */
    kAudioSessionProperty_CurrentHardwareInputLatency = 0x63696C74,             /* 'cilt', Float32, s, read only */
    kAudioSessionProperty_CurrentHardwareOutputLatency = 0x636F6C74,            /* 'colt', Float32, s, read only */
    kAudioSessionProperty_CurrentHardwareIOBufferDuration = 0x63686264,         /* 'chbd', Float32, s, read only */
    kAudioSessionProperty_OtherAudioIsPlaying = 0x6F746872,                     /* 'othr', UInt32, read only */
    kAudioSessionProperty_OverrideAudioRoute = 0x6F767264,                      /* 'ovrd', UInt32, write only */
    kAudioSessionProperty_AudioInputAvailable = 0x61696176,                     /* 'aiav', UInt32, read only */
    kAudioSessionProperty_ServerDied = 0x64696564,                              /* 'died', UInt32, listeners only */
    kAudioSessionProperty_OtherMixableAudioShouldDuck = 0x6475636B,             /* 'duck', UInt32 */
    kAudioSessionProperty_OverrideCategoryMixWithOthers = 0x636D6978,           /* 'cmix', UInt32 */
    kAudioSessionProperty_OverrideCategoryDefaultToSpeaker = 0x6373706B,        /* 'cspk', UInt32 */
    kAudioSessionProperty_OverrideCategoryEnableBluetoothInput = 0x63626C75,    /* 'cblu', UInt32 */
    kAudioSessionProperty_Mode = 0x6D6F6465,                                    /* 'mode', UInt32, kept without an effect */
    kAudioSessionProperty_InterruptionType = 0x74797065                         /* 'type', UInt32, read only */
};

/* Values of kAudioSessionProperty_AudioCategory. */
enum {
    kAudioSessionCategory_AmbientSound = 0x616D6269,                    /* 'ambi' */
    kAudioSessionCategory_SoloAmbientSound = 0x736F6C6F,                /* 'solo', unless set */
    kAudioSessionCategory_MediaPlayback = 0x6D656469,                   /* 'medi' */
    kAudioSessionCategory_RecordAudio = 0x72656361,                     /* 'reca' */
    kAudioSessionCategory_PlayAndRecord = 0x706C6172,                   /* 'plar' */
    kAudioSessionCategory_AudioProcessing = 0x70726F63,                 /* 'proc' */
    kAudioSessionCategory_UserInterfaceSoundEffects = 0x75696678,       /* 'uifx': ambient */
    kAudioSessionCategory_LiveAudio = 0x6C697665                        /* 'live': playback */
};

/* Values of kAudioSessionProperty_OverrideAudioRoute. */
enum {
    kAudioSessionOverrideAudioRoute_None = 0,
    kAudioSessionOverrideAudioRoute_Speaker = 0x73706B72                /* 'spkr' */
};

/* Values of kAudioSessionProperty_Mode. */
enum {
    kAudioSessionMode_Default = 0x64666C74,                             /* 'dflt', unless set */
    kAudioSessionMode_VoiceChat = 0x76636374,                           /* 'vcct' */
    kAudioSessionMode_VideoRecording = 0x76726364,                      /* 'vrcd' */
    kAudioSessionMode_Measurement = 0x6D736D74                          /* 'msmt' */
};

typedef UInt32 AudioSessionInterruptionType;

/* Values of kAudioSessionProperty_InterruptionType: of the newest interruption that has ended. */
enum {
    kAudioSessionInterruptionType_ShouldResume = 0x6972736D,            /* 'irsm' */
    kAudioSessionInterruptionType_ShouldNotResume = 0x2172736D          /* '!rsm', also before there was one */
};

/* The keys of the dictionary of kAudioSessionProperty_AudioRouteChange, for CFSTR(): a CFNumber, and a CFString. */
#define kAudioSession_AudioRouteChangeKey_Reason "OutputDeviceDidChange_Reason"
#define kAudioSession_AudioRouteChangeKey_OldRoute "OutputDeviceDidChange_OldRoute"

/* Reasons of a change of the route. */
enum {
    kAudioSessionRouteChangeReason_Unknown = 0,
    kAudioSessionRouteChangeReason_NewDeviceAvailable = 1,
    kAudioSessionRouteChangeReason_OldDeviceUnavailable = 2,
    kAudioSessionRouteChangeReason_CategoryChange = 3,
    kAudioSessionRouteChangeReason_Override = 4,
    kAudioSessionRouteChangeReason_WakeFromSleep = 6,
    kAudioSessionRouteChangeReason_NoSuitableRouteForCategory = 7
};

/* States of an interruption. */
enum {
    kAudioSessionEndInterruption = 0,
    kAudioSessionBeginInterruption = 1
};

typedef void (*AudioSessionInterruptionListener)(void *clientData, UInt32 interruptionState);

/* data points to the property's value; that of kAudioSessionProperty_AudioRouteChange, and of kAudioSessionProperty_AudioRoute,
 * is the object itself. It is valid until the listener returns. */
typedef void (*AudioSessionPropertyListener)(
    void *clientData, AudioSessionPropertyID property, UInt32 dataSize, const void *data);

/* Makes the process's session; once, and before the other functions. The listener may be NULL. Run loop and mode are
 * ignored. */
OSStatus AudioSessionInitialize(CFRunLoopRef runLoop, CFStringRef runLoopMode,
    AudioSessionInterruptionListener interruptionListener, void *clientData);

/* Activates the session, or deactivates it: sessions that it interrupted may resume. */
OSStatus AudioSessionSetActive(Boolean isActive);

/* Flags of the function below. */
enum { kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation = 1 };

/* The same; after a deactivation without the flag the sessions that it interrupted need not resume. */
OSStatus AudioSessionSetActiveWithFlags(Boolean isActive, UInt32 flags);

/* Writes a property's value; *dataSize is the size of data, and then the value's. The program need not release an object that
 * it gets so, and may. */
OSStatus AudioSessionGetProperty(AudioSessionPropertyID property, UInt32 *dataSize, void *data);

/* Writes the size of a property's value. */
OSStatus AudioSessionGetPropertySize(AudioSessionPropertyID property, UInt32 *dataSize);

/* Sets a property. */
OSStatus AudioSessionSetProperty(AudioSessionPropertyID property, UInt32 dataSize, const void *data);

/* Adds a listener of a property's changes. There is one for each pair of a property and client data: a new one takes the
 * place of the old. */
OSStatus AudioSessionAddPropertyListener(
    AudioSessionPropertyID property, AudioSessionPropertyListener listener, void *clientData);

/* Removes the listener of a property and client data. */
OSStatus AudioSessionRemovePropertyListenerWithUserData(
    AudioSessionPropertyID property, AudioSessionPropertyListener listener, void *clientData);

/* Removes all listeners of a property. */
OSStatus AudioSessionRemovePropertyListener(AudioSessionPropertyID property);

#ifdef __cplusplus
}
#endif

#endif
