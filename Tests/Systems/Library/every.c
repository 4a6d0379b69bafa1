/*
 * Calls every function of ringer.h with random arguments, good and bad ones:
 *
 *     every SOUND THREADS CALLS SECONDS
 *
 * SOUND is a sound file. Each thread ends after so many calls or seconds; 0 is no limit. All threads share a configuration
 * and a device on a simulated board; one of them reads the events. Fails if a failure leaves no sentence, if no call of a
 * function succeeds, and if threads of the library are left after all is closed.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <ringer.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count_threads.h"

struct caller {
    pthread_t thread;
    unsigned int seed;
    int reads_events;
};

static const char *sound;
static struct ringer_device *device;
static struct ringer_session *session;
static struct ringer_config *config;
/* The last interruption that began. */
static atomic_ullong interruption;
static char lengthy[10000];
static int16_t samples[9600];

static unsigned int below(struct caller *c, unsigned int limit)
{
    return (unsigned int)rand_r(&c->seed) % limit;
}

/* Whether the next argument is a bad one. */
static int is_bad(struct caller *c)
{
    return below(c, 12) == 0;
}

#define POINTER(c, good) (is_bad(c) ? NULL : (good))

/* A number below the limit, or one of those that are too great. */
static unsigned int number(struct caller *c, unsigned int limit)
{
    static const unsigned int bad[] = {77, INT_MAX, UINT_MAX, 0x80000000U};

    return is_bad(c) ? bad[below(c, 4)] : below(c, limit);
}

static const char *text(struct caller *c, const char *good)
{
    const char *bad[] = {NULL, "", "\xff\xfe", "\xc3(", "/no/such/file", "gpio:", "%s%n", lengthy};

    return is_bad(c) ? bad[below(c, 8)] : good;
}

static unsigned int options(struct caller *c)
{
    static const unsigned int some[] = {0, 0, 0, RINGER_OPTION_MIX_WITH_OTHERS, RINGER_OPTION_DUCK_OTHERS,
        RINGER_OPTION_HONOURS_RING_SILENT_SWITCH, RINGER_OPTION_DEFAULT_TO_SPEAKER, 1U << 30, UINT_MAX};

    return some[below(c, sizeof some / sizeof some[0])];
}

/* Short ones, the vibration, and two that do not exist. */
static unsigned int system_sound(struct caller *c)
{
    static const unsigned int some[] = {1104, 1306, 4095, 0, UINT_MAX};

    return some[below(c, 5)];
}

static float fraction(struct caller *c)
{
    static const float bad[] = {-1, 2, 1e30F};

    return is_bad(c) ? bad[below(c, 3)] : (float)below(c, 100) / 99;
}

static size_t size(struct caller *c, size_t good)
{
    static const size_t bad[] = {0, SIZE_MAX, SIZE_MAX / 2, (size_t)(UINT64_C(1) << 40)};

    return is_bad(c) ? bad[below(c, 4)] : good;
}

#define FUNCTION(name) static int call_##name(struct caller *c)

FUNCTION(ringer_version)
{
    (void)c;
    return ringer_version() == RINGER_VERSION ? 0 : -1;
}

FUNCTION(ringer_last_error)
{
    (void)c;
    return strlen(ringer_last_error()) < 512 ? 0 : -1;
}

/* The function that names the values of an enumeration: of one of its numbers, and of one that is none. */
#define NAME(prefix, enumeration) \
    FUNCTION(ringer_##prefix##_name) \
    { \
        return strlen(ringer_##prefix##_name((enum enumeration)number(c, 20))) < 100 ? 0 : -1; \
    }

NAME(position, ringer_position)
NAME(route, ringer_route)
NAME(category, ringer_category)
NAME(reason, ringer_reason)
NAME(part_kind, ringer_part_kind)
NAME(session_phase, ringer_session_phase)
NAME(input, ringer_input)
NAME(event, ringer_event_type)
NAME(session_change, ringer_session_change)
NAME(drop, ringer_drop)
NAME(stop, ringer_stop)
NAME(route_change, ringer_route_change)
NAME(cause, ringer_cause)
NAME(outcome, ringer_outcome)
NAME(stop_cause, ringer_stop_cause)
NAME(key, ringer_key)
NAME(verdict, ringer_verdict)

FUNCTION(ringer_config_new)
{
    struct ringer_config *own = ringer_config_new();

    (void)c;
    ringer_config_free(own);
    return own ? 0 : -1;
}

FUNCTION(ringer_config_free)
{
    (void)c;
    ringer_config_free(NULL);
    return 0;
}

FUNCTION(ringer_config_set_board)
{
    struct ringer_config *own = ringer_config_new();
    int result = ringer_config_set_board(POINTER(c, own), (enum ringer_board)number(c, 5));

    ringer_config_free(own);
    return result;
}

FUNCTION(ringer_config_set_switch) { return ringer_config_set_switch(POINTER(c, config), text(c, "gpio:no-such-line")); }
FUNCTION(ringer_config_set_motor) { return ringer_config_set_motor(POINTER(c, config), text(c, "none")); }
FUNCTION(ringer_config_set_status_light) { return ringer_config_set_status_light(POINTER(c, config), text(c, "none")); }

FUNCTION(ringer_config_set_position_file)
{
    return ringer_config_set_position_file(POINTER(c, config), text(c, "position"), (enum ringer_position)number(c, 5));
}

FUNCTION(ringer_config_set_pcm) { return ringer_config_set_pcm(POINTER(c, config), text(c, "null")); }

FUNCTION(ringer_config_set_route_pcm)
{
    return ringer_config_set_route_pcm(POINTER(c, config), (enum ringer_route)number(c, 8), text(c, "null"));
}

FUNCTION(ringer_config_set_mixer) { return ringer_config_set_mixer(POINTER(c, config), text(c, "0"), text(c, "Master")); }
FUNCTION(ringer_config_set_following) { return ringer_config_set_following(POINTER(c, config), number(c, 32)); }

FUNCTION(ringer_config_set_real_time_priority)
{
    return ringer_config_set_real_time_priority(POINTER(c, config), (int)number(c, 100));
}

FUNCTION(ringer_config_set_busy_patience) { return ringer_config_set_busy_patience(POINTER(c, config), number(c, 5000)); }
FUNCTION(ringer_config_set_linger) { return ringer_config_set_linger(POINTER(c, config), number(c, 5000)); }
FUNCTION(ringer_config_set_volume_keys) { return ringer_config_set_volume_keys(POINTER(c, config), (int)number(c, 2)); }
FUNCTION(ringer_config_set_own_microphone) { return ringer_config_set_own_microphone(POINTER(c, config), (int)number(c, 2)); }

FUNCTION(ringer_config_set_behaviour)
{
    struct ringer_behaviour behaviour = {.longest_on_ms = number(c, 20000), .detector_attempts = number(c, 4),
        .detector_rate = number(c, 2) ? 48000 : number(c, 200000), .sound_memory = number(c, 4096),
        .reserved = is_bad(c)};

    return ringer_config_set_behaviour(POINTER(c, config), POINTER(c, &behaviour), size(c, sizeof behaviour));
}

FUNCTION(ringer_find_parts)
{
    struct ringer_part parts[4];

    if (is_bad(c))
        return ringer_find_parts(NULL, sizeof *parts, size(c, 4));
    return ringer_find_parts(parts, sizeof *parts, below(c, 5));
}

/* Samples, in the shared session or in a category. */
static struct ringer_playback some_samples(struct caller *c)
{
    static const unsigned int rates[] = {48000, 8000, 1000, 999, 0};

    return (struct ringer_playback){.samples = POINTER(c, samples), .frames = size(c, below(c, 4800)),
        .first_frame = size(c, below(c, 4800)), .session = below(c, 2) ? session : NULL,
        .category = (enum ringer_category)number(c, 7), .options = options(c), .channels = 1 + number(c, 2),
        .rate = rates[below(c, 5)], .fd = -1, .loops = (int32_t)below(c, 4) - 1, .gain = fraction(c),
        .reserved = {0, 0, 0, (uint8_t)is_bad(c)}};
}

/* Seldom one of the hardware, which this machine has not, or on a real clock. */
FUNCTION(ringer_device_open)
{
    struct ringer_config *own = ringer_config_new();
    struct ringer_device *opened = NULL;
    unsigned int choice = below(c, 100);
    int result = ringer_config_set_board(own, choice == 0 ? RINGER_BOARD_HARDWARE
            : choice == 1                                 ? RINGER_BOARD_SIMULATED_REAL_TIME
                                                          : RINGER_BOARD_SIMULATED);

    if (result == 0) {
        ringer_config_set_switch(own, "gpio:no-such-line");
        ringer_config_set_motor(own, "none");
        result = ringer_device_open(own, POINTER(c, &opened));
    }
    ringer_config_free(own);
    if (opened && below(c, 2)) {
        const struct ringer_playback playback = {.samples = samples, .frames = 960, .channels = 1, .rate = 48000,
            .loops = -1};
        const struct ringer_alert alert = {.sound = 1104};

        ringer_device_play(opened, &playback, sizeof playback, NULL);
        ringer_device_alert(opened, &alert, sizeof alert, NULL);
    }
    ringer_device_close(opened);
    return result;
}

FUNCTION(ringer_device_close)
{
    (void)c;
    ringer_device_close(NULL);
    return 0;
}

FUNCTION(ringer_device_close_on_termination) { return ringer_device_close_on_termination(POINTER(c, device)); }
FUNCTION(ringer_device_get_fd) { return ringer_device_get_fd(POINTER(c, device)); }

FUNCTION(ringer_device_get_state)
{
    struct ringer_state state;

    return ringer_device_get_state(POINTER(c, device), POINTER(c, &state), size(c, sizeof state));
}

FUNCTION(ringer_device_set_position)
{
    return ringer_device_set_position(POINTER(c, device), (enum ringer_position)number(c, 5));
}

FUNCTION(ringer_device_set_position_until)
{
    static const int64_t bad[] = {INT64_MIN, -1, INT64_MAX};
    int64_t until = is_bad(c) ? bad[below(c, 3)] : 4102444800 + (int64_t)number(c, 1000000);

    return ringer_device_set_position_until(POINTER(c, device), (enum ringer_position)number(c, 5), until);
}

FUNCTION(ringer_device_toggle_position) { return ringer_device_toggle_position(POINTER(c, device)); }

FUNCTION(ringer_device_get_effective_position)
{
    struct ringer_effective_position effective;

    return ringer_device_get_effective_position(POINTER(c, device), POINTER(c, &effective), size(c, sizeof effective));
}

FUNCTION(ringer_device_set_quiet_hours) { return ringer_device_set_quiet_hours(POINTER(c, device), text(c, "daily 22:00-07:00")); }

FUNCTION(ringer_device_get_quiet_hours)
{
    char spans[64];

    if (below(c, 4) == 0)
        return ringer_device_get_quiet_hours(POINTER(c, device), NULL, 0);
    return ringer_device_get_quiet_hours(POINTER(c, device), spans, below(c, sizeof spans + 1));
}

FUNCTION(ringer_device_set_screen_locked)
{
    return ringer_device_set_screen_locked(POINTER(c, device), (int)number(c, 2));
}

FUNCTION(ringer_device_set_route) { return ringer_device_set_route(POINTER(c, device), (enum ringer_route)number(c, 7)); }
FUNCTION(ringer_device_set_volume) { return ringer_device_set_volume(POINTER(c, device), fraction(c)); }

FUNCTION(ringer_device_set_light)
{
    return ringer_device_set_light(POINTER(c, device), number(c, 1000), number(c, 1000));
}

FUNCTION(ringer_device_get_preferences)
{
    struct ringer_preferences preferences;

    return ringer_device_get_preferences(POINTER(c, device), POINTER(c, &preferences), size(c, sizeof preferences));
}

FUNCTION(ringer_device_set_preferences)
{
    struct ringer_preferences preferences;

    ringer_device_get_preferences(device, &preferences, sizeof preferences);
    preferences.vibrate_on_ring = (uint8_t)number(c, 2);
    preferences.alarm_volume = fraction(c);
    preferences.alarms_ignore_silence = (uint8_t)number(c, 2);
    preferences.ducking_depth = 50 * fraction(c);
    preferences.ducking_down_ms = (uint16_t)number(c, 2002);
    preferences.ducking_up_ms = (uint16_t)number(c, 2002);
    preferences.alerts_during_call = (uint8_t)number(c, 6);
    preferences.alert_volume = fraction(c);
    preferences.announcement_volume = fraction(c);
    preferences.media_volume = fraction(c);
    preferences.call_volume = fraction(c);
    preferences.routes_silenced = (uint8_t)number(c, 64);
    preferences.when_switch_unreadable = (enum ringer_position)number(c, 4);
    preferences.quiet_hours_position = (uint8_t)number(c, 4);
    preferences.when_clock_unset = (uint8_t)number(c, 4);
    return ringer_device_set_preferences(POINTER(c, device), POINTER(c, &preferences), size(c, sizeof preferences));
}

FUNCTION(ringer_device_decide)
{
    struct ringer_decision decision;

    return ringer_device_decide(POINTER(c, device), (enum ringer_sound_kind)number(c, 7),
        (enum ringer_category)number(c, 7), options(c), POINTER(c, &decision), size(c, sizeof decision));
}

FUNCTION(ringer_device_play_file)
{
    uint64_t id;

    return ringer_device_play_file(
        POINTER(c, device), text(c, sound), (enum ringer_category)number(c, 7), options(c), POINTER(c, &id));
}

FUNCTION(ringer_device_play)
{
    struct ringer_playback playback = some_samples(c);
    uint64_t id;

    return ringer_device_play(POINTER(c, device), POINTER(c, &playback), size(c, sizeof playback), POINTER(c, &id));
}

/* A sound of 0.2 s, which may have been refused. */
static uint64_t a_sound(void)
{
    const struct ringer_playback playback = {.samples = samples, .frames = 9600, .channels = 1, .rate = 48000,
        .category = RINGER_CATEGORY_PLAYBACK};
    uint64_t id;

    /* Either may forbid it. */
    ringer_device_end_interruption(device, interruption, 1);
    ringer_session_deactivate(session, 1, NULL);
    ringer_device_play(device, &playback, sizeof playback, &id);
    return id;
}

FUNCTION(ringer_device_pause)
{
    uint64_t id = a_sound();
    int result = ringer_device_pause(POINTER(c, device), is_bad(c) ? UINT64_MAX : id, 1);

    ringer_device_pause(device, id, (int)below(c, 2));
    return result;
}

FUNCTION(ringer_device_set_gain)
{
    uint64_t id = a_sound();

    return ringer_device_set_gain(POINTER(c, device), is_bad(c) ? 0 : id, fraction(c));
}

FUNCTION(ringer_device_get_position)
{
    uint64_t id = a_sound(), frame;

    return ringer_device_get_position(POINTER(c, device), id, POINTER(c, &frame));
}

FUNCTION(ringer_device_play_system_sound)
{
    uint64_t id;

    return ringer_device_play_system_sound(POINTER(c, device), system_sound(c), (int)below(c, 2), POINTER(c, &id));
}

FUNCTION(ringer_device_register_sound)
{
    uint32_t id = 0;
    int result = ringer_device_register_sound(POINTER(c, device), text(c, sound), POINTER(c, &id));

    if (result >= 0 && ringer_device_dispose_sound(device, id) < 0)
        result = -1;
    return result;
}

FUNCTION(ringer_device_dispose_sound)
{
    uint32_t id = UINT_MAX;

    ringer_device_register_sound(device, sound, &id);
    ringer_device_play_system_sound(device, id, 0, NULL);
    return ringer_device_dispose_sound(POINTER(c, device), is_bad(c) ? UINT_MAX : id);
}

FUNCTION(ringer_device_notify)
{
    struct ringer_notification notification = {.sound = text(c, "chime.wav"), .directory = text(c, NULL),
        .bundle = text(c, NULL), .volume = fraction(c), .is_critical = (uint8_t)below(c, 2),
        .allows_critical = (uint8_t)below(c, 2)};
    uint64_t id;

    return ringer_device_notify(POINTER(c, device), POINTER(c, &notification), size(c, sizeof notification), POINTER(c, &id));
}

FUNCTION(ringer_device_announce)
{
    const char *paths[] = {sound, sound, text(c, sound)};
    uint64_t id;

    return ringer_device_announce(POINTER(c, device), POINTER(c, paths), size(c, 1 + below(c, 3)),
        (enum ringer_category)number(c, 7), options(c), (int32_t)number(c, 5), number(c, 1000), POINTER(c, &id));
}

FUNCTION(ringer_device_queue_announcement)
{
    const char *paths[] = {sound, text(c, sound)};
    struct ringer_announcement announcement = {.paths = POINTER(c, paths), .count = 1 + below(c, 2),
        .category = (enum ringer_category)number(c, 7), .options = options(c), .priority = (int32_t)number(c, 5),
        .expiry_ms = number(c, 1000), .volume = fraction(c)};
    uint64_t id;

    return ringer_device_queue_announcement(POINTER(c, device), POINTER(c, &announcement), size(c, sizeof announcement),
        POINTER(c, &id));
}

FUNCTION(ringer_device_pause_announcements)
{
    int result = ringer_device_pause_announcements(POINTER(c, device), (int)number(c, 2));

    ringer_device_pause_announcements(device, 0);
    return result;
}

FUNCTION(ringer_device_skip_announcement) { return ringer_device_skip_announcement(POINTER(c, device)); }

FUNCTION(ringer_device_repeat_announcement)
{
    uint64_t id;
    int result = ringer_device_repeat_announcement(POINTER(c, device), POINTER(c, &id));

    /* None may have begun: the session and interruptions make announcements wait. */
    return result == -ENOENT ? 0 : result;
}

FUNCTION(ringer_device_alert)
{
    const uint32_t times[] = {number(c, 500), number(c, 500)};
    struct ringer_alert alert = {.times_ms = below(c, 2) ? times : NULL, .count = size(c, 2), .sound = system_sound(c),
        .way = (enum ringer_alert_way)number(c, 4), .limit_ms = number(c, 5000), .pause_ms = number(c, 5000),
        .strength = fraction(c), .kind = (enum ringer_alert_kind)number(c, 2)};
    uint64_t id;

    return ringer_device_alert(POINTER(c, device), POINTER(c, &alert), size(c, sizeof alert), POINTER(c, &id));
}

FUNCTION(ringer_device_vibrate)
{
    uint32_t times[] = {number(c, 500), number(c, 500), number(c, 500)};
    uint64_t id;

    return ringer_device_vibrate(
        POINTER(c, device), POINTER(c, times), size(c, 1 + below(c, 3)), fraction(c), number(c, 5), POINTER(c, &id));
}

FUNCTION(ringer_device_detect)
{
    uint64_t id;

    return ringer_device_detect(POINTER(c, device), POINTER(c, &id));
}

FUNCTION(ringer_device_stop)
{
    uint64_t id = below(c, 2) ? below(c, 4) : a_sound();

    return ringer_device_stop(POINTER(c, device), id);
}

FUNCTION(ringer_device_stop_all) { return ringer_device_stop_all(POINTER(c, device)); }

FUNCTION(ringer_device_release_output)
{
    uint64_t id;

    return ringer_device_release_output(POINTER(c, device), POINTER(c, &id));
}

FUNCTION(ringer_session_new)
{
    struct ringer_session *own = NULL;
    int result = ringer_session_new(POINTER(c, device), text(c, "own"), (enum ringer_category)number(c, 7), options(c),
        (int32_t)number(c, 300), POINTER(c, &own));

    if (own && below(c, 2))
        ringer_session_activate(own, NULL);
    ringer_session_free(own);
    return result;
}

FUNCTION(ringer_session_free)
{
    (void)c;
    ringer_session_free(NULL);
    return 0;
}

FUNCTION(ringer_session_get_number)
{
    struct ringer_session *any = POINTER(c, session);

    return (ringer_session_get_number(any) != 0) == (any != NULL) ? 0 : -1;
}

FUNCTION(ringer_session_activate)
{
    uint64_t id;

    return ringer_session_activate(POINTER(c, session), POINTER(c, &id));
}

FUNCTION(ringer_session_deactivate)
{
    uint64_t id;

    return ringer_session_deactivate(POINTER(c, session), (int)below(c, 2), POINTER(c, &id));
}

FUNCTION(ringer_session_set_category)
{
    return ringer_session_set_category(POINTER(c, session), (enum ringer_category)number(c, 7), options(c));
}

FUNCTION(ringer_session_set_spoken) { return ringer_session_set_spoken(POINTER(c, session), (int)number(c, 2)); }

FUNCTION(ringer_session_set_in_background)
{
    return ringer_session_set_in_background(POINTER(c, session), (int)number(c, 2));
}

FUNCTION(ringer_session_get_state)
{
    struct ringer_session_state state;

    return ringer_session_get_state(POINTER(c, session), POINTER(c, &state), size(c, sizeof state));
}

static enum ringer_property property(struct caller *c)
{
    static const enum ringer_property some[] = {RINGER_PROPERTY_PREFERRED_SAMPLE_RATE,
        RINGER_PROPERTY_PREFERRED_BUFFER_DURATION, RINGER_PROPERTY_CATEGORY, RINGER_PROPERTY_ROUTE,
        RINGER_PROPERTY_SAMPLE_RATE, RINGER_PROPERTY_OTHER_AUDIO_PLAYING, RINGER_PROPERTY_OVERRIDE_ROUTE,
        RINGER_PROPERTY_INPUT_AVAILABLE, RINGER_PROPERTY_MIX_WITH_OTHERS, (enum ringer_property)0};

    return some[below(c, sizeof some / sizeof some[0])];
}

FUNCTION(ringer_session_get_property)
{
    unsigned char value[64];
    size_t room = below(c, sizeof value + 1);

    return ringer_session_get_property(POINTER(c, session), property(c), POINTER(c, value), POINTER(c, &room));
}

FUNCTION(ringer_session_set_property)
{
    double value = below(c, 2) ? 8000 : 0.02;

    if (below(c, 2))
        return ringer_session_set_property(
            POINTER(c, session), RINGER_PROPERTY_PREFERRED_SAMPLE_RATE, POINTER(c, &value), sizeof value);
    return ringer_session_set_property(POINTER(c, session), property(c), POINTER(c, &value), below(c, sizeof value + 1));
}

FUNCTION(ringer_device_begin_interruption)
{
    uint64_t begun;
    int result = ringer_device_begin_interruption(POINTER(c, device), POINTER(c, &begun));

    /* One that never ended would silence all that follows. */
    if (result == 0)
        ringer_device_end_interruption(device, atomic_exchange(&interruption, begun), 1);
    return result;
}

FUNCTION(ringer_device_answer_interruption)
{
    return ringer_device_answer_interruption(POINTER(c, device), below(c, 2) ? interruption : UINT64_MAX);
}

FUNCTION(ringer_device_end_interruption)
{
    return ringer_device_end_interruption(POINTER(c, device), interruption, (int)below(c, 2));
}

FUNCTION(ringer_device_read_event)
{
    struct ringer_event event;

    return c->reads_events ? ringer_device_read_event(POINTER(c, device), POINTER(c, &event), size(c, sizeof event)) : 0;
}

FUNCTION(ringer_simulated_set_wall_time) { return ringer_simulated_set_wall_time(POINTER(c, device), (int64_t)number(c, 2000000000)); }
FUNCTION(ringer_simulated_set_time_zone) { return ringer_simulated_set_time_zone(POINTER(c, device), text(c, "EST5EDT")); }

FUNCTION(ringer_simulated_set_position)
{
    return ringer_simulated_set_position(POINTER(c, device), (enum ringer_position)number(c, 4));
}

FUNCTION(ringer_simulated_set_headphone)
{
    return ringer_simulated_set_headphone(POINTER(c, device), (int)number(c, 2));
}

FUNCTION(ringer_simulated_press_key)
{
    return ringer_simulated_press_key(POINTER(c, device), (enum ringer_key)number(c, 5));
}

FUNCTION(ringer_simulated_advance)
{
    return ringer_simulated_advance(POINTER(c, device), is_bad(c) ? UINT64_MAX : below(c, 2000000));
}

FUNCTION(ringer_simulated_get_recordings)
{
    struct ringer_recording recordings[8];

    if (is_bad(c))
        return ringer_simulated_get_recordings(device, NULL, sizeof *recordings, size(c, 8));
    return ringer_simulated_get_recordings(POINTER(c, device), recordings, sizeof *recordings, below(c, 9));
}

FUNCTION(ringer_simulated_is_motor_on) { return ringer_simulated_is_motor_on(POINTER(c, device)); }

#define ROW(name) {#name, call_##name, 0, 0}

static struct {
    const char *name;
    int (*call)(struct caller *c);
    atomic_ulong successes, failures;
} functions[] = {
    ROW(ringer_version),
    ROW(ringer_last_error),
    ROW(ringer_position_name),
    ROW(ringer_route_name),
    ROW(ringer_category_name),
    ROW(ringer_reason_name),
    ROW(ringer_part_kind_name),
    ROW(ringer_session_phase_name),
    ROW(ringer_input_name),
    ROW(ringer_event_name),
    ROW(ringer_session_change_name),
    ROW(ringer_drop_name),
    ROW(ringer_stop_name),
    ROW(ringer_route_change_name),
    ROW(ringer_cause_name),
    ROW(ringer_outcome_name),
    ROW(ringer_stop_cause_name),
    ROW(ringer_key_name),
    ROW(ringer_verdict_name),
    ROW(ringer_config_new),
    ROW(ringer_config_free),
    ROW(ringer_config_set_board),
    ROW(ringer_config_set_switch),
    ROW(ringer_config_set_motor),
    ROW(ringer_config_set_status_light),
    ROW(ringer_config_set_position_file),
    ROW(ringer_config_set_pcm),
    ROW(ringer_config_set_route_pcm),
    ROW(ringer_config_set_mixer),
    ROW(ringer_config_set_following),
    ROW(ringer_config_set_real_time_priority),
    ROW(ringer_config_set_busy_patience),
    ROW(ringer_config_set_linger),
    ROW(ringer_config_set_own_microphone),
    ROW(ringer_config_set_volume_keys),
    ROW(ringer_config_set_behaviour),
    ROW(ringer_find_parts),
    ROW(ringer_device_open),
    ROW(ringer_device_close),
    ROW(ringer_device_close_on_termination),
    ROW(ringer_device_get_fd),
    ROW(ringer_device_get_state),
    ROW(ringer_device_set_position),
    ROW(ringer_device_set_position_until),
    ROW(ringer_device_toggle_position),
    ROW(ringer_device_get_effective_position),
    ROW(ringer_device_set_screen_locked),
    ROW(ringer_device_set_route),
    ROW(ringer_device_set_volume),
    ROW(ringer_device_set_light),
    ROW(ringer_device_get_preferences),
    ROW(ringer_device_set_preferences),
    ROW(ringer_device_set_quiet_hours),
    ROW(ringer_device_get_quiet_hours),
    ROW(ringer_device_decide),
    ROW(ringer_device_play_file),
    ROW(ringer_device_play),
    ROW(ringer_device_pause),
    ROW(ringer_device_set_gain),
    ROW(ringer_device_get_position),
    ROW(ringer_device_play_system_sound),
    ROW(ringer_device_register_sound),
    ROW(ringer_device_dispose_sound),
    ROW(ringer_device_notify),
    ROW(ringer_device_announce),
    ROW(ringer_device_queue_announcement),
    ROW(ringer_device_pause_announcements),
    ROW(ringer_device_skip_announcement),
    ROW(ringer_device_repeat_announcement),
    ROW(ringer_device_alert),
    ROW(ringer_device_vibrate),
    ROW(ringer_device_detect),
    ROW(ringer_device_stop),
    ROW(ringer_device_stop_all),
    ROW(ringer_device_release_output),
    ROW(ringer_session_new),
    ROW(ringer_session_free),
    ROW(ringer_session_get_number),
    ROW(ringer_session_activate),
    ROW(ringer_session_deactivate),
    ROW(ringer_session_set_category),
    ROW(ringer_session_set_spoken),
    ROW(ringer_session_set_in_background),
    ROW(ringer_session_get_state),
    ROW(ringer_session_get_property),
    ROW(ringer_session_set_property),
    ROW(ringer_device_begin_interruption),
    ROW(ringer_device_answer_interruption),
    ROW(ringer_device_end_interruption),
    ROW(ringer_device_read_event),
    ROW(ringer_simulated_set_position),
    ROW(ringer_simulated_set_wall_time),
    ROW(ringer_simulated_set_time_zone),
    ROW(ringer_simulated_set_headphone),
    ROW(ringer_simulated_press_key),
    ROW(ringer_simulated_advance),
    ROW(ringer_simulated_get_recordings),
    ROW(ringer_simulated_is_motor_on),
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0], MOST_THREADS = 64 };

static unsigned long calls;
static long seconds;

static long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long)time.tv_sec;
}

static void *run(void *pointer)
{
    struct caller *c = pointer;
    struct ringer_event event;
    long end = now() + seconds;

    for (unsigned long number = 0; (calls == 0 || number < calls) && (seconds == 0 || now() < end); number++) {
        unsigned int index = below(c, FUNCTIONS);
        int result = functions[index].call(c);

        if (result >= 0) {
            functions[index].successes++;
            /* What runs until it is stopped must not grow in number. */
            if (number % 32 == 0) {
                ringer_device_stop_all(device);
                ringer_device_end_interruption(device, interruption, 1);
            }
            while (c->reads_events && ringer_device_read_event(device, &event, sizeof event) == 1)
                ;
            continue;
        }
        functions[index].failures++;
        if (!ringer_last_error()[0]) {
            printf("%s failed with %d and no sentence\n", functions[index].name, result);
            exit(1);
        }
    }
    return NULL;
}

int main(int count, char **arguments)
{
    struct caller callers[MOST_THREADS] = {{.reads_events = 1}};
    unsigned long successes = 0, failures = 0;
    int threads, before = count_threads(), status = 0;

    if (count != 5 || (threads = atoi(arguments[2])) < 1 || threads > MOST_THREADS)
        return 64;
    sound = arguments[1];
    calls = strtoul(arguments[3], NULL, 10);
    seconds = strtol(arguments[4], NULL, 10);
    memset(lengthy, 'x', sizeof lengthy - 1);
    config = ringer_config_new();
    if (ringer_config_set_board(config, RINGER_BOARD_SIMULATED) < 0 || ringer_device_open(config, &device) < 0 ||
        ringer_session_new(device, "every", RINGER_CATEGORY_PLAYBACK, 0, 0, &session) < 0) {
        printf("%s\n", ringer_last_error());
        return 1;
    }
    for (int index = 0; index < threads; index++) {
        callers[index].seed = (unsigned int)index + 1;
        pthread_create(&callers[index].thread, NULL, run, &callers[index]);
    }
    for (int index = 0; index < threads; index++)
        pthread_join(callers[index].thread, NULL);
    ringer_device_close(device);
    ringer_session_free(session);
    ringer_config_free(config);
    for (int tries = 0; tries < 1000 && count_threads() > before; tries++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    if (count_threads() > before) {
        printf("%d threads left\n", count_threads() - before);
        status = 1;
    }
    for (int index = 0; index < FUNCTIONS; index++) {
        successes += functions[index].successes;
        failures += functions[index].failures;
        if (functions[index].successes == 0) {
            printf("%s never succeeded: %s\n", functions[index].name, ringer_last_error());
            status = 1;
        }
    }
    printf("%lu calls succeeded, %lu failed\n", successes, failures);
    return status;
}
