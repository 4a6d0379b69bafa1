/*
 * Flips the switches of Ringer's program and of the plain C program at the same moment, and records what is heard of each
 * from the loopback card; or asks each for a vibration of 1.0 s, in turns, and watches the motor's line.
 *
 *     measure flip ROUNDS               of two input devices of its own, silence-ringer and silence-plain; prints for each
 *                                       round the microseconds from the flip to the last sample that is not 0: RINGER PLAIN
 *     measure motor ROUNDS LINE         prints for each round how many microseconds the file LINE read 1: RINGER PLAIN
 *
 * It prints "ready", and begins after a line on its standard input. The motor is asked for with a flip too. It needs the
 * right to SCHED_FIFO, so that the load delays the programs and not the measurement.
 */
#include <alsa/asoundlib.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { RATE = 48000, CHANNELS = 2, WAYS = 2 };

static int switches[WAYS];
static snd_pcm_t *pcms[WAYS];
/* Of each recording: how many frames were read, and the place behind the last that was heard. */
static int64_t frames[WAYS], heard[WAYS];

static int fail(const char *what, int error)
{
    fprintf(stderr, "measure: %s: %s\n", what, error < 0 ? snd_strerror(error) : strerror(errno));
    exit(1);
}

static int make_switch(const char *name)
{
    int file = open("/dev/uinput", O_WRONLY | O_CLOEXEC);
    struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL}};
    snprintf(setup.name, sizeof setup.name, "%s", name);
    if (file < 0 || ioctl(file, UI_SET_EVBIT, EV_SW) < 0 || ioctl(file, UI_SET_SWBIT, SW_MUTE_DEVICE) < 0 ||
        ioctl(file, UI_DEV_SETUP, &setup) < 0 || ioctl(file, UI_DEV_CREATE) < 0)
        fail("/dev/uinput", 0);
    return file;
}

static void turn(int way, int is_silent)
{
    struct input_event events[] = {{.type = EV_SW, .code = SW_MUTE_DEVICE, .value = is_silent}, {.type = EV_SYN}};
    if (write(switches[way], events, sizeof events) != sizeof events)
        fail("flip", 0);
}

static void wait_milliseconds(double milliseconds)
{
    struct timespec pause = {.tv_sec = milliseconds / 1000};
    pause.tv_nsec = (milliseconds - pause.tv_sec * 1e3) * 1e6;
    while (nanosleep(&pause, &pause) < 0 && errno == EINTR)
        ;
}

static int64_t microseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000;
}

static snd_pcm_t *record(const char *name)
{
    snd_pcm_t *pcm;
    int error = snd_pcm_open(&pcm, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
    if (error < 0 ||
        (error = snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, CHANNELS, RATE, 0,
                                    2000000)) < 0 ||
        (error = snd_pcm_start(pcm)) < 0)
        fail(name, error);
    return pcm;
}

static void drain(int way)
{
    static int16_t samples[RATE / 10 * CHANNELS];
    snd_pcm_sframes_t count;
    while ((count = snd_pcm_readi(pcms[way], samples, RATE / 10)) > 0) {
        for (snd_pcm_sframes_t index = 0; index < count * CHANNELS; index++)
            if (samples[index] != 0)
                heard[way] = frames[way] + index / CHANNELS + 1;
        frames[way] += count;
    }
    if (count < 0 && count != -EAGAIN)
        fail("record", (int)count);
}

static void listen_for(double milliseconds)
{
    int64_t end = microseconds() + (int64_t)(milliseconds * 1000);
    do {
        wait_milliseconds(10);
        for (int way = 0; way < WAYS; way++)
            drain(way);
    } while (microseconds() < end);
}

static void measure_flip(int round)
{
    int64_t flipped[WAYS], begin = microseconds();
    turn(0, 0);
    turn(1, 0);
    do {
        listen_for(100);
        if (microseconds() - begin > 20000000)
            fail("a program that is not heard", -ETIME);
    } while (frames[0] - heard[0] > RATE / 25 || frames[1] - heard[1] > RATE / 25);
    wait_milliseconds(rand() % 20000 / 1e3);
    for (int number = 0; number < WAYS; number++) {
        int way = (round + number) % WAYS;
        snd_pcm_sframes_t waiting = snd_pcm_avail(pcms[way]);
        if (waiting < 0)
            fail("avail", (int)waiting);
        flipped[way] = frames[way] + waiting;
    }
    for (int number = 0; number < WAYS; number++)
        turn((round + number) % WAYS, 1);
    do
        listen_for(400);
    while (frames[0] - heard[0] < RATE / 5 || frames[1] - heard[1] < RATE / 5);
    for (int way = 0; way < WAYS; way++)
        printf("%lld%c", (long long)(heard[way] - flipped[way]) * 1000000 / RATE, way == 0 ? ' ' : '\n');
}

static int is_high(int file)
{
    char level = 0;
    if (pread(file, &level, 1, 0) != 1)
        fail("the motor's line", 0);
    return level == '1';
}

static int64_t pulse(int way, int file)
{
    int64_t begin, end, asked = microseconds();
    turn(way, 1);
    while (!is_high(file))
        if (wait_milliseconds(0.5), microseconds() - asked > 20000000)
            fail("the motor does not turn", -ETIME);
    begin = microseconds();
    while (is_high(file))
        wait_milliseconds(0.5);
    end = microseconds();
    turn(way, 0);
    wait_milliseconds(300);
    return end - begin;
}

int main(int count, char **arguments)
{
    int is_flip = count == 3 && strcmp(arguments[1], "flip") == 0;
    struct sched_param priority = {.sched_priority = 60};
    if (!is_flip && (count != 4 || strcmp(arguments[1], "motor") != 0)) {
        fprintf(stderr, "usage: measure flip ROUNDS | measure motor ROUNDS LINE\n");
        return 64;
    }
    switches[0] = make_switch("silence-ringer");
    switches[1] = make_switch("silence-plain");
    turn(0, is_flip);
    turn(1, is_flip);
    puts("ready");
    fflush(stdout);
    if (getchar() == EOF)
        return 0;
    if (sched_setscheduler(0, SCHED_FIFO, &priority) < 0)
        fail("SCHED_FIFO", 0);
    int file = -1;
    if (is_flip) {
        pcms[0] = record("hw:Loopback,1,0");
        pcms[1] = record("hw:Loopback,1,1");
    } else if ((file = open(arguments[3], O_RDONLY | O_CLOEXEC)) < 0) {
        fail(arguments[3], 0);
    }
    for (int round = 0; round < atoi(arguments[2]); round++) {
        if (is_flip) {
            measure_flip(round);
        } else {
            int64_t lengths[WAYS];
            for (int number = 0; number < WAYS; number++)
                lengths[(round + number) % WAYS] = pulse((round + number) % WAYS, file);
            printf("%lld %lld\n", (long long)lengths[0], (long long)lengths[1]);
        }
        fflush(stdout);
    }
    return 0;
}
