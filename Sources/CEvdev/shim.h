#ifndef RINGER_CEVDEV_SHIM_H
#define RINGER_CEVDEV_SHIM_H

#include <errno.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// Newer than some distributions' headers. The kernel passes codes through that it has no name for.
#ifndef ABS_SND_PROFILE
#define ABS_SND_PROFILE 0x22
#endif

/// Takes the device's stamps from CLOCK_MONOTONIC, and forgets what was queued with stamps of another clock.
/// Returns 0, or -1 with errno. The corresponding C function is `ioctl`, with `EVIOCSCLOCKID`.
static inline int ringer_evdev_use_monotonic_clock(int fd) {
    int clock = CLOCK_MONOTONIC;
    struct input_event events[64];
    // The queue is emptied first: the kernel replaces what is in it by a SYN_DROPPED, which comes out with the next
    // event and not before.
    while (read(fd, events, sizeof events) > 0) {
    }
    return ioctl(fd, EVIOCSCLOCKID, &clock);
}

/// Has the kernel pass on the codes of one type alone, so that nothing else wakes the reader; at most 8 of them.
/// Kernels before 4.4 cannot, and pass on everything: nothing is lost by that. The corresponding C function is `ioctl`,
/// with `EVIOCSMASK`.
static inline void ringer_evdev_pass_only(int fd, uint16_t type, const uint16_t *codes, int count) {
    uint8_t types[EV_CNT / 8] = {0};
    uint8_t mask[KEY_CNT / 8] = {0};
    types[type / 8] |= (uint8_t)(1u << (type % 8));
    for (int index = 0; index < count; index++) {
        if (codes[index] < KEY_CNT) mask[codes[index] / 8] |= (uint8_t)(1u << (codes[index] % 8));
    }
    // The mask of EV_SYN is that of the types.
    struct input_mask of_types = {.type = EV_SYN, .codes_size = sizeof types, .codes_ptr = (uintptr_t)types};
    struct input_mask of_codes = {.type = type, .codes_size = sizeof mask, .codes_ptr = (uintptr_t)mask};
    (void)ioctl(fd, EVIOCSMASK, &of_codes);
    (void)ioctl(fd, EVIOCSMASK, &of_types);
}

/// The event's stamp in nanoseconds; where `time_t` has grown to 64 bits on a 32-bit system too.
static inline int64_t ringer_evdev_stamp(const struct input_event *event) {
    return (int64_t)event->input_event_sec * 1000000000 + (int64_t)event->input_event_usec * 1000;
}

/// Uploads a rumble effect under `id`, -1 for a new one. Returns its id, or -1 with errno: ENOSPC where the device has
/// no room left. The corresponding C function is `ioctl`, with `EVIOCSFF`.
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
