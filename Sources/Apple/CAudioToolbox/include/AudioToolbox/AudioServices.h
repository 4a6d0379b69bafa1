/*
 * System Sound Services: short sounds by number, alerts and vibrations.
 *
 * Any thread may call any function. Callbacks are called one after another on one thread of the library's, or where the
 * program dispatches them: see ringer-audiotoolbox.h. The device is opened by the first call: see there as well.
 */
#ifndef RINGER_AUDIOSERVICES_H
#define RINGER_AUDIOSERVICES_H

#include <CoreFoundation/CoreFoundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results, of type OSStatus. NULL where a value is needed is kAudio_ParamError; a NULL specifier has the wrong size. A device
 * that cannot be opened is kAudioServicesSystemSoundUnspecifiedError. */
enum {
    kAudioServicesNoError = 0,
    kAudioServicesUnsupportedPropertyError = 0x7074793F,                /* 'pty?' */
    kAudioServicesBadPropertySizeError = 0x2173697A,                    /* '!siz' */
    kAudioServicesBadSpecifierSizeError = 0x21737063,                   /* '!spc' */
    kAudioServicesSystemSoundUnspecifiedError = -1500,
    kAudioServicesSystemSoundClientTimedOutError = -1501,
    kAudioServicesSystemSoundExceededMaximumDurationError = -1502,
    kAudio_ParamError = -50
};

typedef UInt32 SystemSoundID;

/* The vibration, which no setting suppresses. */
enum { kSystemSoundID_Vibrate = 0x00000FFF };

typedef UInt32 AudioServicesPropertyID;

/* The properties; their specifier is a SystemSoundID, their value a UInt32. */
enum {
    kAudioServicesPropertyIsUISound = 0x69737569,                       /* 'isui': obeys "sound effects"; 1 unless set */
    kAudioServicesPropertyCompletePlaybackIfAppDies = 0x69666469        /* 'ifdi': plays on to its end; 0 unless set */
};

typedef void (*AudioServicesSystemSoundCompletionProc)(SystemSoundID sound, void *clientData);

/* Registers a sound file of at most 30 s: CAF, AIFF, AIFF-C, WAV or MP3. ringer_last_error() of ringer.h says why it cannot. An
 * MP3 file is played with libmpg123 (Debian: libmpg123-0); where that is missing, an alert vibrates only. */
OSStatus AudioServicesCreateSystemSoundID(CFURLRef file, SystemSoundID *sound);

/* Forgets a registered sound. One that plays stops, and its completion by ID is not called. */
OSStatus AudioServicesDisposeSystemSoundID(SystemSoundID sound);

/* Plays a sound; at silent nothing is heard. kSystemSoundID_Vibrate vibrates always. */
void AudioServicesPlaySystemSound(SystemSoundID sound);

/* Plays a sound as an alert: it vibrates where the user's preferences say so. */
void AudioServicesPlayAlertSound(SystemSoundID sound);

/* The same, and calls completion(context), unless it is NULL, once the call has ended, failures included. */
void AudioServicesPlaySystemSoundWithCompletion_f(SystemSoundID sound, void (*completion)(void *context), void *context);
void AudioServicesPlayAlertSoundWithCompletion_f(SystemSoundID sound, void (*completion)(void *context), void *context);

/* Sets the completion of a sound: it is called each time that the sound has ended. Each sound has one, the vibration its own.
 * Run loop and mode are ignored. */
OSStatus AudioServicesAddSystemSoundCompletion(SystemSoundID sound, CFRunLoopRef runLoop, CFStringRef runLoopMode,
    AudioServicesSystemSoundCompletionProc completion, void *clientData);

/* Removes the completion of a sound. It is not called any more when this returns, unless it runs already. */
void AudioServicesRemoveSystemSoundCompletion(SystemSoundID sound);

/* Writes the size of a property's value, and whether it can be set; each may be NULL. */
OSStatus AudioServicesGetPropertyInfo(AudioServicesPropertyID property, UInt32 specifierSize, const void *specifier,
    UInt32 *dataSize, Boolean *isWritable);

/* Writes a property's value; *dataSize is the size of data, which has to be the value's. */
OSStatus AudioServicesGetProperty(AudioServicesPropertyID property, UInt32 specifierSize, const void *specifier,
    UInt32 *dataSize, void *data);

/* Sets a property. */
OSStatus AudioServicesSetProperty(AudioServicesPropertyID property, UInt32 specifierSize, const void *specifier,
    UInt32 dataSize, const void *data);

#if defined __BLOCKS__ && !defined __OBJC__
/* Blocks: clang -fblocks, and -lBlocksRuntime for the program. Not in Objective-C, whose ARC forbids these casts. */
void *_Block_copy(const void *block);
void _Block_release(const void *block);

static inline void ringer_call_block(void *block)
{
    ((void (^)(void))block)();
    _Block_release(block);
}

static inline void AudioServicesPlaySystemSoundWithCompletion(SystemSoundID sound, void (^completion)(void))
{
    AudioServicesPlaySystemSoundWithCompletion_f(
        sound, completion ? ringer_call_block : NULL, completion ? _Block_copy((const void *)completion) : NULL);
}

static inline void AudioServicesPlayAlertSoundWithCompletion(SystemSoundID sound, void (^completion)(void))
{
    AudioServicesPlayAlertSoundWithCompletion_f(
        sound, completion ? ringer_call_block : NULL, completion ? _Block_copy((const void *)completion) : NULL);
}
#endif

#ifdef __cplusplus
}
#endif

/* Apple's header has both services. */
#include <AudioToolbox/AudioSession.h>

#endif
