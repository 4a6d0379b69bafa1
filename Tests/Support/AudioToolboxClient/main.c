/*
 * A program under Apple's names.
 *
 *     audiotoolbox-client simulated ring|silent FOLDER    on a simulated board, in virtual time
 *     audiotoolbox-client FOLDER                          on the process's device
 *     audiotoolbox-client callbacks                       on the process's device, whose callbacks have a thread
 *     audiotoolbox-client no-device                       callbacks of a process whose device cannot be opened
 *     audiotoolbox-client fork                            on the process's device, which a child of fork has not
 *     audiotoolbox-client signals                         on a device of its own and on the process's: what SIGTERM does
 *     audiotoolbox-client run-loop                        the same, whose callbacks stop the run loop
 *     audiotoolbox-client left-loop                       the same, where the run loop ran once and the program sleeps
 *     audiotoolbox-client foundation                      Core Foundation's objects
 *     audiotoolbox-client sizes PROPERTY...               the sizes of the session's properties of these codes
 *     audiotoolbox-client threads ROUNDS FOLDER           every function from 8 threads
 */
#include <AudioToolbox/AudioToolbox.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <ringer-audiotoolbox.h>
#include <ringer.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

bool client_times_are_exact;
static struct ringer_device *device;
static double simulated_time;

double client_time(void)
{
    struct timespec time;

    if (device)
        return simulated_time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

bool client_wait(const volatile bool *is_done)
{
    struct pollfd descriptor = {.fd = -1, .events = POLLIN};
    double end = client_time() + 10;

    if (!device) {
        /* Callbacks run on this thread, in the run loop. */
        while (!*is_done && CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, true) == kCFRunLoopRunHandledSource)
            ;
        return *is_done;
    }
    descriptor.fd = ringer_callbacks_get_fd();
    for (;;) {
        if (poll(&descriptor, 1, 0) == 1 && ringer_callbacks_dispatch() == 0)
            printf("the descriptor is readable without a callback\n");
        if (*is_done || client_time() >= end)
            return *is_done;
        ringer_simulated_advance(device, 1000);
        simulated_time += 0.001;
    }
}

bool client_wait_still(const volatile bool *is_done)
{
    struct pollfd descriptor = {.fd = -1, .events = POLLIN};

    if (!device)
        return client_wait(is_done);
    descriptor.fd = ringer_callbacks_get_fd();
    while (!*is_done && poll(&descriptor, 1, 60000) == 1)
        ringer_callbacks_dispatch();
    return *is_done;
}

bool client_plug_headphones(void)
{
    if (device)
        return ringer_simulated_set_headphone(device, 1) == 0;
    if (!getenv("RINGER_LAB"))
        return false;
    /* The laboratory's test does it. */
    printf("plug headphones in\n");
    fflush(stdout);
    return true;
}

bool client_interrupt(bool begins)
{
    static uint64_t interruption;

    if (!device)
        return false;
    return (begins ? ringer_device_begin_interruption(device, &interruption)
                   : ringer_device_end_interruption(device, interruption, 1)) == 0;
}

static int simulate(const char *position, const char *folder)
{
    struct ringer_config *config = ringer_config_new();
    int result;

    if (ringer_config_set_board(config, RINGER_BOARD_SIMULATED) < 0 || ringer_device_open(config, &device) < 0 ||
        ringer_simulated_set_position(
            device, strcmp(position, "ring") == 0 ? RINGER_POSITION_RING : RINGER_POSITION_SILENT) < 0 ||
        ringer_audiotoolbox_open(device) < 0) {
        fprintf(stderr, "%s\n", ringer_last_error());
        return 1;
    }
    ringer_config_free(config);
    client_times_are_exact = true;
    result = client_run(folder);
    printf("recordings: %d\n", ringer_simulated_get_recordings(device, NULL, 0, 0));
    ringer_device_close(device);
    printf("closed: %d\n", (int)AudioServicesDisposeSystemSoundID(4096));
    return result;
}

/* MARK: the callbacks' thread */

static sem_t called;
static pthread_t callback_threads[2];

static void note_thread(void *context)
{
    *(pthread_t *)context = pthread_self();
    sem_post(&called);
}

static int run_callbacks(void)
{
    sem_init(&called, 0, 0);
    for (int index = 0; index < 2; index++) {
        AudioServicesPlaySystemSoundWithCompletion_f(
            index == 0 ? kSystemSoundID_Vibrate : 1, note_thread, &callback_threads[index]);
        sem_wait(&called);
    }
    printf("on one thread: %d, on this: %d\n", !!pthread_equal(callback_threads[0], callback_threads[1]),
        !!pthread_equal(callback_threads[0], pthread_self()));
    return 0;
}

/* MARK: without a device */

static pthread_mutex_t in_callback = PTHREAD_MUTEX_INITIALIZER;
static int overlaps;

static void note_overlap(void *context)
{
    (void)context;
    if (pthread_mutex_trylock(&in_callback) != 0) {
        overlaps++;
    } else {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        pthread_mutex_unlock(&in_callback);
    }
    sem_post(&called);
}

static int run_without_device(void)
{
    sem_init(&called, 0, 0);
    for (int index = 0; index < 50; index++)
        AudioServicesPlaySystemSoundWithCompletion_f(1005, note_overlap, NULL);
    for (int index = 0; index < 50; index++)
        sem_wait(&called);
    printf("callbacks at once: %d\n", overlaps);
    return 0;
}

/* MARK: fork */

static void *wait_for_completion(void *context)
{
    AudioServicesPlaySystemSoundWithCompletion_f(kSystemSoundID_Vibrate, note_thread, &callback_threads[0]);
    sem_wait(&called);
    printf("called back: %d\n", ringer_callbacks_dispatch() == 0);
    return context;
}

static int run_fork(void)
{
    pthread_t thread;
    struct pollfd callbacks = {.events = POLLIN};
    SystemSoundID sound;
    int status;
    pid_t child;

    if (ringer_audiotoolbox_open(NULL) < 0 || ringer_callbacks_get_fd() < 0 ||
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false) != kCFRunLoopRunTimedOut)
        return 1;
    callbacks.fd = ringer_callbacks_get_fd();
    sem_init(&called, 0, 0);
    /* The device's threads have begun, and rest: one that holds a lock of Swift's at the fork leaves it held in the child. */
    AudioServicesPlaySystemSoundWithCompletion_f(kSystemSoundID_Vibrate, note_thread, &callback_threads[0]);
    if (poll(&callbacks, 1, -1) != 1 || ringer_callbacks_dispatch() != 1)
        return 1;
    sem_wait(&called);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(60);
        printf("in a child: %d %d %d\n", (int)AudioServicesCreateSystemSoundID(NULL, &sound),
            ringer_audiotoolbox_open(NULL) == -ECHILD, ringer_callbacks_get_fd() == -ECHILD);
        /* On a thread of its own: Swift's locks take this one for the parent's. */
        pthread_create(&thread, NULL, wait_for_completion, NULL);
        pthread_join(thread, NULL);
        CFRunLoopStop(CFRunLoopGetMain());
        ringer_audiotoolbox_close();
        fflush(stdout);
        execl("/no/such/program", "program", (char *)NULL);
        exit(127);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("the child: signal %d\n", WTERMSIG(status));
    else
        printf("the child: status %d\n", WEXITSTATUS(status));
    printf("its parent: %d, %d, %d\n", (int)AudioSessionInitialize(NULL, NULL, NULL, NULL),
        (int)CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false), poll(&callbacks, 1, 0));
    return 0;
}

/* MARK: signals */

static int is_handled(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
}

static int run_signals(void)
{
    struct ringer_device *device;

    if (ringer_device_open(NULL, &device) < 0 || ringer_audiotoolbox_open(device) < 0)
        return 1;
    AudioServicesPlaySystemSound(kSystemSoundID_Vibrate);
    printf("with a device of the program's: %d\n", is_handled(SIGTERM));
    ringer_audiotoolbox_close();
    ringer_device_close(device);
    AudioServicesPlaySystemSound(kSystemSoundID_Vibrate);
    printf("with one of the library's: %d\n", is_handled(SIGTERM));
    return 0;
}

/* MARK: the run loop */

static void stop_loop(SystemSoundID sound, void *clientData)
{
    AudioServicesRemoveSystemSoundCompletion(sound);
    CFRelease(clientData);
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static int run_loop(void)
{
    CFStringRef name = CFStringCreateWithCString(NULL, "name", kCFStringEncodingUTF8);

    /* As Apple's own example of this interface: the completion ends the program. */
    AudioServicesAddSystemSoundCompletion(kSystemSoundID_Vibrate, NULL, NULL, stop_loop, (void *)CFRetain(name));
    AudioServicesPlaySystemSound(kSystemSoundID_Vibrate);
    CFRunLoopRun();
    printf("references left: %ld\n", CFGetRetainCount(name));
    CFRelease(name);
    CFRunLoopStop(CFRunLoopGetMain());
    printf("stopped before: %d\n", (int)CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, false));
    printf("timed out: %d\n", (int)CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false));
    return 0;
}

static void note_call(SystemSoundID sound, void *clientData)
{
    (void)sound, (void)clientData;
    sem_post(&called);
}

static int leave_loop(void)
{
    struct timespec end;

    sem_init(&called, 0, 0);
    printf("ran: %d\n", (int)CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false));
    AudioServicesAddSystemSoundCompletion(kSystemSoundID_Vibrate, NULL, NULL, note_call, NULL);
    AudioServicesPlaySystemSound(kSystemSoundID_Vibrate);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    printf("called: %d\n", sem_timedwait(&called, &end) == 0);
    return 0;
}

static int show_sizes(char **properties)
{
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    for (; *properties; properties++) {
        UInt32 property = (UInt32)strtoul(*properties, NULL, 10), size = 0, room = 64;
        UInt64 data[8];
        OSStatus result = AudioSessionGetPropertySize(property, &size);
        OSStatus reading = AudioSessionGetProperty(property, &room, data);

        if (reading == 0 && room != size)
            printf("%s reads %u\n", *properties, room);
        printf("%s %d %u %s\n", *properties, (int)result, size, reading == 0 ? "readable" : "unreadable");
    }
    return 0;
}

/* What runs by its name alone. */
static const struct {
    const char *name;
    int (*run)(void);
} parts[] = {
    {"callbacks", run_callbacks},
    {"no-device", run_without_device},
    {"fork", run_fork},
    {"signals", run_signals},
    {"run-loop", run_loop},
    {"left-loop", leave_loop},
    {"foundation", client_run_foundation},
};

static int run(int count, char **arguments)
{
    if (count == 4 && strcmp(arguments[1], "simulated") == 0)
        return simulate(arguments[2], arguments[3]);
    if (count == 4 && strcmp(arguments[1], "threads") == 0)
        return client_run_threads((unsigned int)strtoul(arguments[2], NULL, 10), arguments[3]);
    for (unsigned int i = 0; count == 2 && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(arguments[1], parts[i].name) == 0)
            return parts[i].run();
    if (count > 2 && strcmp(arguments[1], "sizes") == 0)
        return show_sizes(arguments + 2);
    if (count != 2)
        return 64;
    if (ringer_audiotoolbox_open(NULL) < 0) {
        fprintf(stderr, "%s\n", ringer_last_error());
        return 1;
    }
    return client_run(arguments[1]);
}

int main(int count, char **arguments)
{
    int status = run(count, arguments);

    ringer_audiotoolbox_close();
    return status;
}
