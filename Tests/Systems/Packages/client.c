/* A program of a reader, with the packages alone: what would be heard, on a simulated board. */
#include <ringer.h>
#include <stdio.h>

int main(void)
{
    struct ringer_config *config = ringer_config_new();
    struct ringer_device *device;
    struct ringer_decision decision;

    if (ringer_config_set_board(config, RINGER_BOARD_SIMULATED) < 0 || ringer_device_open(config, &device) < 0 ||
        ringer_simulated_set_position(device, RINGER_POSITION_SILENT) < 0 ||
        ringer_device_decide(
            device, RINGER_SOUND_CATEGORY, RINGER_CATEGORY_SOLO_AMBIENT, 0, &decision, sizeof decision) < 0) {
        fprintf(stderr, "%s\n", ringer_last_error());
        return 1;
    }
    printf("at silent: %s\n", ringer_reason_name(decision.reason));
    ringer_device_close(device);
    ringer_config_free(config);
    return 0;
}
