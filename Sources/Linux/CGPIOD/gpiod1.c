// libgpiod 1.x. A line belongs to its chip and is released with it, so each request keeps a chip of its own.
#define _GNU_SOURCE
#include "CGPIOD.h"

#include <gpiod.h>

#ifdef GPIOD_LINE_BULK_MAX_LINES

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

struct ringer_gpio_chip {
    struct gpiod_chip *chip;
    char *path;
};

struct ringer_gpio_request {
    struct gpiod_chip *chip;
    struct gpiod_line *line;
    // Whether timestamps are of CLOCK_MONOTONIC. If not, or if it is not certain, each edge costs two readings of clocks.
    bool stamps_are_monotonic;
};

bool ringer_gpio_kernel_debounces(void) { return false; }

const char *ringer_gpio_library_version(void) { return gpiod_version_string(); }

ringer_gpio_chip *ringer_gpio_chip_open(const char *path) {
    ringer_gpio_chip *chip = malloc(sizeof *chip);
    if (!chip) return NULL;
    chip->path = strdup(path);
    chip->chip = chip->path ? gpiod_chip_open(path) : NULL;
    if (chip->chip) return chip;
    int reason = errno;
    free(chip->path);
    free(chip);
    errno = reason;
    return NULL;
}

void ringer_gpio_chip_close(ringer_gpio_chip *chip) {
    gpiod_chip_close(chip->chip);
    free(chip->path);
    free(chip);
}

const char *ringer_gpio_chip_name(ringer_gpio_chip *chip) { return gpiod_chip_name(chip->chip); }

const char *ringer_gpio_chip_label(ringer_gpio_chip *chip) { return gpiod_chip_label(chip->chip); }

int ringer_gpio_chip_find_line(ringer_gpio_chip *chip, const char *name) {
    struct gpiod_line *line = gpiod_chip_find_line(chip->chip, name);
    return line ? (int)gpiod_line_offset(line) : -1;
}

int ringer_gpio_chip_consumer(ringer_gpio_chip *chip, unsigned int offset, char *consumer, size_t size) {
    struct gpiod_line *line = gpiod_chip_get_line(chip->chip, offset);
    // The library reads the line's information once, and caches it.
    if (!line || gpiod_line_update(line) == -1) return -1;
    const char *name = gpiod_line_consumer(line);
    snprintf(consumer, size, "%s", name ? name : "");
    return 0;
}

static ringer_gpio_request *request(ringer_gpio_chip *chip, unsigned int offset, int type, int flags) {
    ringer_gpio_request *request = calloc(1, sizeof *request);
    if (!request) return NULL;
    struct utsname kernel;
    request->stamps_are_monotonic = uname(&kernel) == 0 && ringer_gpio_stamps_are_monotonic(kernel.release);
    struct gpiod_line_request_config config = {.consumer = "ringer", .request_type = type, .flags = flags};
    int reason;
    request->chip = gpiod_chip_open(chip->path);
    if (!request->chip) goto failed;
    request->line = gpiod_chip_get_line(request->chip, offset);
    if (request->line && gpiod_line_request(request->line, &config, 0) == 0) return request;
failed:
    reason = errno;
    if (request->chip) gpiod_chip_close(request->chip);
    free(request);
    errno = reason;
    return NULL;
}

ringer_gpio_request *ringer_gpio_request_input(ringer_gpio_chip *chip, unsigned int offset,
                                               const ringer_gpio_input *input) {
    int flags = input->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    switch (input->bias) {
        case RINGER_GPIO_BIAS_AS_IS: break;
        case RINGER_GPIO_BIAS_PULL_UP: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP; break;
        case RINGER_GPIO_BIAS_PULL_DOWN: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN; break;
        case RINGER_GPIO_BIAS_DISABLED: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE; break;
    }
    return request(chip, offset, GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES, flags);
}

ringer_gpio_request *ringer_gpio_request_output(ringer_gpio_chip *chip, unsigned int offset, bool active_low) {
    int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    return request(chip, offset, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT, flags);
}

void ringer_gpio_request_release(ringer_gpio_request *request) {
    // Closing the chip releases its lines.
    gpiod_chip_close(request->chip);
    free(request);
}

int ringer_gpio_request_fd(ringer_gpio_request *request) { return gpiod_line_event_get_fd(request->line); }

int ringer_gpio_request_get(ringer_gpio_request *request) { return gpiod_line_get_value(request->line); }

int ringer_gpio_request_set(ringer_gpio_request *request, bool active) {
    return gpiod_line_set_value(request->line, active);
}

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t edge_time(ringer_gpio_request *request, struct timespec stamp) {
    int64_t at = stamp.tv_sec * INT64_C(1000000000) + stamp.tv_nsec;
    if (request->stamps_are_monotonic) return at;
    return ringer_gpio_edge_time(at, now(CLOCK_MONOTONIC), now(CLOCK_REALTIME));
}

int ringer_gpio_request_read(ringer_gpio_request *request, ringer_gpio_edge *edges) {
    struct gpiod_line_event events[RINGER_GPIO_EDGES];
    int count = gpiod_line_event_read_multiple(request->line, events, RINGER_GPIO_EDGES);
    for (int index = 0; index < count; index++) {
        edges[index].at = edge_time(request, events[index].ts);
        edges[index].sequence = 0;
        edges[index].active = events[index].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
    }
    return count;
}

#endif
