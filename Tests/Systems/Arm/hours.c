/*
 * Plays a sound of 768 kHz over and over on a simulated board and moves its clock by an hour in one call: more frames
 * than 32 bits with a sign count. Prints what was played. An argument is another number of seconds: under qemu 3,600 take about
 * 6 s, and 50,000 a minute.
 */
#include <inttypes.h>
#include <ringer.h>
#include <stdio.h>
#include <stdlib.h>

static struct ringer_device *device;

static void must(const char *what, int result)
{
    if (result < 0) {
        fprintf(stderr, "%s: %d: %s\n", what, result, ringer_last_error());
        exit(1);
    }
}

static void advance(uint64_t seconds)
{
    struct ringer_recording recording;

    must("advance", ringer_simulated_advance(device, seconds * 1000000));
    must("recordings", ringer_simulated_get_recordings(device, &recording, sizeof recording, 1));
    printf("after %" PRIu64 " s: %" PRIu64 " frames were played, from %" PRIi64 " to %" PRIi64 "\n", seconds,
        recording.frames_played, recording.started_at, recording.ended_at);
}

int main(int count, char **arguments)
{
    static const int16_t second[768000];
    struct ringer_config *config = ringer_config_new();
    struct ringer_playback playback = {.samples = second, .frames = 768000, .category = RINGER_CATEGORY_PLAYBACK,
        .channels = 1, .rate = 768000, .loops = -1};
    uint64_t id, frame;

    must("board", ringer_config_set_board(config, RINGER_BOARD_SIMULATED));
    must("open", ringer_device_open(config, &device));
    must("play", ringer_device_play(device, &playback, sizeof playback, &id));
    advance(count > 1 ? strtoull(arguments[1], NULL, 10) : 3600);
    must("position", ringer_device_get_position(device, id, &frame));
    must("stop", ringer_device_stop(device, id));
    advance(1);
    printf("it was at frame %" PRIu64 "\n", frame);
    ringer_device_close(device);
    ringer_config_free(config);
}
