#include <AudioToolbox/AudioServices.h>
#include <limits.h>

#include "entry_points.h"

OSStatus AudioServicesCreateSystemSoundID(CFURLRef file, SystemSoundID *sound)
{
    UInt8 path[PATH_MAX];

    if (!sound)
        return kAudio_ParamError;
    *sound = 0;
    if (!file)
        return kAudio_ParamError;
    if (!CFURLGetFileSystemRepresentation(file, true, path, sizeof path))
        return kAudioServicesSystemSoundUnspecifiedError;
    return ringer_apple_create_sound((const char *)path, sound);
}

OSStatus AudioServicesDisposeSystemSoundID(SystemSoundID sound)
{
    return ringer_apple_dispose_sound(sound);
}

void AudioServicesPlaySystemSound(SystemSoundID sound)
{
    ringer_apple_play_sound(sound, 0, NULL, NULL);
}

void AudioServicesPlayAlertSound(SystemSoundID sound)
{
    ringer_apple_play_sound(sound, 1, NULL, NULL);
}

void AudioServicesPlaySystemSoundWithCompletion_f(SystemSoundID sound, void (*completion)(void *context), void *context)
{
    ringer_apple_play_sound(sound, 0, completion, context);
}

void AudioServicesPlayAlertSoundWithCompletion_f(SystemSoundID sound, void (*completion)(void *context), void *context)
{
    ringer_apple_play_sound(sound, 1, completion, context);
}

OSStatus AudioServicesAddSystemSoundCompletion(SystemSoundID sound, CFRunLoopRef runLoop, CFStringRef runLoopMode,
    AudioServicesSystemSoundCompletionProc completion, void *clientData)
{
    (void)runLoop, (void)runLoopMode;
    return completion ? ringer_apple_add_completion(sound, completion, clientData) : kAudio_ParamError;
}

void AudioServicesRemoveSystemSoundCompletion(SystemSoundID sound)
{
    ringer_apple_remove_completion(sound);
}

OSStatus AudioServicesGetPropertyInfo(AudioServicesPropertyID property, UInt32 specifierSize, const void *specifier,
    UInt32 *dataSize, Boolean *isWritable)
{
    return ringer_apple_get_sound_property_info(property, specifierSize, specifier, dataSize, isWritable);
}

OSStatus AudioServicesGetProperty(AudioServicesPropertyID property, UInt32 specifierSize, const void *specifier,
    UInt32 *dataSize, void *data)
{
    if (!dataSize || !data)
        return kAudio_ParamError;
    return ringer_apple_get_sound_property(property, specifierSize, specifier, dataSize, data);
}

OSStatus AudioServicesSetProperty(AudioServicesPropertyID property, UInt32 specifierSize, const void *specifier,
    UInt32 dataSize, const void *data)
{
    if (!data)
        return kAudio_ParamError;
    return ringer_apple_set_sound_property(property, specifierSize, specifier, dataSize, data);
}
