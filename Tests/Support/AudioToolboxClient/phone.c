/* Source as it comes from a phone: Apple's names alone. It prints what it sees, and the tests compare that. */
#include <AudioToolbox/AudioToolbox.h>
#include <CoreFoundation/CoreFoundation.h>
#include <stdio.h>
#include <string.h>

#include "client.h"

/* MARK: sound files */

static void put(FILE *file, UInt32 number, int size)
{
    while (size-- > 0) {
        fputc((int)(number & 0xFF), file);
        number >>= 8;
    }
}

CFURLRef client_create_clip(const char *folder, const char *name, UInt32 frames)
{
    char path[1024];
    CFStringRef string;
    CFURLRef url;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (!file)
        return NULL;
    fputs("RIFF", file), put(file, 36 + 2 * frames, 4), fputs("WAVEfmt ", file);
    put(file, 16, 4), put(file, 1, 2), put(file, 1, 2), put(file, 8000, 4), put(file, 16000, 4), put(file, 2, 2);
    put(file, 16, 2), fputs("data", file), put(file, 2 * frames, 4);
    for (UInt32 frame = 0; frame < frames; frame++)
        put(file, 0, 2);
    fclose(file);
    string = CFStringCreateWithCString(kCFAllocatorDefault, path, kCFStringEncodingUTF8);
    url = CFURLCreateWithFileSystemPath(kCFAllocatorDefault, string, kCFURLPOSIXPathStyle, false);
    CFRelease(string);
    return url;
}

/* Prints a result: four characters, or a number. */
static void show(const char *what, OSStatus status)
{
    if (status >= 0x20202020)
        printf("%s: '%c%c%c%c'\n", what, status >> 24, status >> 16 & 0xFF, status >> 8 & 0xFF, status & 0xFF);
    else
        printf("%s: %d\n", what, (int)status);
}

/* Prints the time since start, where times are exact. */
static void show_time(double start)
{
    if (client_times_are_exact)
        printf(", %.0f ms", (client_time() - start) * 1000);
    printf("\n");
}

/* MARK: registering */

static SystemSoundID register_sounds(const char *folder)
{
    SystemSoundID clip = 0, other = 1;
    CFURLRef url = client_create_clip(folder, "clip.wav", 1600), longURL = client_create_clip(folder, "long.wav", 240001);
    CFURLRef none = CFURLCreateWithFileSystemPath(NULL, CFSTR("/no/such/file.caf"), kCFURLPOSIXPathStyle, false);

    show("register", AudioServicesCreateSystemSoundID(url, &clip));
    show("a file that is not there", AudioServicesCreateSystemSoundID(none, &other));
    show("more than 30 s", AudioServicesCreateSystemSoundID(longURL, &other));
    show("no URL", AudioServicesCreateSystemSoundID(NULL, &other));
    CFRelease(url);
    CFRelease(longURL);
    CFRelease(none);
    return clip;
}

/* MARK: completions by sound */

static volatile bool is_sound_done, is_vibration_done;

static void sound_completed(SystemSoundID sound, void *clientData)
{
    if (sound == *(SystemSoundID *)clientData)
        is_sound_done = true;
}

static void vibration_completed(SystemSoundID sound, void *clientData)
{
    if (sound == kSystemSoundID_Vibrate && clientData == NULL)
        is_vibration_done = true;
}

static void complete(SystemSoundID clip)
{
    double start = client_time();

    AudioServicesAddSystemSoundCompletion(clip, NULL, NULL, sound_completed, &clip);
    AudioServicesAddSystemSoundCompletion(kSystemSoundID_Vibrate, CFRunLoopGetMain(), kCFRunLoopDefaultMode,
        vibration_completed, NULL);
    AudioServicesPlaySystemSound(clip);
    AudioServicesPlaySystemSound(kSystemSoundID_Vibrate);
    printf("sound completed: %d", client_wait(&is_sound_done));
    show_time(start);
    printf("vibration completed: %d", client_wait(&is_vibration_done));
    show_time(start);
    AudioServicesRemoveSystemSoundCompletion(clip);
    AudioServicesRemoveSystemSoundCompletion(kSystemSoundID_Vibrate);
    show("a completion of no sound", AudioServicesAddSystemSoundCompletion(99, NULL, NULL, vibration_completed, NULL));
}

/* MARK: a ring that is looped by its completion */

static int rounds;
static volatile bool is_ring_over;

static void ring_again(SystemSoundID sound, void *clientData)
{
    (void)clientData;
    if (++rounds == 3) {
        AudioServicesRemoveSystemSoundCompletion(sound);
        is_ring_over = true;
    } else {
        AudioServicesPlayAlertSound(sound);
    }
}

static void ring(const char *folder)
{
    CFURLRef url = client_create_clip(folder, "ring.wav", 4000);
    SystemSoundID sound = 0;
    double start = client_time();

    AudioServicesCreateSystemSoundID(url, &sound);
    CFRelease(url);
    AudioServicesAddSystemSoundCompletion(sound, NULL, NULL, ring_again, NULL);
    AudioServicesPlayAlertSound(sound);
    printf("ring over: %d, %d rounds", client_wait(&is_ring_over), rounds);
    show_time(start);
    AudioServicesPlayAlertSound(sound);
    show("dispose", AudioServicesDisposeSystemSoundID(sound));
    show("dispose again", AudioServicesDisposeSystemSoundID(sound));
}

/* MARK: properties of sounds */

static void properties(SystemSoundID clip)
{
    UInt32 value = 7, size = sizeof value;
    UInt64 wide = 1;
    Boolean isWritable = 0;

    show("info", AudioServicesGetPropertyInfo(kAudioServicesPropertyIsUISound, sizeof clip, &clip, &size, &isWritable));
    printf("size %u, writable %d\n", size, isWritable);
    AudioServicesGetProperty(kAudioServicesPropertyIsUISound, sizeof clip, &clip, &size, &value);
    printf("IsUISound %u\n", value);
    value = 0;
    show("set", AudioServicesSetProperty(kAudioServicesPropertyIsUISound, sizeof clip, &clip, sizeof value, &value));
    value = 7;
    AudioServicesGetProperty(kAudioServicesPropertyIsUISound, sizeof clip, &clip, &size, &value);
    printf("IsUISound %u\n", value);
    AudioServicesGetProperty(kAudioServicesPropertyCompletePlaybackIfAppDies, sizeof clip, &clip, &size, &value);
    printf("CompletePlaybackIfAppDies %u\n", value);
    show("another property", AudioServicesSetProperty(kSystemSoundID_Vibrate, sizeof clip, &clip, sizeof value, &value));
    show("another specifier", AudioServicesGetProperty(kAudioServicesPropertyIsUISound, 2, &clip, &size, &value));
    show("another size", AudioServicesSetProperty(kAudioServicesPropertyIsUISound, sizeof clip, &clip, sizeof wide, &wide));
}

/* MARK: the detector by timing */

static volatile bool is_detected;
static double detection_ended;

static void detection_completed(void *context)
{
    detection_ended = client_time();
    *(volatile bool *)context = true;
}

static void detect(const char *folder)
{
    CFURLRef url = client_create_clip(folder, "mute.wav", 792);    /* 0.099 s */
    SystemSoundID sound = 0;
    UInt32 no = 0;
    double start;

    AudioServicesCreateSystemSoundID(url, &sound);
    CFRelease(url);
    AudioServicesSetProperty(kAudioServicesPropertyIsUISound, sizeof sound, &sound, sizeof no, &no);
    start = client_time();
    AudioServicesPlaySystemSoundWithCompletion_f(sound, detection_completed, (void *)&is_detected);
    client_wait(&is_detected);
    printf("detector: %s", detection_ended - start < 0.1 ? "muted" : "heard");
    show_time(start);
    AudioServicesDisposeSystemSoundID(sound);
    is_detected = false;
#ifdef __BLOCKS__
    SystemSoundID vibration = kSystemSoundID_Vibrate;
    AudioServicesPlayAlertSoundWithCompletion(vibration, ^{
        if (vibration == kSystemSoundID_Vibrate)
            detection_completed((void *)&is_detected);
    });
    AudioServicesPlaySystemSoundWithCompletion(vibration, NULL);
    printf("block called: %d\n", client_wait(&is_detected));
#else
    printf("block called: 1\n");
#endif
}

/* MARK: the session */

static const char *route(void)
{
    CFStringRef name = NULL;
    UInt32 size = sizeof name;

    if (AudioSessionGetProperty(kAudioSessionProperty_AudioRoute, &size, &name) || size != sizeof name)
        return "none";
    return CFStringGetCStringPtr(name, kCFStringEncodingUTF8);
}

static volatile bool has_begun, has_ended;

static void interrupted(void *clientData, UInt32 state)
{
    printf("interruption %u of %s\n", state, (const char *)clientData);
    if (state == kAudioSessionBeginInterruption)
        has_begun = true;
    else
        has_ended = true;
}

static volatile bool has_route_changed;

static void route_changed(void *clientData, AudioSessionPropertyID property, UInt32 size, const void *data)
{
    CFDictionaryRef change = data;
    const void *number = NULL;
    CFStringRef old = CFDictionaryGetValue(change, CFSTR(kAudioSession_AudioRouteChangeKey_OldRoute));
    SInt32 reason = -1;

    CFDictionaryGetValueIfPresent(change, CFSTR(kAudioSession_AudioRouteChangeKey_Reason), &number);
    CFNumberGetValue(number, kCFNumberSInt32Type, &reason);
    if (property != kAudioSessionProperty_AudioRouteChange || size != sizeof change ||
        CFGetTypeID(change) != CFDictionaryGetTypeID() || CFDictionaryGetCount(change) != 2 ||
        reason == kAudioSessionRouteChangeReason_CategoryChange)
        return;
    printf("%s: reason %d, from %s\n", (const char *)clientData, (int)reason,
        CFStringCompare(old, CFSTR("Speaker"), 0) == kCFCompareEqualTo ? "the speaker" : "elsewhere");
    has_route_changed = true;
}

static void show_interruption_type(void)
{
    UInt32 type = 0, size = sizeof type;

    AudioSessionGetProperty(kAudioSessionProperty_InterruptionType, &size, &type);
    show("type of the interruption", (OSStatus)type);
}

static void session(void)
{
    UInt32 category = kAudioSessionCategory_MediaPlayback, size = sizeof category, mode = kAudioSessionMode_VoiceChat;
    Float32 volume = -1;

    show("too early", AudioSessionSetActive(true));
    show("initialize", AudioSessionInitialize(NULL, NULL, interrupted, "the session"));
    show("initialize again", AudioSessionInitialize(NULL, NULL, NULL, NULL));
    AudioSessionGetProperty(kAudioSessionProperty_AudioCategory, &size, &category);
    show("category", (OSStatus)category);
    show("activate", AudioSessionSetActive(true));
    printf("the old mute test: %s\n", strlen(route()) == 0 ? "muted" : route());
    category = kAudioSessionCategory_MediaPlayback;
    show("set the category",
        AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof category, &category));
    AudioSessionGetProperty(kAudioSessionProperty_AudioCategory, &size, &category);
    show("category", (OSStatus)category);
    printf("as playback: %s\n", route());
    category = 1;
    show("no category", AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof category, &category));
    show("a size", AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, 3, &category));
    size = 2;
    show("a small buffer", AudioSessionGetProperty(kAudioSessionProperty_AudioCategory, &size, &category));
    show("no property", AudioSessionGetPropertySize(0x6E6F6E65, &size));
    show("size", AudioSessionGetPropertySize(kAudioSessionProperty_CurrentHardwareSampleRate, &size));
    printf("%u bytes\n", size);
    show("set the mode", AudioSessionSetProperty(kAudioSessionProperty_Mode, sizeof mode, &mode));
    mode = 0;
    size = sizeof mode;
    AudioSessionGetProperty(kAudioSessionProperty_Mode, &size, &mode);
    show("mode", (OSStatus)mode);
    show("no mode", AudioSessionSetProperty(kAudioSessionProperty_Mode, sizeof category, &category));
    show_interruption_type();
    size = sizeof volume;
    show("volume", AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareOutputVolume, &size, &volume));
    printf("within 0 and 1: %d\n", volume >= 0 && volume <= 1);
    show("listen",
        AudioSessionAddPropertyListener(kAudioSessionProperty_AudioRouteChange, route_changed, "the listener"));
    if (client_plug_headphones()) {
        printf("route changed: %d, to %s\n", client_wait_still(&has_route_changed), route());
        show("listen no more",
            AudioSessionRemovePropertyListenerWithUserData(
                kAudioSessionProperty_AudioRouteChange, route_changed, "the listener"));
    }
    if (client_interrupt(true)) {
        client_wait_still(&has_begun);
        show("activate meanwhile", AudioSessionSetActive(true));
        client_interrupt(false);
        client_wait_still(&has_ended);
        show_interruption_type();
    }
    show("deactivate",
        AudioSessionSetActiveWithFlags(false, kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation));
}

int client_run(const char *folder)
{
    SystemSoundID clip = register_sounds(folder);

    complete(clip);
    ring(folder);
    properties(clip);
    detect(folder);
    session();
    show("dispose", AudioServicesDisposeSystemSoundID(clip));
    return 0;
}
