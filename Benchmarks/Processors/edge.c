/*
 * edge edge TIMES: moves the switch of a simulated board so many times, and reads each change as an event of libringer.
 *
 * One thread does all of it: the board's time is virtual.
 */
#include <ringer.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    struct ringer_config *config = ringer_config_new();
    struct ringer_device *device;
    struct ringer_event event;
    long times = count == 3 ? atol(words[2]) : 0, changes = 0;

    if (ringer_config_set_board(config, RINGER_BOARD_SIMULATED) < 0 || ringer_device_open(config, &device) < 0) {
        fprintf(stderr, "edge: %s\n", ringer_last_error());
        return 1;
    }
    ringer_config_free(config);
    /* The first event is the state. */
    while (ringer_device_read_event(device, &event, sizeof event) == 1)
        ;
    for (long time = 0; time < times; time++) {
        ringer_simulated_set_position(device, time % 2 ? RINGER_POSITION_RING : RINGER_POSITION_SILENT);
        while (ringer_device_read_event(device, &event, sizeof event) == 1)
            changes += event.type == RINGER_EVENT_STATE;
    }
    ringer_device_close(device);
    if (changes != times)
        fprintf(stderr, "edge: %ld changes, not %ld\n", changes, times);
    return changes != times;
}
