/*
 * A C program of ringer.h on the simulated board: a payment speaker whose switch is flipped in mid-sound. With the argument
 * "environment", on the board that the environment names: a sound in a session; with "sessions", on that board: sessions that
 * four threads free once the device is closed; with "threads" or "readers", on that board, or with "virtual" on one in virtual
 * time: see threads.c; with "fork", on that board: see fork.c; with "termination", a signal while the
 * motor turns; with "alert" and a sound file, an alert of 0.3 s on that board;
 * with "play" and a sound file, that one on the simulated board first. It prints what it sees; the tests compare it.
 * With "predefined" and a number, how long that sound is. With "first" and a clip, on the board that the environment names: how long the first play of the clip took, in ms.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ringer.h>

#include "client.h"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) < 0) {                                                                                              \
            printf("%s: %s\n", #call, ringer_last_error());                                                            \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

static int64_t start;

static void show(const struct ringer_event *event)
{
    printf("%lld ms: ", (long long)((event->at - start) / 1000000));
    switch (event->type) {
    case RINGER_EVENT_STATE:
        printf("state, position %d, route %d\n", (int)event->u.state.position, (int)event->u.state.route);
        break;
    case RINGER_EVENT_SOUND_STARTED:
        printf("sound %" PRIu64 " started\n", event->id);
        break;
    case RINGER_EVENT_SOUND_ENDED:
        printf("sound %" PRIu64 ", outcome %d, reason %s, %" PRIu64 " of %" PRIu64 " frames\n", event->id,
            (int)event->u.result.outcome, ringer_reason_name(event->u.result.reason), event->u.result.frames_played,
            event->u.result.frames);
        break;
    case RINGER_EVENT_VIBRATION_ENDED:
        printf("vibration %" PRIu64 ", outcome %d\n", event->id, (int)event->u.result.outcome);
        break;
    case RINGER_EVENT_DETECTED:
        printf("detection %" PRIu64 ", verdict %d\n", event->id, (int)event->u.reading.verdict);
        break;
    case RINGER_EVENT_KEY:
        printf("key %d %s\n", (int)event->u.key.key, event->u.key.is_pressed ? "pressed" : "released");
        break;
    default:
        printf("event %d\n", (int)event->type);
        break;
    }
}

/* Shows the events that wait; the descriptor is readable exactly while there are some. */
static int show_events(struct ringer_device *device)
{
    struct ringer_event event;
    struct pollfd descriptor = {.fd = ringer_device_get_fd(device), .events = POLLIN};
    int result;

    while (poll(&descriptor, 1, 0) == 1) {
        result = ringer_device_read_event(device, &event, sizeof event);
        if (result < 0)
            return result;
        if (result == 0) {
            printf("the descriptor is readable without an event\n");
            return 0;
        }
        show(&event);
    }
    result = ringer_device_read_event(device, &event, sizeof event);
    if (result == 1)
        printf("an event waits and the descriptor is not readable\n");
    return result;
}

int client_play(struct ringer_device *device, struct ringer_session *session, const int16_t *samples, size_t frames,
    uint32_t options, uint64_t *id)
{
    struct ringer_playback playback = {.samples = samples, .frames = frames, .session = session,
        .category = RINGER_CATEGORY_PLAYBACK, .options = options, .channels = 1, .rate = 48000};

    return ringer_device_play(device, &playback, sizeof playback, id);
}

int client_wait_for(struct ringer_device *device, enum ringer_event_type type, struct ringer_event *event)
{
    struct pollfd descriptor = {.fd = ringer_device_get_fd(device), .events = POLLIN};

    do {
        int result = ringer_device_read_event(device, event, sizeof *event);
        if (result < 0)
            return result;
        if (result == 0)
            event->type = RINGER_EVENT_NONE;
        if (result == 0 && poll(&descriptor, 1, 20000) <= 0)
            return -ETIMEDOUT;
    } while (event->type != type);
    return 0;
}

static int play_in_a_session(void)
{
    static int16_t samples[4800];
    struct ringer_device *device;
    struct ringer_session *session;
    struct ringer_event event;
    double rate;
    size_t size = sizeof rate;

    CHECK(ringer_device_open(NULL, &device));
    CHECK(client_wait_for(device, RINGER_EVENT_STATE, &event));
    printf("position %d\n", (int)event.u.state.position);
    CHECK(ringer_session_new(device, "payments", RINGER_CATEGORY_PLAYBACK, 0, RINGER_PRIORITY_ORDINARY, &session));
    CHECK(ringer_session_activate(session, NULL));
    CHECK(client_wait_for(device, RINGER_EVENT_SESSION_ANSWERED, &event));
    CHECK(ringer_session_get_property(session, RINGER_PROPERTY_SAMPLE_RATE, &rate, &size));
    printf("activated %d, rate %g\n", (int)event.u.result.error, rate);
    CHECK(client_play(device, session, samples, 4800, 0, NULL));
    CHECK(client_wait_for(device, RINGER_EVENT_SOUND_STARTED, &event));
    CHECK(client_wait_for(device, RINGER_EVENT_SOUND_ENDED, &event));
    printf("ended %d, %" PRIu64 " of %" PRIu64 " frames\n", (int)event.u.result.outcome, event.u.result.frames_played,
        event.u.result.frames);
    ringer_session_free(session);
    ringer_device_close(device);
    return 0;
}

enum { FREEING_THREADS = 4, SESSIONS_OF_EACH = 20, DEVICES = 40 };

static pthread_barrier_t all_threads;

static void *free_sessions(void *sessions)
{
    struct ringer_session **own = sessions;

    pthread_barrier_wait(&all_threads);
    for (int index = 0; index < SESSIONS_OF_EACH; index++)
        ringer_session_free(own[index]);
    return NULL;
}

static int free_sessions_after_close(void)
{
    struct ringer_session *sessions[FREEING_THREADS][SESSIONS_OF_EACH];
    struct ringer_device *device;
    pthread_t threads[FREEING_THREADS];

    pthread_barrier_init(&all_threads, NULL, FREEING_THREADS);
    for (int round = 0; round < DEVICES; round++) {
        CHECK(ringer_device_open(NULL, &device));
        for (int index = 0; index < FREEING_THREADS * SESSIONS_OF_EACH; index++)
            CHECK(ringer_session_new(device, "session", RINGER_CATEGORY_AMBIENT, 0, RINGER_PRIORITY_ORDINARY,
                &sessions[index / SESSIONS_OF_EACH][index % SESSIONS_OF_EACH]));
        ringer_device_close(device);
        for (int index = 0; index < FREEING_THREADS; index++)
            pthread_create(&threads[index], NULL, free_sessions, sessions[index]);
        for (int index = 0; index < FREEING_THREADS; index++)
            pthread_join(threads[index], NULL);
    }
    printf("freed the sessions of %d devices\n", DEVICES);
    return 0;
}

/* The handler may be called on a thread of the library's. */
static atomic_int has_been_called;

static void note_call(int number)
{
    (void)number;
    has_been_called = 1;
}

static int end_by_signal(struct ringer_config *config)
{
    static const uint32_t pattern[] = {1000};
    struct ringer_device *device;

    CHECK(ringer_config_set_board(config, RINGER_BOARD_SIMULATED));
    CHECK(ringer_device_open(config, &device));
    signal(SIGTERM, note_call);
    CHECK(ringer_device_close_on_termination(device));
    CHECK(ringer_device_vibrate(device, pattern, 1, 1, 0, NULL));
    printf("motor %d\n", ringer_simulated_is_motor_on(device));
    raise(SIGTERM);
    while (!has_been_called)
        poll(NULL, 0, 1);
    printf("motor %d\n", ringer_simulated_is_motor_on(device));
    ringer_device_close(device);
    ringer_config_free(config);
    return 0;
}

static int alert_by_file(struct ringer_config *config, const char *path)
{
    struct ringer_alert alert = {.limit_ms = 300};
    struct ringer_device *device;
    struct ringer_event event;

    CHECK(ringer_config_set_board(config, RINGER_BOARD_SIMULATED));
    CHECK(ringer_device_open(config, &device));
    ringer_config_free(config);
    CHECK(ringer_device_register_sound(device, path, &alert.sound));
    CHECK(ringer_device_alert(device, &alert, sizeof alert, NULL));
    CHECK(ringer_simulated_advance(device, alert.limit_ms * 1000));
    CHECK(client_wait_for(device, RINGER_EVENT_SOUND_ENDED, &event));
    printf("%s by %s, felt %d, error %d, %s\n", ringer_outcome_name(event.u.result.outcome),
        ringer_stop_cause_name(event.u.result.cause), event.u.result.felt, (int)event.u.result.error,
        event.u.result.sentence);
    ringer_device_close(device);
    return 0;
}

static int play_predefined(struct ringer_config *config, const char *number)
{
    struct ringer_recording recording = {0};
    struct ringer_device *device;
    struct ringer_event event;

    CHECK(ringer_config_set_board(config, RINGER_BOARD_SIMULATED));
    CHECK(ringer_device_open(config, &device));
    ringer_config_free(config);
    CHECK(ringer_device_play_system_sound(device, (uint32_t)strtoul(number, NULL, 10), 0, NULL));
    CHECK(ringer_simulated_advance(device, 30000000));
    CHECK(client_wait_for(device, RINGER_EVENT_SOUND_ENDED, &event));
    CHECK(ringer_simulated_get_recordings(device, &recording, sizeof recording, 1));
    printf("%" PRIu64 " frames\n", recording.frames);
    ringer_device_close(device);
    return 0;
}

static double milliseconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int check_first(const char *path)
{
    struct ringer_device *device;
    struct ringer_event event;
    uint32_t clip;
    double before;

    CHECK(ringer_device_open(NULL, &device));
    CHECK(ringer_device_register_sound(device, path, &clip));
    before = milliseconds();
    CHECK(ringer_device_play_system_sound(device, clip, 0, NULL));
    CHECK(client_wait_for(device, RINGER_EVENT_SOUND_ENDED, &event));
    printf("%.3f\n", milliseconds() - before);
    ringer_device_close(device);
    return 0;
}

int main(int argc, char **argv)
{
    static const uint32_t pattern[] = {400, 200, 400};
    static int16_t samples[48000];
    const char *what = argc > 1 ? argv[1] : "";
    struct ringer_config *config;
    struct ringer_device *device;
    struct ringer_state state;
    struct ringer_decision decision;
    struct ringer_recording recordings[2];
    uint64_t sound, vibration, detection;

    if (strcmp(what, "environment") == 0)
        return play_in_a_session();
    if (strcmp(what, "sessions") == 0)
        return free_sessions_after_close();
    if (strcmp(what, "readers") == 0)
        return client_readers();
    if (strcmp(what, "fork") == 0)
        return client_fork();
    if (argc > 2 && strcmp(what, "first") == 0)
        return check_first(argv[2]);
    config = ringer_config_new();
    if (strcmp(what, "threads") == 0)
        return client_threads(config);
    if (strcmp(what, "termination") == 0)
        return end_by_signal(config);
    if (argc > 2 && strcmp(what, "alert") == 0)
        return alert_by_file(config, argv[2]);
    if (argc > 2 && strcmp(what, "predefined") == 0)
        return play_predefined(config, argv[2]);
    CHECK(ringer_config_set_board(config, RINGER_BOARD_SIMULATED));
    if (strcmp(what, "virtual") == 0)
        return client_threads(config);
    CHECK(ringer_device_open(config, &device));
    ringer_config_free(config);
    if (argc > 2 && strcmp(what, "play") == 0)
        CHECK(ringer_device_play_file(device, argv[2], RINGER_CATEGORY_PLAYBACK, 0, NULL));
    CHECK(ringer_device_get_state(device, &state, sizeof state));
    start = state.position_at;
    CHECK(show_events(device));

    CHECK(client_play(device, NULL, samples, 48000, RINGER_OPTION_HONOURS_RING_SILENT_SWITCH, &sound));
    CHECK(ringer_device_vibrate(device, pattern, 3, 1, 1, &vibration));
    CHECK(ringer_simulated_advance(device, 250000));
    printf("motor %d\n", ringer_simulated_is_motor_on(device));
    CHECK(ringer_simulated_set_position(device, RINGER_POSITION_SILENT));
    CHECK(show_events(device));
    CHECK(ringer_device_decide(device, RINGER_SOUND_ALERT, RINGER_CATEGORY_SOLO_AMBIENT, 0, &decision, sizeof decision));
    printf("an alert: heard %d, felt %d, %s\n", decision.heard, decision.felt, ringer_reason_name(decision.reason));
    CHECK(ringer_simulated_advance(device, 1000000));
    CHECK(show_events(device));
    CHECK(ringer_device_detect(device, &detection));
    CHECK(ringer_simulated_press_key(device, RINGER_KEY_REPEAT));
    CHECK(ringer_simulated_advance(device, 1000000));
    CHECK(show_events(device));
    memset(recordings, 0, sizeof recordings);
    printf("recordings %d\n", ringer_simulated_get_recordings(device, recordings, sizeof *recordings, 2));
    printf("heard %" PRIu64 " of %" PRIu64 " frames\n", recordings[0].frames_played, recordings[0].frames);
    printf("%d: %s\n", ringer_device_play_file(device, "/no/such/file", RINGER_CATEGORY_PLAYBACK, 0, NULL),
        ringer_last_error());
    ringer_device_close(device);
    return 0;
}
