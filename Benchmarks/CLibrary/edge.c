/*
 * Prints, for each edge of a switch, the nanoseconds from the kernel's stamp until poll has returned in the main thread:
 *
 *     edge ringer NAME      the switch of the input device of that name, by libringer
 *     edge plain NAME       the same in C alone: a thread reads the device and hands the edge over by an eventfd
 *
 * The first line says that it is ready. Benchmarks/EdgeLatency/flip.c makes the devices.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libevdev/libevdev.h>
#include <poll.h>
#include <pthread.h>
#include <ringer.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static struct libevdev *input;
static int handed_over;
static atomic_llong edge_at;

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Not inlined: what counts instructions looks for its name. */
__attribute__((noinline)) static void tell(int64_t nanoseconds)
{
    printf("%" PRId64 "\n", nanoseconds);
    fflush(stdout);
}

static int ringer(const char *name)
{
    struct ringer_config *config = ringer_config_new();
    struct ringer_device *device;
    struct ringer_event event;
    struct pollfd ready = {.events = POLLIN};
    char specification[128];

    snprintf(specification, sizeof specification, "evdev:auto,name=%s", name);
    if (ringer_config_set_board(config, RINGER_BOARD_HARDWARE) < 0 ||
        ringer_config_set_switch(config, specification) < 0 || ringer_device_open(config, &device) < 0) {
        fprintf(stderr, "edge: %s\n", ringer_last_error());
        return 1;
    }
    ready.fd = ringer_device_get_fd(device);
    /* The first event is the state. */
    ringer_device_read_event(device, &event, sizeof event);
    tell(0);
    while (poll(&ready, 1, -1) > 0) {
        int64_t woken_at = now();

        while (ringer_device_read_event(device, &event, sizeof event) == 1)
            if (event.type == RINGER_EVENT_STATE)
                tell(woken_at - event.u.state.position_at);
    }
    return 1;
}

static void *read_input(void *unused)
{
    struct pollfd ready = {.fd = libevdev_get_fd(input), .events = POLLIN};
    struct input_event event;
    uint64_t one = 1;

    (void)unused;
    while (poll(&ready, 1, -1) > 0)
        while (libevdev_next_event(input, LIBEVDEV_READ_FLAG_NORMAL, &event) == LIBEVDEV_READ_STATUS_SUCCESS)
            if (event.type == EV_SW) {
                edge_at = event.input_event_sec * INT64_C(1000000000) + event.input_event_usec * INT64_C(1000);
                if (write(handed_over, &one, sizeof one) < 0)
                    return NULL;
            }
    return NULL;
}

static int plain(const char *name)
{
    struct pollfd ready = {.events = POLLIN};
    pthread_t thread;
    uint64_t count;

    for (int number = 0; number < 32 && !input; number++) {
        char path[64];
        int file;

        snprintf(path, sizeof path, "/dev/input/event%d", number);
        file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            continue;
        if (libevdev_new_from_fd(file, &input) == 0 && strcmp(libevdev_get_name(input), name) != 0) {
            libevdev_free(input);
            input = NULL;
            close(file);
        }
    }
    if (!input) {
        fprintf(stderr, "edge: no input device is called %s\n", name);
        return 1;
    }
    libevdev_set_clock_id(input, CLOCK_MONOTONIC);
    ready.fd = handed_over = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_create(&thread, NULL, read_input, NULL);
    tell(0);
    while (poll(&ready, 1, -1) > 0) {
        int64_t woken_at = now();

        if (read(handed_over, &count, sizeof count) == sizeof count)
            tell(woken_at - edge_at);
    }
    return 1;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "ringer") == 0)
        return ringer(arguments[2]);
    if (count == 3 && strcmp(arguments[1], "plain") == 0)
        return plain(arguments[2]);
    fprintf(stderr, "usage: edge ringer|plain NAME\n");
    return 64;
}
