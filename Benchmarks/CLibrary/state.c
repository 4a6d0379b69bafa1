/* Prints the nanoseconds that a call of ringer_device_get_state takes: the median of 1,001 rounds of 1,000 calls. */
#define _POSIX_C_SOURCE 200809L
#include <ringer.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 1001, CALLS = 1000 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

int main(void)
{
    static double times[ROUNDS];
    struct ringer_config *config = ringer_config_new();
    struct ringer_device *device;
    struct ringer_state state;

    if (ringer_config_set_board(config, RINGER_BOARD_SIMULATED) < 0 || ringer_device_open(config, &device) < 0) {
        fprintf(stderr, "state: %s\n", ringer_last_error());
        return 1;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();

        for (int call = 0; call < CALLS; call++)
            ringer_device_get_state(device, &state, sizeof state);
        times[round] = now() - start;
    }
    qsort(times, ROUNDS, sizeof *times, compare);
    printf("%.0f\n", times[ROUNDS / 2] / CALLS);
    return 0;
}
