/*
 * What the children of a program's fork see of its device, on the board that the environment names, and what the program sees
 * of it afterwards. A child that hangs ends by SIGALRM, 14.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ringer.h>

#include "client.h"

static struct ringer_device *device;
static struct ringer_session *session;
static const int16_t samples[4800];
/* A child closes it when a signal may come. */
static int ready;
/* How a child is made. */
static pid_t (*make_child)(void) = fork;
static int handler_was_refused;

/* Runs before the handlers of libraries that were initialised, or loaded, later. */
static void handle_fork(void)
{
    struct ringer_event event;

    if (device == NULL)
        return;
    /* As in run(), for a child that hangs here already. */
    alarm(60);
    handler_was_refused = ringer_device_read_event(device, &event, sizeof event) == -ECHILD;
}

/* Those of libringer have no such priority. */
__attribute__((constructor(101))) static void register_handler(void)
{
    pthread_atfork(NULL, NULL, handle_fork);
}

/* What a child of _Fork() may do, where other threads may hold locks. */
static void read_an_event(void)
{
    struct ringer_event event;

    _exit(ringer_device_read_event(device, &event, sizeof event) == -ECHILD ? 0 : 1);
}

/* Uses the parent's device, and ends in order. */
static void use_it(void)
{
    struct ringer_event event;
    int result = client_play(device, NULL, samples, 4800, 0, NULL);

    printf("%s: %s\n", result == -ECHILD ? "ECHILD" : "another result", ringer_last_error());
    printf("others: %d %d %d %d\n", ringer_device_stop_all(device) == -ECHILD,
        ringer_device_read_event(device, &event, sizeof event) == -ECHILD, ringer_session_activate(session, NULL) == -ECHILD,
        ringer_device_close_on_termination(device) == -ECHILD);
    printf("the first handler of fork: %d\n", handler_was_refused);
    ringer_session_free(session);
    ringer_device_close(device);
    exit(0);
}

static void wait_for_a_signal(void)
{
    close(ready);
    for (;;)
        pause();
}

static void fail_to_execute(void)
{
    execl("/no/such/program", "program", (char *)NULL);
    exit(127);
}

/* Has a device of its own, which the signal closes. */
static void open_another(void)
{
    struct ringer_config *config = ringer_config_new();
    struct ringer_device *own;

    if (ringer_config_set_board(config, RINGER_BOARD_SIMULATED) < 0 || ringer_device_open(config, &own) < 0 ||
        ringer_device_close_on_termination(own) < 0 ||
        client_play(own, NULL, samples, 4800, 0, NULL) < 0)
        printf("its own: %s\n", ringer_last_error());
    wait_for_a_signal();
}

/* Runs a function in a child, which gets a signal if there is one, and prints how the child ends. */
static void run(const char *what, void (*function)(void), int number)
{
    int status, ends[2];
    char byte;
    pid_t child;

    fflush(stdout);
    if (pipe(ends) < 0)
        exit(1);
    child = make_child();
    if (child == 0) {
        alarm(60);
        close(ends[0]);
        ready = ends[1];
        function();
    }
    close(ends[1]);
    /* The end of the pipe: the child is ready, or over. */
    if (read(ends[0], &byte, 1) == 0 && number != 0)
        kill(child, number);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("%s: signal %d\n", what, WTERMSIG(status));
    else
        printf("%s: status %d\n", what, WEXITSTATUS(status));
}

/* How many threads of the process, besides this one, do not wait for anything. */
static int count_busy_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    char path[300], text[64];
    int count = 0;

    while (folder && (entry = readdir(folder))) {
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == gettid() || !(file = fopen(path, "r")))
            continue;
        /* The thread's number, its name in brackets, and its state. */
        if (fgets(text, sizeof text, file) && strrchr(text, ')'))
            count += strrchr(text, ')')[2] != 'S';
        fclose(file);
    }
    if (folder)
        closedir(folder);
    return count;
}

int client_fork(void)
{
    static const uint32_t pattern[] = {400, 200};
    struct ringer_event event;
    uint64_t vibration;
    int has_motor;

    if (ringer_device_open(NULL, &device) < 0 ||
        ringer_session_new(device, "fork", RINGER_CATEGORY_PLAYBACK, 0, RINGER_PRIORITY_ORDINARY, &session) < 0 ||
        ringer_device_close_on_termination(device) < 0) {
        printf("%s\n", ringer_last_error());
        return 1;
    }
    /*
     * The device's threads have done once what they do meanwhile: a lock of the Swift library that one holds when it does
     * something for the first time stays held in a child.
     */
    if (client_play(device, NULL, samples, 4800, 0, NULL) == 0)
        client_wait_for(device, RINGER_EVENT_SOUND_ENDED, &event);
    has_motor = ringer_device_vibrate(device, pattern, 2, 1, 0, &vibration) == 0;
    while (count_busy_threads() > 0)
        usleep(1000);
    run("a child that uses the device", use_it, 0);
    run("a child that gets SIGTERM", wait_for_a_signal, SIGTERM);
    run("a child that cannot execute a program", fail_to_execute, 0);
    run("a child with a device of its own", open_another, SIGTERM);
    make_child = _Fork;
    run("a child of _Fork", read_an_event, 0);

    /* A closed device refuses this. */
    printf("the device is open: %d\n", ringer_device_close_on_termination(device) == 0);
    ringer_device_set_screen_locked(device, 1);
    do {
        if (client_wait_for(device, RINGER_EVENT_STATE, &event) < 0) {
            printf("no event\n");
            return 1;
        }
    } while (!event.u.state.screen_locked);
    printf("the screen is locked\n");
    if (has_motor) {
        ringer_device_stop(device, vibration);
        if (client_wait_for(device, RINGER_EVENT_VIBRATION_ENDED, &event) == 0)
            printf("the vibration ended: %d\n", event.u.result.outcome == RINGER_OUTCOME_STOPPED);
    }
    ringer_session_free(session);
    ringer_device_close(device);
    return 0;
}
