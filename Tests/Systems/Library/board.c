/*
 * Puts the firmware that it is linked with on a simulated board, by way of ld's --wrap=ringer_device_open and
 * --wrap=ringer_device_close: a thread moves the switch and the clock, waits for what the firmware does, and then asks it to
 * end with SIGTERM. Closing the device prints what was heard.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <pthread.h>
#include <ringer.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

extern int __real_ringer_device_open(const struct ringer_config *config, struct ringer_device **device);
extern void __real_ringer_device_close(struct ringer_device *device);

static pthread_t user;

static int is_motor_on(struct ringer_device *device)
{
    return ringer_simulated_is_motor_on(device);
}

/* How many sounds have begun. */
static int sounds(struct ringer_device *device)
{
    struct ringer_recording recordings[2];
    int count = ringer_simulated_get_recordings(device, recordings, sizeof *recordings, 2), begun = 0;

    for (int index = 0; index < count; index++)
        begun += recordings[index].started_at != 0;
    return begun;
}

/* Waits until the function returns this value; for 20 s at most. What is due now is done meanwhile. */
static void wait_for(const char *what, int (*function)(struct ringer_device *), struct ringer_device *device, int value)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int tries = 0; function(device) != value; tries++) {
        if (tries == 20000) {
            printf("%s: %d, not %d\n", what, function(device), value);
            exit(1);
        }
        nanosleep(&pause, NULL);
        ringer_simulated_advance(device, 0);
    }
}

static void *use(void *device)
{
    wait_for("sounds", sounds, device, 1);
    /* A second of the sound, then the switch moves: the sound stops and the firmware vibrates. */
    ringer_simulated_advance(device, 1000000);
    ringer_simulated_set_position(device, RINGER_POSITION_SILENT);
    wait_for("motor", is_motor_on, device, 1);
    /* Two moves during the vibration: one sound afterwards. */
    ringer_simulated_set_position(device, RINGER_POSITION_VIBRATE);
    ringer_simulated_set_position(device, RINGER_POSITION_RING);
    ringer_simulated_advance(device, 399999);
    printf("the motor is %s after 399999 us\n", is_motor_on(device) ? "on" : "off");
    ringer_simulated_advance(device, 1);
    /* The firmware's thread turns the motor on first, and then sets the timer of its end, which may be later than this one's
     * call. The time is the same in any case. */
    wait_for("motor", is_motor_on, device, 0);
    printf("the motor is %s after 400000 us\n", is_motor_on(device) ? "on" : "off");
    wait_for("sounds", sounds, device, 2);
    ringer_simulated_advance(device, 2000000);
    kill(getpid(), SIGTERM);
    return NULL;
}

int __wrap_ringer_device_open(const struct ringer_config *config, struct ringer_device **device)
{
    struct ringer_config *simulated = ringer_config_new();
    sigset_t signals, before;
    int result;

    (void)config;
    ringer_config_set_board(simulated, RINGER_BOARD_SIMULATED);
    result = __real_ringer_device_open(simulated, device);
    ringer_config_free(simulated);
    if (result < 0)
        return result;
    /* Signals are for the firmware's own thread. */
    sigfillset(&signals);
    pthread_sigmask(SIG_SETMASK, &signals, &before);
    pthread_create(&user, NULL, use, *device);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

void __wrap_ringer_device_close(struct ringer_device *device)
{
    struct ringer_recording recordings[2];

    pthread_join(user, NULL);
    ringer_simulated_get_recordings(device, recordings, sizeof *recordings, 2);
    for (int index = 0; index < 2; index++)
        printf("heard %" PRIu64 " of %" PRIu64 " frames\n", recordings[index].frames_played,
            recordings[index].frames);
    __real_ringer_device_close(device);
}
