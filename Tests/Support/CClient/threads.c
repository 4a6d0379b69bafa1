/*
 * Eight threads call functions of one device until it is closed, which the ninth does while they run. Each call ends as it
 * would otherwise, or with -ESHUTDOWN, and every thread comes to its end: one of them waits for events without a limit. Each
 * then frees its session. After that, one thread waits with epoll for the events of a device without sessions: an item leaves
 * epoll's instance, unreported, when its descriptor is closed.
 *
 * client_readers: more devices than the process may have descriptors, each with a thread that reads its events and ends.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ringer.h>

#include "client.h"

enum { THREADS = 8, DEVICES = 20, CALLS_BEFORE_CLOSE = 40 };

static struct ringer_device *device;
static int16_t samples[480];
static atomic_int unexpected;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t counted = PTHREAD_COND_INITIALIZER;
static int calls;

/* Whether a call says that its device is open. */
static int is_open(const char *call, int result)
{
    pthread_mutex_lock(&mutex);
    calls++;
    pthread_cond_signal(&counted);
    pthread_mutex_unlock(&mutex);
    if (result == -ESHUTDOWN)
        return 0;
    if (result >= 0)
        return 1;
    printf("%s: %d, %s\n", call, result, ringer_last_error());
    unexpected++;
    return 0;
}

#define IS_OPEN(call) is_open(#call, call)

static void read_events(void)
{
    struct pollfd descriptor = {.fd = ringer_device_get_fd(device), .events = POLLIN};
    struct ringer_event event;
    int result;

    if (!IS_OPEN(descriptor.fd))
        return;
    do {
        while ((result = ringer_device_read_event(device, &event, sizeof event)) == 1)
            ;
    } while (is_open("ringer_device_read_event", result) && poll(&descriptor, 1, -1) == 1);
}

/* The result where a sound that has ended is no error. */
static int ignore_end(int result)
{
    return result == -ENOENT ? 0 : result;
}

static void play(struct ringer_session *session)
{
    uint64_t id, frame;

    while (IS_OPEN(client_play(device, NULL, samples, 480, 0, &id)) && IS_OPEN(ignore_end(ringer_device_pause(device, id, 1))) &&
           IS_OPEN(ignore_end(ringer_device_get_position(device, id, &frame))) &&
           IS_OPEN(ringer_device_play_system_sound(device, 1104, 1, NULL)) &&
           IS_OPEN(ignore_end(ringer_device_pause(device, id, 0))) && IS_OPEN(ringer_device_stop(device, id)) &&
           IS_OPEN(client_play(device, session, samples, 480, 0, NULL)))
        ;
}

static void vibrate(void)
{
    static const struct ringer_alert alert = {.sound = 1005, .limit_ms = 100};
    static const uint32_t pattern[] = {20, 10};

    while (IS_OPEN(ringer_device_vibrate(device, pattern, 2, 1, 2, NULL)) && IS_OPEN(ringer_device_detect(device, NULL)) &&
           IS_OPEN(ringer_device_alert(device, &alert, sizeof alert, NULL)) && IS_OPEN(ringer_device_stop_all(device)))
        ;
}

static void change(struct ringer_session *session)
{
    struct ringer_preferences preferences;
    struct ringer_session_state state;

    while (IS_OPEN(ringer_device_get_preferences(device, &preferences, sizeof preferences)) &&
           IS_OPEN(ringer_device_set_preferences(device, &preferences, sizeof preferences)) &&
           IS_OPEN(ringer_device_set_screen_locked(device, 1)) && IS_OPEN(ringer_device_set_screen_locked(device, 0)) &&
           IS_OPEN(ringer_session_set_spoken(session, 1)) && IS_OPEN(ringer_session_get_state(session, &state, sizeof state)))
        ;
}

static void use_sessions(struct ringer_session *session)
{
    struct ringer_session *another;
    uint64_t interruption;

    while (IS_OPEN(ringer_session_activate(session, NULL)) && IS_OPEN(ringer_session_deactivate(session, 1, NULL)) &&
           IS_OPEN(ringer_device_begin_interruption(device, &interruption)) &&
           IS_OPEN(ringer_device_end_interruption(device, interruption, 1)) &&
           IS_OPEN(ringer_session_new(device, "another", RINGER_CATEGORY_AMBIENT, 0, RINGER_PRIORITY_ORDINARY, &another)))
        ringer_session_free(another);
}

static void look(void)
{
    struct ringer_state state;
    struct ringer_decision decision;

    while (IS_OPEN(ringer_device_get_state(device, &state, sizeof state)) &&
           IS_OPEN(ringer_device_decide(device, RINGER_SOUND_ALERT, RINGER_CATEGORY_AMBIENT, 0, &decision, sizeof decision)) &&
           (ringer_simulated_advance(device, 1000) != -ESHUTDOWN))
        ;
}

struct caller {
    pthread_t thread;
    int number;
    struct ringer_session *session;
};

static void *call(void *pointer)
{
    struct caller *caller = pointer;

    switch (caller->number) {
    case 0: read_events(); break;
    case 1: case 2: play(caller->session); break;
    case 3: vibrate(); break;
    case 4: change(caller->session); break;
    case 5: case 6: use_sessions(caller->session); break;
    default: look(); break;
    }
    if (ringer_session_activate(caller->session, NULL) != -ESHUTDOWN) {
        printf("thread %d: its session is open\n", caller->number);
        unexpected++;
    }
    ringer_session_free(caller->session);
    return NULL;
}

static void *read_with_epoll(void *unused)
{
    struct epoll_event item = {.events = EPOLLIN};
    struct ringer_event event;
    int poller = epoll_create1(EPOLL_CLOEXEC);
    int result;

    epoll_ctl(poller, EPOLL_CTL_ADD, ringer_device_get_fd(device), &item);
    do {
        while ((result = ringer_device_read_event(device, &event, sizeof event)) == 1)
            ;
    } while (is_open("ringer_device_read_event", result) && epoll_wait(poller, &item, 1, -1) == 1);
    close(poller);
    return unused;
}

/* Waits until threads have called so many functions. */
static void wait_for_calls(int count)
{
    pthread_mutex_lock(&mutex);
    while (calls < count)
        pthread_cond_wait(&counted, &mutex);
    pthread_mutex_unlock(&mutex);
}

int client_threads(struct ringer_config *config)
{
    for (int round = 0; round < DEVICES; round++) {
        struct caller callers[THREADS];

        if (ringer_device_open(config, &device) < 0) {
            printf("%s\n", ringer_last_error());
            return 1;
        }
        calls = 0;
        for (int index = 0; index < THREADS; index++) {
            callers[index].number = index;
            if (ringer_session_new(device, "session", RINGER_CATEGORY_AMBIENT, 0, 0, &callers[index].session) < 0)
                printf("%s\n", ringer_last_error());
        }
        for (int index = 0; index < THREADS; index++)
            pthread_create(&callers[index].thread, NULL, call, &callers[index]);
        wait_for_calls(CALLS_BEFORE_CLOSE * (1 + round % 4));
        ringer_device_close(device);
        for (int index = 0; index < THREADS; index++)
            pthread_join(callers[index].thread, NULL);

        pthread_t reader;
        calls = 0;
        if (ringer_device_open(config, &device) < 0 || pthread_create(&reader, NULL, read_with_epoll, NULL) != 0) {
            printf("%s\n", ringer_last_error());
            return 1;
        }
        wait_for_calls(1);
        usleep(1000); /* until it waits, most often */
        ringer_device_close(device);
        pthread_join(reader, NULL);
    }
    ringer_config_free(config);
    printf("closed %d devices, %d unexpected results\n", DEVICES, (int)unexpected);
    return unexpected > 0;
}

static void *read_all(void *unused)
{
    struct ringer_event event;

    while (ringer_device_read_event(device, &event, sizeof event) == 1)
        ;
    return unused;
}

int client_readers(void)
{
    static const struct rlimit descriptors = {128, 128};
    int closed = 0;

    setrlimit(RLIMIT_NOFILE, &descriptors);
    while (closed < 256) {
        pthread_t reader;

        if (ringer_device_open(NULL, &device) < 0 || pthread_create(&reader, NULL, read_all, NULL) != 0) {
            printf("after %d devices: %s\n", closed, ringer_last_error());
            return 1;
        }
        pthread_join(reader, NULL);
        ringer_device_close(device);
        closed++;
    }
    printf("closed %d devices\n", closed);
    return 0;
}
