#ifndef RINGER_CEVDEV_SHIM_H
#define RINGER_CEVDEV_SHIM_H

#include <errno.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

// Newer than the headers of some distributions. The kernel passes on codes that it has no name for.
#ifndef ABS_SND_PROFILE
#define ABS_SND_PROFILE 0x22
#endif

/// Sets the clock of the device's timestamps to CLOCK_MONOTONIC, and drops events queued with timestamps of another
/// clock. Returns 0, or -1 with errno. The corresponding C function is `ioctl` with `EVIOCSCLOCKID`.
static inline int ringer_evdev_use_monotonic_clock(int fd) {
    int clock = CLOCK_MONOTONIC;
    struct input_event events[64];
    // Empty the queue first: the kernel replaces its contents by a SYN_DROPPED, which is delivered only with the next
    // event.
    while (read(fd, events, sizeof events) > 0) {
    }
    return ioctl(fd, EVIOCSCLOCKID, &clock);
}

/// Makes the kernel pass on only the given codes of one type, at most 8, so that no other event wakes the reader.
/// Kernels before 4.4 do not support it and pass on everything, which does no harm. The corresponding C function is
/// `ioctl` with `EVIOCSMASK`.
static inline void ringer_evdev_pass_only(int fd, uint16_t type, const uint16_t *codes, int count) {
    uint8_t types[EV_CNT / 8] = {0};
    uint8_t mask[KEY_CNT / 8] = {0};
    types[type / 8] |= (uint8_t)(1u << (type % 8));
    for (int index = 0; index < count; index++) {
        if (codes[index] < KEY_CNT) mask[codes[index] / 8] |= (uint8_t)(1u << (codes[index] % 8));
    }
    // The mask of EV_SYN selects the types.
    struct input_mask of_types = {.type = EV_SYN, .codes_size = sizeof types, .codes_ptr = (uintptr_t)types};
    struct input_mask of_codes = {.type = type, .codes_size = sizeof mask, .codes_ptr = (uintptr_t)mask};
    (void)ioctl(fd, EVIOCSMASK, &of_codes);
    (void)ioctl(fd, EVIOCSMASK, &of_types);
}

/// The numbers of the device's file; 0 if it cannot be asked. The corresponding C function is `fstat`.
static inline void ringer_evdev_numbers(int fd, unsigned int *major_number, unsigned int *minor_number) {
    struct stat status;
    if (fstat(fd, &status) != 0) status.st_rdev = 0;
    *major_number = major(status.st_rdev);
    *minor_number = minor(status.st_rdev);
}

/// The event's timestamp in nanoseconds, also where `time_t` has 64 bits on a 32-bit system.
static inline int64_t ringer_evdev_stamp(const struct input_event *event) {
    return (int64_t)event->input_event_sec * 1000000000 + (int64_t)event->input_event_usec * 1000;
}

/// Uploads a rumble effect under `id`; -1 for a new one. Returns its id, or -1 with errno: ENOSPC if the device has no
/// room left. The corresponding C function is `ioctl` with `EVIOCSFF`.
static inline int ringer_ff_upload_rumble(int fd, int id, uint16_t magnitude, uint16_t milliseconds) {
    struct ff_effect effect;
    memset(&effect, 0, sizeof effect);
    effect.type = FF_RUMBLE;
    effect.id = (int16_t)id;
    effect.replay.length = milliseconds;
    effect.u.rumble.strong_magnitude = magnitude;
    effect.u.rumble.weak_magnitude = magnitude;
    return ioctl(fd, EVIOCSFF, &effect) == -1 ? -1 : effect.id;
}

/// Stops and frees an effect. Returns 0, or -1 with errno. The corresponding C function is `ioctl`, with `EVIOCRMFF`.
static inline int ringer_ff_erase(int fd, int id) { return ioctl(fd, EVIOCRMFF, (unsigned long)id) == -1 ? -1 : 0; }

/// Plays an effect once from its beginning, or stops it. Returns 0, or -1 with errno.
static inline int ringer_ff_play(int fd, int id, int play) {
    struct input_event event;
    memset(&event, 0, sizeof event);
    event.type = EV_FF;
    event.code = (uint16_t)id;
    event.value = play;
    ssize_t written = write(fd, &event, sizeof event);
    if (written == (ssize_t)sizeof event) return 0;
    if (written >= 0) errno = EIO;
    return -1;
}

#endif
