/*
 * The plain C program beside Ringer's:
 *
 *     plain sound SWITCH PCM         plays to the PCM while the switch is at ring, and drops it at the edge to silent
 *     plain motor SWITCH EFFECTS     turns the motor, the force-feedback device of that name, for 1.0 s at the edge to silent
 *
 * With SCHED_FIFO priority 10, as Ringer's. It prints "ready" when it is.
 */
#include <alsa/asoundlib.h>
#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { RATE = 48000, CHANNELS = 2, PERIOD = 480 };

static int find(const char *name, int flags)
{
    for (int number = 0; number < 32; number++) {
        char path[64], found[128] = "";
        snprintf(path, sizeof path, "/dev/input/event%d", number);
        int file = open(path, flags | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            continue;
        if (ioctl(file, EVIOCGNAME(sizeof found), found) >= 0 && strcmp(found, name) == 0)
            return file;
        close(file);
    }
    fprintf(stderr, "plain: no input device is called %s\n", name);
    return -1;
}

/* The switch's position after what it has reported; the one before if that is nothing. */
static int read_switch(int file, int position)
{
    struct input_event event;
    while (read(file, &event, sizeof event) == sizeof event)
        if (event.type == EV_SW)
            position = event.value;
    return position;
}

static int play(int edges, const char *name)
{
    static int16_t sound[PERIOD * CHANNELS];
    struct pollfd ready[8] = {{.fd = edges, .events = POLLIN}};
    snd_pcm_hw_params_t *hardware;
    snd_pcm_uframes_t period = 0, buffer = 8 * PERIOD;
    snd_pcm_t *pcm;
    int error, is_playing = 0, is_silent = 1;

    for (int index = 0; index < PERIOD * CHANNELS; index++)
        sound[index] = 1000;
    if ((error = snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)) < 0)
        goto failed;
    snd_pcm_hw_params_alloca(&hardware);
    snd_pcm_hw_params_any(pcm, hardware);
    snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED);
    snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16_LE);
    snd_pcm_hw_params_set_channels(pcm, hardware, CHANNELS);
    snd_pcm_hw_params_set_rate(pcm, hardware, RATE, 0);
    period = PERIOD;
    snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, NULL);
    snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer);
    if ((error = snd_pcm_hw_params(pcm, hardware)) < 0)
        goto failed;
    puts("ready");
    fflush(stdout);
    for (;;) {
        int descriptors = is_playing ? snd_pcm_poll_descriptors(pcm, ready + 1, 7) : 0;
        /* After an underrun dmix has none: it is prepared below. */
        if (poll(ready, descriptors > 0 ? 1 + descriptors : 1, descriptors < 0 ? 0 : -1) < 0 && errno != EINTR) {
            error = -errno;
            goto failed;
        }
        is_silent = read_switch(edges, is_silent);
        if (is_silent && is_playing)
            snd_pcm_drop(pcm);
        is_playing = !is_silent;
        if (!is_playing)
            continue;
        if (snd_pcm_state(pcm) != SND_PCM_STATE_RUNNING && (error = snd_pcm_prepare(pcm)) < 0)
            goto failed;
        /* Two buffers' worth of periods at most: what is left is written after the next poll. */
        for (int written = 0; written < 16 && snd_pcm_writei(pcm, sound, PERIOD) > 0; written++)
            ;
    }
failed:
    fprintf(stderr, "plain: %s: %s\n", name, snd_strerror(error));
    return 1;
}

static int vibrate(int edges, int motor)
{
    struct ff_effect effect = {.type = FF_RUMBLE, .id = -1, .u.rumble = {.strong_magnitude = 0xffff}};
    struct pollfd ready[2] = {{.fd = edges, .events = POLLIN},
                              {.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), .events = POLLIN}};
    struct itimerspec second = {.it_value = {.tv_sec = 1}};
    int is_silent = 0;

    if (ioctl(motor, EVIOCSFF, &effect) < 0)
        return 1;
    struct input_event order = {.type = EV_FF, .code = effect.id};
    puts("ready");
    fflush(stdout);
    while (poll(ready, 2, -1) > 0) {
        uint64_t expired;
        int was_silent = is_silent;
        is_silent = read_switch(edges, is_silent);
        order.value = is_silent && !was_silent;
        if (order.value == 1) {
            timerfd_settime(ready[1].fd, 0, &second, NULL);
        } else if (!(ready[1].revents & POLLIN) || read(ready[1].fd, &expired, sizeof expired) < 0) {
            continue;
        }
        if (write(motor, &order, sizeof order) < 0)
            return 1;
    }
    return 1;
}

int main(int count, char **arguments)
{
    struct sched_param priority = {.sched_priority = 10};
    if (count != 4) {
        fprintf(stderr, "usage: plain sound SWITCH PCM | plain motor SWITCH EFFECTS\n");
        return 64;
    }
    int edges = find(arguments[2], O_RDONLY);
    if (edges < 0 || mlockall(MCL_CURRENT | MCL_FUTURE) < 0 || sched_setscheduler(0, SCHED_FIFO, &priority) < 0)
        return 1;
    if (strcmp(arguments[1], "sound") == 0)
        return play(edges, arguments[3]);
    int motor = find(arguments[3], O_RDWR);
    return motor < 0 ? 1 : vibrate(edges, motor);
}
