/*
 * The smallest firmware in C: announces the switch's moves by a sound or a vibration. Its argument is a sound file's path.
 *
 *     gcc -std=c99 minimal.c poll.c -o minimal $(pkg-config --cflags --libs ringer)
 *
 * poll.c is its loop; glib.c, sd-event.c and uv.c are others for programs that have one.
 */
#include "minimal.h"

#include <errno.h>
#include <ringer.h>
#include <stdio.h>

struct minimal {
    struct ringer_device *device;
    const char *chime;
    uint64_t running;       /* the sound or vibration that has not ended; 0 for none */
    int has_moved;          /* whether the state has changed since it began */
};

static int announce(struct minimal *firmware)
{
    static const uint32_t pulse[] = {400};
    struct ringer_decision decision;
    int result = ringer_device_decide(
        firmware->device, RINGER_SOUND_CATEGORY, RINGER_CATEGORY_SOLO_AMBIENT, 0, &decision, sizeof decision);

    firmware->has_moved = 0;
    if (result < 0)
        return result;
    if (!decision.heard) {
        /* The chime would not be heard: vibrate instead, where there is a motor. */
        result = ringer_device_vibrate(firmware->device, pulse, 1, 1, 1, &firmware->running);
        return result == -ENOENT ? 0 : result;
    }
    return firmware->chime ? ringer_device_play_file(firmware->device, firmware->chime, RINGER_CATEGORY_SOLO_AMBIENT, 0,
                                 &firmware->running)
                           : 0;
}

int minimal_take_events(struct minimal *firmware)
{
    struct ringer_event event;
    int result;

    while ((result = ringer_device_read_event(firmware->device, &event, sizeof event)) == 1) {
        if (event.type == RINGER_EVENT_STATE)
            firmware->has_moved = 1;
        else if (event.id == firmware->running && event.type != RINGER_EVENT_SOUND_STARTED)
            firmware->running = 0;
        if (!firmware->running && firmware->has_moved && (result = announce(firmware)) < 0)
            break;
    }
    return result;
}

int main(int count, char **arguments)
{
    struct minimal firmware = {NULL, count > 1 ? arguments[1] : NULL, 0, 0};
    int result = ringer_device_open(NULL, &firmware.device);

    if (result == 0)
        result = minimal_run(&firmware, ringer_device_get_fd(firmware.device));
    if (result < 0)
        fprintf(stderr, "minimal: %s\n", ringer_last_error());
    /* Sounds and the motor are off afterwards. */
    ringer_device_close(firmware.device);
    return result < 0;
}
