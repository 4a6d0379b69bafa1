/*
 * Opens the service's device, makes one request of each kind and closes it, again and again:
 *
 *     rounds SOUND RINGERD FIFO ROUNDS
 *
 * SOUND is a sound file, RINGERD the service's process, in which allocated.c answers at FIFO. Fails if in the second half of the
 * rounds descriptors or threads of this process or of the service's became more, or allocated memory has grown by LIMIT
 * bytes. In each round a thread of its own reads events, and ends before the device is closed. Before the rounds it forks in the
 * middle of each kind: the child's calls return -ECHILD, and the parent's request ends as if there had been no child.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <ringer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Less than 5,000 rounds that leak 100 bytes each. The lists of the simulated board are full before the second half of 10,000. */
enum { LIMIT = 200000 };

static struct ringer_device *device;
static struct ringer_session *session;
static const char *sound;
static int16_t samples[4800];

static void fail(const char *what)
{
    fprintf(stderr, "rounds: %s: %s\n", what, ringer_last_error());
    exit(1);
}

static int play(struct ringer_session *in, uint64_t *id)
{
    struct ringer_playback playback = {.samples = samples, .frames = 4800, .session = in, .channels = 1, .rate = 48000};

    if (in == NULL) {
        playback.category = RINGER_CATEGORY_PLAYBACK;
        playback.options = RINGER_OPTION_MIX_WITH_OTHERS;
    }
    return ringer_device_play(device, &playback, sizeof playback, id);
}

static int play_samples(uint64_t *id)
{
    return play(NULL, id);
}

static int play_file(uint64_t *id)
{
    return ringer_device_play_file(device, sound, RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_MIX_WITH_OTHERS, id);
}

static int play_in_session(uint64_t *id)
{
    return play(session, id);
}

static int play_system_sound(uint64_t *id)
{
    return ringer_device_play_system_sound(device, 1104, 0, id);
}

static int notify(uint64_t *id)
{
    static const struct ringer_notification notification;

    return ringer_device_notify(device, &notification, sizeof notification, id);
}

static int announce(uint64_t *id)
{
    return ringer_device_announce(device, &sound, 1, RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_MIX_WITH_OTHERS, 0, 0, id);
}

static int alert(uint64_t *id)
{
    static const struct ringer_alert request = {.sound = 1005, .limit_ms = 100};

    return ringer_device_alert(device, &request, sizeof request, id);
}

static int vibrate(uint64_t *id)
{
    static const uint32_t pattern[] = {50, 10};

    return ringer_device_vibrate(device, pattern, 2, 1, 1, id);
}

static int detect(uint64_t *id)
{
    return ringer_device_detect(device, id);
}

static int release_output(uint64_t *id)
{
    return ringer_device_release_output(device, id);
}

static int play_from_a_descriptor(uint64_t *id)
{
    struct ringer_playback playback = {.category = RINGER_CATEGORY_PLAYBACK, .options = RINGER_OPTION_MIX_WITH_OTHERS};
    int result;

    playback.fd = open(sound, O_RDONLY | O_CLOEXEC);
    result = ringer_device_play(device, &playback, sizeof playback, id);
    close(playback.fd);
    return result;
}

/* One that has ended meanwhile cannot be paused. */
static int pause_and_go_on(uint64_t *id)
{
    int result = play_samples(id);

    for (int is_paused = 1; result >= 0 && is_paused >= 0; is_paused--) {
        result = ringer_device_pause(device, *id, is_paused);
        if (result == -ENOENT)
            result = 0;
    }
    return result;
}

/* None may have begun yet. */
static int repeat_announcement(uint64_t *id)
{
    int result = ringer_device_repeat_announcement(device, id);

    return result == -ENOENT ? 0 : result;
}

/* What follows is done when the call returns. */

static int register_and_dispose(uint64_t *id)
{
    uint32_t number;
    int result = ringer_device_register_sound(device, sound, &number);

    *id = 0;
    return result < 0 ? result : ringer_device_dispose_sound(device, number);
}

static int set_preferences(uint64_t *id)
{
    struct ringer_preferences preferences;
    int result = ringer_device_get_preferences(device, &preferences, sizeof preferences);

    *id = 0;
    return result < 0 ? result : ringer_device_set_preferences(device, &preferences, sizeof preferences);
}

static int interrupt(uint64_t *id)
{
    uint64_t interruption;
    int result = ringer_device_begin_interruption(device, &interruption);

    *id = 0;
    return result < 0 ? result : ringer_device_end_interruption(device, interruption, 1);
}

/* The first: it waits for the service, which would render each round's system sounds meanwhile. */
static int set_volume(uint64_t *id)
{
    *id = 0;
    return ringer_device_set_volume(device, 0.5f);
}

static int pause_announcements(uint64_t *id)
{
    int result = ringer_device_pause_announcements(device, 1);

    *id = 0;
    return result < 0 ? result : ringer_device_pause_announcements(device, 0);
}

static int skip_announcement(uint64_t *id)
{
    *id = 0;
    return ringer_device_skip_announcement(device);
}

static int light(uint64_t *id)
{
    int result = ringer_device_set_light(device, 100, 100);

    *id = 0;
    return result < 0 ? result : ringer_device_set_light(device, 0, 0);
}

static int activate(uint64_t *id)
{
    return ringer_session_activate(session, id);
}

static int deactivate(uint64_t *id)
{
    return ringer_session_deactivate(session, 1, id);
}

static const struct {
    const char *name;
    int (*begin)(uint64_t *id);
} kinds[] = {{"set the volume", set_volume}, {"activate", activate}, {"play samples", play_samples},
    {"play a file", play_file}, {"play in a session", play_in_session}, {"play a system sound", play_system_sound},
    {"notify", notify}, {"announce", announce}, {"alert", alert}, {"vibrate", vibrate}, {"detect", detect},
    {"play from a descriptor", play_from_a_descriptor}, {"pause and go on", pause_and_go_on},
    {"repeat an announcement", repeat_announcement}, {"pause announcements", pause_announcements},
    {"skip an announcement", skip_announcement}, {"register and dispose", register_and_dispose},
    {"set the preferences", set_preferences}, {"interrupt", interrupt}, {"light", light}, {"deactivate", deactivate},
    {"release the output", release_output}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void open_device(void)
{
    if (ringer_device_open(NULL, &device) < 0 ||
        ringer_session_new(device, "rounds", RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_MIX_WITH_OTHERS, 0, &session) < 0)
        fail("open");
}

static void close_device(void)
{
    ringer_session_free(session);
    ringer_device_close(device);
}

/* Waits for the end of a request. */
static int has_ended(uint64_t id)
{
    struct pollfd ready = {.fd = ringer_device_get_fd(device), .events = POLLIN};
    struct ringer_event event;

    for (;;) {
        int result = ringer_device_read_event(device, &event, sizeof event);

        if (result < 0 || (result == 0 && poll(&ready, 1, 20000) <= 0))
            return 0;
        if (result == 1 && event.id == id && event.type != RINGER_EVENT_SOUND_STARTED)
            return 1;
    }
}

/* Begins a request of a kind, and forks while it runs. */
static void fork_in(int kind)
{
    uint64_t id, another;
    int status;
    pid_t child;

    open_device();
    if (kinds[kind].begin(&id) < 0)
        fail(kinds[kind].name);
    child = fork();
    if (child == 0) {
        alarm(10);
        if (kinds[kind].begin(&another) != -ECHILD || ringer_device_stop(device, id) != -ECHILD ||
            ringer_device_stop_all(device) != -ECHILD)
            _exit(1);
        close_device();
        exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "rounds: %s: the child ended with the status %x\n", kinds[kind].name, (unsigned int)status);
        exit(1);
    }
    if (id != 0 && !has_ended(id))
        fail(kinds[kind].name);
    close_device();
}

struct usage {
    int descriptors, threads;
    size_t allocated;
};

static int entries(const char *process, const char *name)
{
    char path[64];
    int count = 0;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%s/%s", process, name);
    folder = opendir(path);
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static struct usage own_usage(void)
{
    struct mallinfo2 memory = mallinfo2();
    struct usage usage = {entries("self", "fd"), entries("self", "task"), memory.uordblks + memory.hblkhd};

    return usage;
}

static struct usage usage_of(const char *process, const char *path)
{
    struct usage usage = {entries(process, "fd"), entries(process, "task"), 0};
    FILE *fifo = fopen(path, "r");

    if (fifo == NULL || fscanf(fifo, "%zu", &usage.allocated) != 1)
        fail(path);
    fclose(fifo);
    return usage;
}

static void rest(void)
{
    struct timespec pause = {.tv_sec = 4};

    /* The PCM and the threads that were used last are kept for a while, longer on a busy machine. */
    nanosleep(&pause, NULL);
}

static int is_flat(const char *name, struct usage before, struct usage after)
{
    printf("%s: %d and %d descriptors, %d and %d threads, %zu and %zu bytes\n", name, before.descriptors, after.descriptors,
        before.threads, after.threads, before.allocated, after.allocated);
    return after.descriptors <= before.descriptors && after.threads <= before.threads &&
           after.allocated < before.allocated + LIMIT;
}

static void *read_events(void *unused)
{
    struct ringer_event event;

    while (ringer_device_read_event(device, &event, sizeof event) == 1)
        continue;
    return unused;
}

int main(int count, char **arguments)
{
    int rounds = count == 5 ? atoi(arguments[4]) : 0, flat = 0;
    struct usage own = {0}, service = {0};

    if (rounds < 10) {
        fprintf(stderr, "usage: rounds SOUND RINGERD FIFO ROUNDS\n");
        return 64;
    }
    sound = arguments[1];
    for (int kind = 0; kind < KINDS; kind++)
        fork_in(kind);
    for (int round = 0; round < rounds; round++) {
        pthread_t reader;
        uint64_t id;

        if (ringer_find_parts(NULL, 0, 0) < 0)
            fail("find parts");
        open_device();
        for (int kind = 0; kind < KINDS; kind++)
            if (kinds[kind].begin(&id) < 0)
                fail(kinds[kind].name);
        if (pthread_create(&reader, NULL, read_events, NULL) != 0)
            fail("pthread_create");
        pthread_join(reader, NULL);
        close_device();
        if (round == rounds / 2) {
            rest();
            own = own_usage();
            service = usage_of(arguments[2], arguments[3]);
        }
    }
    for (int tries = 0; tries < 30 && !flat; tries++) {
        rest();
        flat = is_flat("the program", own, own_usage()) & is_flat("ringerd", service, usage_of(arguments[2], arguments[3]));
    }
    if (!flat)
        fprintf(stderr, "rounds: not flat\n");
    return !flat;
}
