#include "CLabSupport.h"

#include <errno.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

int lab_input_name(int fd, char *name, size_t size)
{
    return ioctl(fd, EVIOCGNAME(size), name);
}

int lab_input_use_monotonic_clock(int fd)
{
    int clock = CLOCK_MONOTONIC;
    return ioctl(fd, EVIOCSCLOCKID, &clock);
}

int64_t lab_input_time(const struct input_event *event)
{
    return (int64_t)event->input_event_sec * 1000000 + event->input_event_usec;
}

int lab_input_switch(int fd, unsigned int code)
{
    unsigned char states[SW_CNT / 8 + 1] = {0};
    if (ioctl(fd, EVIOCGSW(sizeof states), states) < 0)
        return -1;
    return states[code / 8] >> (code % 8) & 1;
}

int lab_input_axis(int fd, unsigned int code, int32_t *value)
{
    struct input_absinfo information;
    if (ioctl(fd, EVIOCGABS(code), &information) < 0)
        return -1;
    *value = information.value;
    return 0;
}

int lab_input_upload_rumble(int fd, uint16_t strong, uint16_t weak, uint16_t milliseconds)
{
    struct ff_effect effect = {
        .type = FF_RUMBLE,
        .id = -1,
        .replay.length = milliseconds,
        .u.rumble = {.strong_magnitude = strong, .weak_magnitude = weak},
    };
    if (ioctl(fd, EVIOCSFF, &effect) < 0)
        return -1;
    return effect.id;
}

int lab_uinput_enable(int fd, unsigned int type, unsigned int code)
{
    if (ioctl(fd, UI_SET_EVBIT, type) < 0)
        return -1;
    switch (type) {
    case EV_KEY:
        return ioctl(fd, UI_SET_KEYBIT, code);
    case EV_ABS:
        return ioctl(fd, UI_SET_ABSBIT, code);
    case EV_SW:
        return ioctl(fd, UI_SET_SWBIT, code);
    case EV_FF:
        return ioctl(fd, UI_SET_FFBIT, code);
    default:
        errno = EINVAL;
        return -1;
    }
}

int lab_uinput_set_axis(int fd, unsigned int code, int32_t minimum, int32_t maximum, int32_t value)
{
    struct uinput_abs_setup setup = {
        .code = code, .absinfo = {.minimum = minimum, .maximum = maximum, .value = value}};
    return ioctl(fd, UI_ABS_SETUP, &setup);
}

int lab_uinput_create(int fd, const char *name, unsigned int effects)
{
    struct uinput_setup setup = {.id.bustype = BUS_VIRTUAL, .ff_effects_max = effects};
    snprintf(setup.name, sizeof setup.name, "%s", name);
    if (ioctl(fd, UI_DEV_SETUP, &setup) < 0)
        return -1;
    return ioctl(fd, UI_DEV_CREATE);
}

int lab_uinput_system_name(int fd, char *name, size_t size)
{
    return ioctl(fd, UI_GET_SYSNAME(size), name);
}

int lab_uinput_destroy(int fd)
{
    return ioctl(fd, UI_DEV_DESTROY);
}

int lab_uinput_emit(int fd, unsigned int type, unsigned int code, int32_t value)
{
    struct input_event event = {.type = type, .code = code, .value = value};
    return write(fd, &event, sizeof event) == sizeof event ? 0 : -1;
}

int lab_uinput_begin_upload(int fd, uint32_t request, struct uinput_ff_upload *upload)
{
    *upload = (struct uinput_ff_upload){.request_id = request};
    return ioctl(fd, UI_BEGIN_FF_UPLOAD, upload);
}

int lab_uinput_end_upload(int fd, struct uinput_ff_upload *upload, int result)
{
    upload->retval = result;
    return ioctl(fd, UI_END_FF_UPLOAD, upload);
}

int lab_uinput_begin_erase(int fd, uint32_t request, struct uinput_ff_erase *erase)
{
    *erase = (struct uinput_ff_erase){.request_id = request};
    return ioctl(fd, UI_BEGIN_FF_ERASE, erase);
}

int lab_uinput_end_erase(int fd, struct uinput_ff_erase *erase)
{
    erase->retval = 0;
    return ioctl(fd, UI_END_FF_ERASE, erase);
}

void lab_set_file_user(unsigned int user)
{
    setfsuid(user);
}

__attribute__((weak)) void failing_calls_begin(int number, int times, int error);
__attribute__((weak)) int failing_calls_end(void);
__attribute__((weak)) int failing_calls_failed(void);
__attribute__((weak)) int failing_calls_endless(void);
__attribute__((weak)) const char *failing_calls_description(void);
__attribute__((weak)) void failing_calls_spare(int change);

int lab_calls_can_fail(void) { return failing_calls_begin != NULL; }

void lab_calls_begin(int number, int times, int error)
{
    if (failing_calls_begin) failing_calls_begin(number, times, error);
}

int lab_calls_end(void) { return failing_calls_end ? failing_calls_end() : 0; }
int lab_calls_failed(void) { return failing_calls_failed ? failing_calls_failed() : 0; }
int lab_calls_endless(void) { return failing_calls_endless ? failing_calls_endless() : 0; }
const char *lab_calls_description(void) { return failing_calls_description ? failing_calls_description() : ""; }

void lab_calls_spare(int change)
{
    if (failing_calls_spare) failing_calls_spare(change);
}
