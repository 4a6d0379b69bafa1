/* Every function from 8 threads, with arguments of chance. */
#define _GNU_SOURCE
#include <AudioToolbox/AudioToolbox.h>
#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <ringer-audiotoolbox.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "../../Systems/Library/count_threads.h"

static unsigned int rounds_of_each;
static CFURLRef clip;
static pthread_mutex_t in_callback = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static int is_over;

static unsigned int chance(unsigned int *seed, unsigned int below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static void called(void *context)
{
    (void)context;
    if (pthread_mutex_trylock(&in_callback) != 0) {
        printf("two callbacks at once\n");
        return;
    }
    /* It may call, but would open the device again once that is closed. */
    pthread_mutex_lock(&lock);
    if (!is_over)
        AudioServicesPlaySystemSound(1);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&in_callback);
}

static void sound_called(SystemSoundID sound, void *clientData)
{
    (void)sound;
    called(clientData);
}

static void interrupted(void *clientData, UInt32 state)
{
    (void)state;
    called(clientData);
}

static void property_called(void *clientData, AudioSessionPropertyID property, UInt32 size, const void *data)
{
    if (property == kAudioSessionProperty_AudioRouteChange && size == sizeof data)
        CFRelease(CFRetain(data));
    called(clientData);
}

static void *work(void *argument)
{
    static const SystemSoundID sounds[] = {0, 1000, 1005, 1007, 1057, kSystemSoundID_Vibrate, 4096, 4097, 4100, 0xFFFFFFFF};
    static const UInt32 ids[] = {
        0, kAudioServicesPropertyIsUISound, kAudioServicesPropertyCompletePlaybackIfAppDies, 0x72616E64};
    static const UInt32 properties[] = {
        kAudioSessionProperty_PreferredHardwareSampleRate, kAudioSessionProperty_PreferredHardwareIOBufferDuration,
        kAudioSessionProperty_AudioCategory, kAudioSessionProperty_AudioRoute, kAudioSessionProperty_AudioRouteChange,
        kAudioSessionProperty_CurrentHardwareOutputVolume, kAudioSessionProperty_OtherAudioIsPlaying,
        kAudioSessionProperty_OverrideAudioRoute, kAudioSessionProperty_ServerDied,
        kAudioSessionProperty_OverrideCategoryMixWithOthers, 0x72616E64, 0};
    static const UInt32 categories[] = {
        kAudioSessionCategory_AmbientSound, kAudioSessionCategory_SoloAmbientSound, kAudioSessionCategory_MediaPlayback,
        kAudioSessionCategory_RecordAudio, kAudioSessionCategory_PlayAndRecord, 0};
    /* Registered by this thread; another may dispose of it by its number. */
    SystemSoundID mine = 0;
    unsigned int seed = 2463534242u + (unsigned int)(uintptr_t)argument;
    CFURLRef none = CFURLCreateWithString(NULL, CFSTR("file:///no/such%20file"), NULL);

#define ONE_OF(list) list[chance(&seed, sizeof list / sizeof list[0])]
#define SOME(pointer) (chance(&seed, 8) ? (pointer) : NULL)
    for (unsigned int round = 0; round < rounds_of_each; round++) {
        SystemSoundID sound = mine && chance(&seed, 2) ? mine : ONE_OF(sounds), created = 0;
        UInt32 property = ONE_OF(properties), size = chance(&seed, 17), value[8] = {ONE_OF(categories)};
        UInt32 specifierSize = chance(&seed, 4) ? 4 : chance(&seed, 9);
        UInt32 specifier[4] = {sound};
        Boolean isWritable;
        void *client = (void *)(uintptr_t)chance(&seed, 4);

        switch (chance(&seed, 22)) {
        case 0:
            if (AudioServicesCreateSystemSoundID(chance(&seed, 4) ? clip : SOME(none), SOME(&created)) == 0) {
                AudioServicesDisposeSystemSoundID(mine);
                mine = created;
            }
            break;
        case 1: AudioServicesDisposeSystemSoundID(sound); break;
        case 2: AudioServicesPlaySystemSound(sound); break;
        case 3: AudioServicesPlayAlertSound(sound); break;
        case 4: AudioServicesPlaySystemSoundWithCompletion_f(sound, SOME(called), client); break;
        case 5: AudioServicesPlayAlertSoundWithCompletion_f(sound, SOME(called), client); break;
        case 6:
            AudioServicesAddSystemSoundCompletion(
                sound, SOME(CFRunLoopGetCurrent()), SOME(kCFRunLoopCommonModes), SOME(sound_called), client);
            break;
        case 7: AudioServicesRemoveSystemSoundCompletion(sound); break;
        case 8:
            AudioServicesGetPropertyInfo(ONE_OF(ids), specifierSize, SOME(specifier), SOME(&size), SOME(&isWritable));
            break;
        case 9: AudioServicesGetProperty(ONE_OF(ids), specifierSize, SOME(specifier), SOME(&size), SOME(value)); break;
        case 10: AudioServicesSetProperty(ONE_OF(ids), specifierSize, SOME(specifier), size, SOME(value)); break;
        case 11: AudioSessionInitialize(NULL, NULL, SOME(interrupted), client); break;
        case 12: AudioSessionSetActive((Boolean)chance(&seed, 2)); break;
        case 13: AudioSessionGetProperty(property, SOME(&size), SOME(value)); break;
        case 14: AudioSessionGetPropertySize(property, SOME(&size)); break;
        case 15: AudioSessionSetProperty(property, chance(&seed, 2) ? 4 : size, SOME(value)); break;
        case 16: AudioSessionAddPropertyListener(property, SOME(property_called), client); break;
        case 17: AudioSessionRemovePropertyListenerWithUserData(property, SOME(property_called), client); break;
        case 18: AudioSessionRemovePropertyListener(property); break;
        case 19: CFRelease(CFBundleCopyResourceURL(SOME(CFBundleGetMainBundle()), SOME(CFSTR("none")), NULL, NULL)); break;
        case 20: CFRelease(CFURLCopyFileSystemPath(SOME(none), kCFURLPOSIXPathStyle)); break;
        default: CFStringGetCString(SOME(CFSTR("route")), SOME((char *)value), size, kCFStringEncodingUTF8); break;
        }
    }
    CFRelease(none);
    return NULL;
}

static void *note_thread(void *thread)
{
    *(pid_t *)thread = gettid();
    return NULL;
}

int client_run_threads(unsigned int rounds, const char *folder)
{
    pthread_t threads[8];
    char path[32];
    pid_t first;
    int before;

    /* A sanitizer has a thread of its own from the first one on. A joined thread is counted for a moment longer. */
    pthread_create(&threads[0], NULL, note_thread, &first);
    pthread_join(threads[0], NULL);
    snprintf(path, sizeof path, "/proc/self/task/%d", first);
    while (access(path, F_OK) == 0)
        sched_yield();
    before = count_threads();
    rounds_of_each = rounds;
    clip = client_create_clip(folder, "clip.wav", 800);
    for (uintptr_t index = 0; index < 8; index++)
        pthread_create(&threads[index], NULL, work, (void *)index);
    for (int index = 0; index < 8; index++)
        pthread_join(threads[index], NULL);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_mutex_unlock(&lock);
    /* The library's threads end, once the callbacks that wait were called. */
    ringer_audiotoolbox_close();
    for (int tries = 0; tries < 12000 && count_threads() > before; tries++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    CFRelease(clip);
    printf("%u calls, %d threads left\n", 8 * rounds, count_threads() - before);
    return 0;
}
