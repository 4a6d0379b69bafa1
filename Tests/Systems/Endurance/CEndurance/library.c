#include "library.h"

#include <AudioToolbox/AudioToolbox.h>
#include <errno.h>
#include <ringer-audiotoolbox.h>
#include <ringer.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct ringer_device *device;
static char failure[600];

static const char *fail(const char *what)
{
    snprintf(failure, sizeof failure, "%s: %s", what, ringer_last_error());
    return failure;
}

static struct ringer_device *open_simulated(unsigned int number)
{
    struct ringer_config *config = ringer_config_new();
    struct ringer_behaviour behaviour = {.longest_on_ms = 5000 + number % 100, .notification_sound = 1104, .critical_sound = 1104, .sound_memory = 4096};
    struct ringer_device *opened = NULL;

    if (ringer_config_set_board(config, RINGER_BOARD_SIMULATED) < 0 ||
        ringer_config_set_behaviour(config, &behaviour, sizeof behaviour) < 0 || ringer_device_open(config, &opened) < 0)
        opened = NULL;
    ringer_config_free(config);
    return opened;
}

static int is_open(void)
{
    if (device == NULL)
        device = open_simulated(0);
    return device != NULL;
}

// Reads all events, and returns how many requests ended with these.
static int read_ends(struct ringer_device *from)
{
    struct ringer_event event;
    int ends = 0;

    while (ringer_device_read_event(from, &event, sizeof event) == 1)
        switch (event.type) {
        case RINGER_EVENT_SOUND_ENDED:
        case RINGER_EVENT_VIBRATION_ENDED:
        case RINGER_EVENT_DETECTED:
        case RINGER_EVENT_SESSION_ANSWERED:
        case RINGER_EVENT_OUTPUT_RELEASED:
            ends += event.id != 0;
            break;
        default:
            break;
        }
    return ends;
}

// The path of a sound file of 10 ms.
static const char *sound_file(void)
{
    static char path[64];
    static const unsigned char header[44] = "RIFF\xc4\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\xa0\0\0";
    static const char silence[160];
    FILE *file;

    if (path[0] != '\0')
        return path;
    snprintf(path, sizeof path, "/tmp/ringer-endurance-%d.wav", (int)getpid());
    file = fopen(path, "wb");
    if (file == NULL)
        return path;
    fwrite(header, 1, sizeof header, file);
    fwrite(silence, 1, sizeof silence, file);
    fclose(file);
    return path;
}

// Begins a request of one of seven kinds.
static int begin(struct ringer_device *on, unsigned int number, uint64_t *id)
{
    static const int16_t samples[960];
    static const uint32_t rates[] = {8000, 11025, 16000, 44100, 48000};
    static const uint32_t ids[] = {1104, 1105, 1103, 4095};
    struct ringer_playback playback = {.samples = samples, .frames = 480, .channels = 1 + number % 2,
        .rate = rates[number % 5], .category = number % 3 == 0 ? RINGER_CATEGORY_AMBIENT : RINGER_CATEGORY_PLAYBACK};
    struct ringer_alert alert = {.sound = ids[number % 4], .limit_ms = 100 + number % 3 * 50};
    static const struct ringer_notification notification;
    uint32_t pattern[] = {20 + number % 30, 10, 20};

    const char *clips[] = {sound_file(), sound_file(), sound_file()};

    switch (number % 7) {
    case 0:
        return ringer_device_play(on, &playback, sizeof playback, id);
    case 1:
        return ringer_device_play_system_sound(on, ids[number % 4], 0, id);
    case 2:
        return ringer_device_alert(on, &alert, sizeof alert, id);
    case 3:
        return ringer_device_notify(on, &notification, sizeof notification, id);
    case 4:
        return ringer_device_vibrate(on, pattern, 3, 0.5f, 1 + number % 2, id);
    case 5:
        return ringer_device_announce(
            on, clips, 1 + number % 3, RINGER_CATEGORY_PLAYBACK, 0, (int32_t)(number % 2), number % 5 * 1000, id);
    default:
        return ringer_device_detect(on, id);
    }
}

static const char *requests(unsigned int number)
{
    uint64_t id;

    if (!is_open())
        return fail("open");
    ringer_simulated_set_position(device, RINGER_POSITION_RING + number / 7 % 3);
    if (begin(device, number, &id) < 0)
        return fail("begin");
    ringer_simulated_advance(device, 5000);
    if (number % 3 == 0)
        ringer_device_stop(device, id);
    if (number % 16 == 0)
        ringer_device_stop_all(device);
    ringer_simulated_advance(device, 20000000);
    return read_ends(device) == 1 ? NULL : fail("a request has not ended once");
}

static const char *failures(unsigned int number)
{
    static const struct ringer_playback nothing;
    struct ringer_playback missing = {.path = "/no/such/file.wav"};
    uint32_t registered;
    uint64_t id;
    int results[4];

    if (!is_open())
        return fail("open");
    results[0] = ringer_device_play(device, number % 2 ? &nothing : &missing, sizeof missing, &id);
    results[1] = ringer_device_register_sound(device, "/no/such/file.wav", &registered);
    results[2] = ringer_device_vibrate(device, NULL, 0, 1, 1, &id);
    results[3] = ringer_device_dispose_sound(device, 999000 + number % 1000);
    for (int index = 0; index < 4; index++)
        if (results[index] >= 0)
            return fail("what cannot succeed has succeeded");
    read_ends(device);
    return NULL;
}

static const char *state(unsigned int number)
{
    struct ringer_preferences preferences;
    struct ringer_decision decision;
    struct ringer_state now;
    uint64_t interruption;

    if (!is_open())
        return fail("open");
    ringer_simulated_set_position(device, RINGER_POSITION_RING + number % 3);
    ringer_simulated_set_headphone(device, number % 2);
    ringer_simulated_press_key(device, number % 2 ? RINGER_KEY_REPEAT : RINGER_KEY_SILENCE);
    ringer_device_set_screen_locked(device, number % 5 == 0);
    ringer_device_set_position(device, number % 7 == 0 ? RINGER_POSITION_VIBRATE : RINGER_POSITION_RING);
    ringer_device_set_route(device, RINGER_ROUTE_SPEAKER + number % 6);
    ringer_device_set_light(device, 100 + number % 50, 100);
    if (ringer_device_get_preferences(device, &preferences, sizeof preferences) < 0)
        return fail("preferences");
    preferences.do_not_disturb = number % 3 == 0;
    ringer_device_set_preferences(device, &preferences, sizeof preferences);
    if (ringer_device_begin_interruption(device, &interruption) < 0)
        return fail("interruption");
    ringer_device_decide(device, RINGER_SOUND_CATEGORY, number % 7, 0, &decision, sizeof decision);
    ringer_simulated_advance(device, 10000);
    if (number % 4 == 0)
        ringer_device_answer_interruption(device, interruption);
    ringer_device_end_interruption(device, interruption, number % 2);
    ringer_device_get_state(device, &now, sizeof now);
    ringer_device_set_position(device, RINGER_POSITION_RING);
    if (number % 8 == 0)
        read_ends(device);
    return NULL;
}

static const char *sessions(unsigned int number)
{
    struct ringer_session *session;
    double rate = 8000 + number % 40000;
    uint64_t id;

    if (!is_open())
        return fail("open");
    if (ringer_session_new(device, "session", number % 3 ? RINGER_CATEGORY_PLAYBACK : RINGER_CATEGORY_AMBIENT,
            number % 2 ? RINGER_OPTION_MIX_WITH_OTHERS : 0, number % 5 == 0 ? RINGER_PRIORITY_CALL : RINGER_PRIORITY_ORDINARY,
            &session) < 0)
        return number % 2 && number % 3 == 0 ? NULL : fail("session");
    ringer_session_activate(session, &id);
    ringer_session_set_property(session, RINGER_PROPERTY_PREFERRED_SAMPLE_RATE, &rate, sizeof rate);
    ringer_simulated_advance(device, 10000);
    if (number % 4)
        ringer_session_deactivate(session, number % 2, &id);
    ringer_session_free(session);
    ringer_simulated_advance(device, 10000);
    read_ends(device);
    return NULL;
}

static const char *devices(unsigned int number)
{
    struct ringer_device *opened = open_simulated(number);
    uint64_t id;

    if (opened == NULL)
        return fail("open");
    if (begin(opened, number, &id) < 0)
        return fail("begin");
    ringer_simulated_advance(opened, number % 2 ? 1000 : 10000000);
    if (number % 3)
        read_ends(opened);
    ringer_device_close(opened);
    return NULL;
}

static const char *names(unsigned int number)
{
    struct ringer_config *config = ringer_config_new();
    static const char *const switches[] = {"gpio:RING", "evdev:auto", "nonsense", "slider:auto", "gpio:chip:x"};

    ringer_config_set_switch(config, switches[number % 5]);
    ringer_config_set_motor(config, number % 2 ? "none" : "led:vibrator");
    ringer_config_set_pcm(config, number % 2 ? "null" : "default");
    ringer_config_set_route_pcm(config, number % 8, "hw:1");
    ringer_config_set_mixer(config, "Dummy", number % 2 ? NULL : "Master");
    ringer_config_set_following(config, number % 64);
    ringer_config_free(config);
    return strlen(ringer_reason_name(number % 20)) < 40 && strlen(ringer_route_name(number % 9)) < 40 ? NULL : fail("names");
}

static void sound_completed(SystemSoundID sound, void *context)
{
    *(SystemSoundID *)context = sound;
}

static void property_changed(void *context, AudioSessionPropertyID property, UInt32 size, const void *value)
{
    (void)context, (void)property, (void)size, (void)value;
}

static void interrupted(void *context, UInt32 state)
{
    (void)context, (void)state;
}

static const char *apple(unsigned int number)
{
    static const UInt32 categories[] = {
        kAudioSessionCategory_MediaPlayback, kAudioSessionCategory_AmbientSound, kAudioSessionCategory_PlayAndRecord};
    static int is_used;
    CFStringRef path = CFStringCreateWithCString(NULL, number % 5 ? sound_file() : "/no/such.wav", kCFStringEncodingUTF8);
    CFURLRef url = CFURLCreateWithFileSystemPath(NULL, path, kCFURLPOSIXPathStyle, false);
    SystemSoundID sound = 0, completed = 0;
    UInt32 size = sizeof size, value, is_ui_sound = number % 2;
    CFStringRef route = NULL;
    uint64_t interruption = 0;
    OSStatus made;

    if (!is_open() || (!is_used && ringer_audiotoolbox_open(device) < 0) || ringer_callbacks_get_fd() < 0)
        return fail("open");
    if (!is_used)
        AudioSessionInitialize(NULL, NULL, interrupted, NULL);
    is_used = 1;
    ringer_simulated_set_position(device, RINGER_POSITION_RING);
    made = AudioServicesCreateSystemSoundID(url, &sound);
    CFRelease(url);
    CFRelease(path);
    if ((made == 0) != (number % 5 != 0))
        return fail("AudioServicesCreateSystemSoundID");
    if (made != 0)
        sound = 1104;
    AudioServicesSetProperty(kAudioServicesPropertyIsUISound, sizeof sound, &sound, sizeof is_ui_sound, &is_ui_sound);
    AudioServicesAddSystemSoundCompletion(sound, NULL, NULL, sound_completed, &completed);
    AudioSessionAddPropertyListener(kAudioSessionProperty_AudioRouteChange, property_changed, NULL);
    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof categories[0], &categories[number % 3]);
    AudioSessionSetActive(number % 2);
    ringer_simulated_set_headphone(device, number % 2);
    if (number % 4 == 0)
        ringer_device_begin_interruption(device, &interruption);
    if (number % 3)
        AudioServicesPlaySystemSound(sound);
    else
        AudioServicesPlayAlertSound(sound);
    ringer_simulated_advance(device, 2000000);
    if (number % 4 == 0)
        ringer_device_end_interruption(device, interruption, 1);
    ringer_simulated_advance(device, 20000000);
    ringer_callbacks_dispatch();
    AudioSessionGetProperty(kAudioSessionProperty_OtherAudioIsPlaying, &size, &value);
    size = sizeof route;
    if (AudioSessionGetProperty(kAudioSessionProperty_AudioRoute, &size, &route) == 0 && route != NULL)
        CFRelease(route);
    AudioSessionRemovePropertyListenerWithUserData(kAudioSessionProperty_AudioRouteChange, property_changed, NULL);
    AudioServicesRemoveSystemSoundCompletion(sound);
    if (made == 0)
        AudioServicesDisposeSystemSoundID(sound);
    ringer_callbacks_dispatch();
    read_ends(device);
    return completed == sound ? NULL : fail("a sound was not completed");
}

static const struct endurance_library_kind kinds[] = {
    {"ringer.h: requests of every kind and their events", 4, requests},
    {"ringer.h: calls that fail", 2, failures},
    {"ringer.h: state, preferences, interruptions and events that are read late", 2, state},
    {"ringer.h: sessions", 3, sessions},
    {"ringer.h: devices that are opened and closed", 20, devices},
    {"ringer.h: configurations and names", 1, names},
    {"AudioToolbox of C: sounds, completions, properties and listeners", 10, apple},
};

const struct endurance_library_kind *endurance_library_kind(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : NULL;
}
