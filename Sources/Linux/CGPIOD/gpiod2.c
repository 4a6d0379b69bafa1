// libgpiod 2.x.
#define _GNU_SOURCE
#include "CGPIOD.h"

#include <gpiod.h>

#ifndef GPIOD_LINE_BULK_MAX_LINES

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct ringer_gpio_chip {
    struct gpiod_chip *chip;
    struct gpiod_chip_info *info;
};

struct ringer_gpio_request {
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *buffer;
    unsigned int offset;
};

bool ringer_gpio_kernel_debounces(void) { return true; }

const char *ringer_gpio_library_version(void) { return gpiod_api_version(); }

ringer_gpio_chip *ringer_gpio_chip_open(const char *path) {
    ringer_gpio_chip *chip = calloc(1, sizeof *chip);
    if (!chip) return NULL;
    chip->chip = gpiod_chip_open(path);
    if (chip->chip) chip->info = gpiod_chip_get_info(chip->chip);
    if (chip->info) return chip;
    int reason = errno;
    if (chip->chip) gpiod_chip_close(chip->chip);
    free(chip);
    errno = reason;
    return NULL;
}

void ringer_gpio_chip_close(ringer_gpio_chip *chip) {
    gpiod_chip_info_free(chip->info);
    gpiod_chip_close(chip->chip);
    free(chip);
}

const char *ringer_gpio_chip_name(ringer_gpio_chip *chip) { return gpiod_chip_info_get_name(chip->info); }

const char *ringer_gpio_chip_label(ringer_gpio_chip *chip) { return gpiod_chip_info_get_label(chip->info); }

int ringer_gpio_chip_find_line(ringer_gpio_chip *chip, const char *name) {
    return gpiod_chip_get_line_offset_from_name(chip->chip, name);
}

int ringer_gpio_chip_consumer(ringer_gpio_chip *chip, unsigned int offset, char *consumer, size_t size) {
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip->chip, offset);
    if (!info) return -1;
    const char *name = gpiod_line_info_get_consumer(info);
    snprintf(consumer, size, "%s", name ? name : "");
    gpiod_line_info_free(info);
    return 0;
}

static ringer_gpio_request *request(ringer_gpio_chip *chip, unsigned int offset,
                                    struct gpiod_line_settings *settings, size_t queue) {
    ringer_gpio_request *request = calloc(1, sizeof *request);
    struct gpiod_line_config *line = gpiod_line_config_new();
    struct gpiod_request_config *config = gpiod_request_config_new();
    bool made = false;
    if (request && line && config) {
        request->offset = offset;
        gpiod_request_config_set_consumer(config, "ringer");
        if (queue) {
            gpiod_request_config_set_event_buffer_size(config, queue);
            /* libgpiod clears the whole buffer before each read: a small one. */
            request->buffer = gpiod_edge_event_buffer_new(RINGER_GPIO_EDGES);
        }
        if ((!queue || request->buffer) && gpiod_line_config_add_line_settings(line, &offset, 1, settings) == 0) {
            request->request = gpiod_chip_request_lines(chip->chip, config, line);
            made = request->request != NULL;
        }
    }
    int reason = errno;
    gpiod_request_config_free(config);
    gpiod_line_config_free(line);
    if (!made && request) {
        gpiod_edge_event_buffer_free(request->buffer);
        free(request);
    }
    errno = reason;
    return made ? request : NULL;
}

static enum gpiod_line_bias bias(ringer_gpio_bias bias) {
    switch (bias) {
        case RINGER_GPIO_BIAS_AS_IS: return GPIOD_LINE_BIAS_AS_IS;
        case RINGER_GPIO_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
        case RINGER_GPIO_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
        case RINGER_GPIO_BIAS_DISABLED: return GPIOD_LINE_BIAS_DISABLED;
    }
    return GPIOD_LINE_BIAS_AS_IS;
}

ringer_gpio_request *ringer_gpio_request_input(ringer_gpio_chip *chip, unsigned int offset,
                                               const ringer_gpio_input *input) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings) return NULL;
    ringer_gpio_request *result = NULL;
    if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT) == 0 &&
        gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH) == 0 &&
        gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC) == 0 &&
        gpiod_line_settings_set_bias(settings, bias(input->bias)) == 0) {
        gpiod_line_settings_set_active_low(settings, input->active_low);
        gpiod_line_settings_set_debounce_period_us(settings, input->debounce);
        result = request(chip, offset, settings, 64);
    }
    int reason = errno;
    gpiod_line_settings_free(settings);
    errno = reason;
    return result;
}

ringer_gpio_request *ringer_gpio_request_output(ringer_gpio_chip *chip, unsigned int offset, bool active_low) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings) return NULL;
    ringer_gpio_request *result = NULL;
    if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) == 0 &&
        gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE) == 0) {
        gpiod_line_settings_set_active_low(settings, active_low);
        result = request(chip, offset, settings, 0);
    }
    int reason = errno;
    gpiod_line_settings_free(settings);
    errno = reason;
    return result;
}

void ringer_gpio_request_release(ringer_gpio_request *request) {
    gpiod_line_request_release(request->request);
    gpiod_edge_event_buffer_free(request->buffer);
    free(request);
}

int ringer_gpio_request_fd(ringer_gpio_request *request) { return gpiod_line_request_get_fd(request->request); }

int ringer_gpio_request_get(ringer_gpio_request *request) {
    return gpiod_line_request_get_value(request->request, request->offset);
}

int ringer_gpio_request_set(ringer_gpio_request *request, bool active) {
    return gpiod_line_request_set_value(request->request, request->offset,
                                        active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

int ringer_gpio_request_read(ringer_gpio_request *request, ringer_gpio_edge *edges) {
    int count = gpiod_line_request_read_edge_events(request->request, request->buffer, RINGER_GPIO_EDGES);
    for (int index = 0; index < count; index++) {
        struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(request->buffer, (unsigned long)index);
        edges[index].at = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
        edges[index].sequence = (uint32_t)gpiod_edge_event_get_line_seqno(event);
        edges[index].active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
    }
    return count;
}

#endif
