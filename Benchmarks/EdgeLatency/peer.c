/*
 * The C program beside Ringer's subscriber: reads the same events with libevdev or libgpiod, 1.6 or 2.x, and prints,
 * for each, the nanoseconds from the kernel's stamp until it has it. It prints its first line when it is ready.
 *
 *     peer evdev NAME           a switch of the input device of that name
 *     peer gpio CHIP OFFSET     the edges of a line
 *
 * With --hop before them another thread has it, as the firmware in Device.run: the one that reads wakes it with an eventfd.
 */
#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <inttypes.h>
#include <libevdev/libevdev.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

__attribute__((noinline)) static void tell(int64_t at)
{
    printf("%" PRId64 "\n", now() - at);
    fflush(stdout);
}

static _Atomic int64_t newest;
static int hop = -1; /* the eventfd, if there is another thread */

/* Called with each edge by the thread that reads. */
static void got(int64_t at)
{
    if (hop < 0) {
        tell(at);
    } else {
        atomic_store(&newest, at);
        eventfd_write(hop, 1);
    }
}

static void *tell_newest(void *unused)
{
    struct pollfd ready = {.fd = hop, .events = POLLIN};
    int64_t told = 0, at;
    eventfd_t count;
    while (poll(&ready, 1, -1) > 0) {
        /* The counter is read after tell(), as in Ringer's event loop; the second look finds an edge that came meanwhile. */
        while ((at = atomic_load(&newest)) != told)
            tell(told = at);
        eventfd_read(hop, &count);
        if ((at = atomic_load(&newest)) != told)
            tell(told = at);
    }
    return unused;
}

static int fail(const char *what)
{
    perror(what);
    return 1;
}

static int evdev(const char *name)
{
    struct libevdev *device = NULL;
    for (int number = 0; number < 32; number++) {
        char path[64];
        snprintf(path, sizeof path, "/dev/input/event%d", number);
        int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            continue;
        if (libevdev_new_from_fd(file, &device) == 0 && strcmp(libevdev_get_name(device), name) == 0)
            break;
        libevdev_free(device);
        device = NULL;
        close(file);
    }
    if (!device)
        return fail(name);
    libevdev_set_clock_id(device, CLOCK_MONOTONIC);
    tell(now());
    struct pollfd ready = {.fd = libevdev_get_fd(device), .events = POLLIN};
    while (poll(&ready, 1, -1) > 0) {
        struct input_event event;
        while (libevdev_next_event(device, LIBEVDEV_READ_FLAG_NORMAL, &event) == LIBEVDEV_READ_STATUS_SUCCESS)
            if (event.type == EV_SW)
                got(event.input_event_sec * INT64_C(1000000000) + event.input_event_usec * INT64_C(1000));
    }
    return fail("poll");
}

#ifdef GPIOD_LINE_BULK_MAX_LINES /* libgpiod 1.x */
static int gpio(const char *path, unsigned int offset)
{
    struct gpiod_chip *chip = gpiod_chip_open(path);
    struct gpiod_line *line = chip ? gpiod_chip_get_line(chip, offset) : NULL;
    if (!line || gpiod_line_request_both_edges_events(line, "peer") != 0)
        return fail(path);
    tell(now());
    while (gpiod_line_event_wait(line, NULL) > 0) {
        struct gpiod_line_event event;
        if (gpiod_line_event_read(line, &event) != 0)
            break;
        got(event.ts.tv_sec * INT64_C(1000000000) + event.ts.tv_nsec);
    }
    return fail("edges");
}
#else
static int gpio(const char *path, unsigned int offset)
{
    struct gpiod_chip *chip = gpiod_chip_open(path);
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_edge_event_buffer *buffer = gpiod_edge_event_buffer_new(16);
    if (!chip || !settings || !lines || !buffer)
        return fail(path);
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    gpiod_line_config_add_line_settings(lines, &offset, 1, settings);
    struct gpiod_line_request *request = gpiod_chip_request_lines(chip, NULL, lines);
    if (!request)
        return fail(path);
    tell(now());
    while (gpiod_line_request_wait_edge_events(request, -1) > 0) {
        int count = gpiod_line_request_read_edge_events(request, buffer, 16);
        if (count < 0)
            break;
        for (int index = 0; index < count; index++)
            got((int64_t)gpiod_edge_event_get_timestamp_ns(gpiod_edge_event_buffer_get_event(buffer, index)));
    }
    return fail("edges");
}
#endif

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "--hop") == 0) {
        pthread_t thread;
        hop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (hop < 0 || pthread_create(&thread, NULL, tell_newest, NULL) != 0)
            return fail("start a thread");
        count--;
        arguments++;
    }
    if (count == 3 && strcmp(arguments[1], "evdev") == 0)
        return evdev(arguments[2]);
    if (count == 4 && strcmp(arguments[1], "gpio") == 0)
        return gpio(arguments[2], (unsigned int)strtoul(arguments[3], NULL, 10));
    fprintf(stderr, "usage: peer [--hop] evdev NAME | peer [--hop] gpio CHIP OFFSET\n");
    return 64;
}
