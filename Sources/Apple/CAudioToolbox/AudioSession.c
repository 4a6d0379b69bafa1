#include <AudioToolbox/AudioServices.h>
#include <AudioToolbox/AudioSession.h>

#include "entry_points.h"

OSStatus AudioSessionInitialize(CFRunLoopRef runLoop, CFStringRef runLoopMode,
    AudioSessionInterruptionListener interruptionListener, void *clientData)
{
    (void)runLoop, (void)runLoopMode;
    return ringer_apple_initialize_session(interruptionListener, clientData);
}

OSStatus AudioSessionSetActive(Boolean isActive)
{
    return ringer_apple_set_session_active(isActive, true);
}

OSStatus AudioSessionSetActiveWithFlags(Boolean isActive, UInt32 flags)
{
    return ringer_apple_set_session_active(isActive, flags & kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation);
}

OSStatus AudioSessionGetProperty(AudioSessionPropertyID property, UInt32 *dataSize, void *data)
{
    return ringer_apple_get_session_property(property, dataSize, data);
}

OSStatus AudioSessionGetPropertySize(AudioSessionPropertyID property, UInt32 *dataSize)
{
    return dataSize ? ringer_apple_get_session_property_size(property, dataSize) : kAudio_ParamError;
}

OSStatus AudioSessionSetProperty(AudioSessionPropertyID property, UInt32 dataSize, const void *data)
{
    return ringer_apple_set_session_property(property, dataSize, data);
}

OSStatus AudioSessionAddPropertyListener(
    AudioSessionPropertyID property, AudioSessionPropertyListener listener, void *clientData)
{
    return listener ? ringer_apple_add_session_listener(property, listener, clientData) : kAudio_ParamError;
}

OSStatus AudioSessionRemovePropertyListenerWithUserData(
    AudioSessionPropertyID property, AudioSessionPropertyListener listener, void *clientData)
{
    (void)listener;
    return ringer_apple_remove_session_listener(property, clientData);
}

OSStatus AudioSessionRemovePropertyListener(AudioSessionPropertyID property)
{
    return ringer_apple_remove_session_listeners(property);
}
