/*
 * A doorbell: its button, or SIGUSR1, rings a tone of two seconds. With the mute switch high the motor turns for 400 ms
 * instead, and a flip to mute ends the tone and turns the motor once. A switch that is lost counts as mute.
 *
 *     cc -O2 -Wall -Wextra doorbell.c -o doorbell -lgpiod -lasound -lm       (libgpiod 1.6)
 *
 * -DFAULT=1 to 4 plants a fault: it ignores the flip; a short motor; it believes bounces; it dies when unplugged.
 */
#include <alsa/asoundlib.h>
#include <err.h>
#include <fcntl.h>
#include <gpiod.h>
#include <linux/input.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef FAULT
#define FAULT 0
#endif
enum fault { NONE, IGNORES_FLIP, SHORT_MOTOR, BELIEVES_BOUNCE, DIES_UNPLUGGED };
enum { MOTOR_US = FAULT == SHORT_MOTOR ? 300000 : 400000, DEBOUNCE_US = FAULT == BELIEVES_BOUNCE ? 200 : 10000 };
enum { RATE = 48000, TONE_FRAMES = 2 * RATE, LATENCY_US = 50000 };

static struct gpiod_line *mute_switch, *motor;
static int motor_timer, debounce_timer;
static snd_pcm_t *speaker;
static bool is_muted;
static short tone[TONE_FRAMES];
static long played = TONE_FRAMES; /* those of the tone */

static void start_timer(int timer, int microseconds)
{
    struct itimerspec when = {.it_value = {.tv_nsec = microseconds * 1000L}};
    if (timerfd_settime(timer, 0, &when, NULL) < 0)
        err(1, "timer");
}

static void set_motor(bool on)
{
    if (gpiod_line_set_value(motor, on) < 0)
        err(1, "MOTOR_EN");
    start_timer(motor_timer, on ? MOTOR_US : 0);
}

static void set_muted(bool now)
{
    if (now == is_muted)
        return;
    is_muted = now;
    puts(now ? "muted" : "audible");
    if (now && FAULT != IGNORES_FLIP) {
        snd_pcm_drop(speaker);
        played = TONE_FRAMES;
        set_motor(true);
    }
}

static void open_switch(void)
{
    mute_switch = gpiod_line_find("MUTE_SW");
    if (mute_switch != NULL && gpiod_line_request_both_edges_events(mute_switch, "doorbell") < 0)
        err(1, "MUTE_SW");
    is_muted = mute_switch == NULL || gpiod_line_get_value(mute_switch) != 0;
}

static void lose_switch(void)
{
    if (FAULT == DIES_UNPLUGGED)
        errx(1, "the switch is lost");
    gpiod_line_close_chip(mute_switch);
    mute_switch = NULL;
    set_muted(true);
}

static void ring(void)
{
    if (mute_switch == NULL)
        open_switch();
    printf("ring, %s\n", is_muted ? "muted" : "audible");
    if (is_muted)
        set_motor(true);
    else if (snd_pcm_drop(speaker) < 0 || snd_pcm_prepare(speaker) < 0)
        errx(1, "speaker");
    else
        played = 0;
}

static void feed_speaker(void)
{
    snd_pcm_sframes_t count = snd_pcm_writei(speaker, tone + played, TONE_FRAMES - played);
    if (count < 0 && count != -EAGAIN && snd_pcm_recover(speaker, count, 1) < 0)
        errx(1, "speaker");
    played += count > 0 ? count : 0;
}

int main(void)
{
    for (int i = 0; i < TONE_FRAMES; i++)
        tone[i] = lrint(16000 * sin(2 * M_PI * 1000 * i / RATE));
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int signal = signalfd(-1, &signals, 0), button = open("/dev/input/event0", O_RDONLY);
    motor_timer = timerfd_create(CLOCK_MONOTONIC, 0);
    debounce_timer = timerfd_create(CLOCK_MONOTONIC, 0);
    motor = gpiod_line_find("MOTOR_EN");
    if (button < 0 || motor == NULL || gpiod_line_request_output(motor, "doorbell", 0) < 0)
        err(1, "the button or MOTOR_EN");
    open_switch();
    if (snd_pcm_open(&speaker, "default", SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK) < 0 ||
        snd_pcm_set_params(speaker, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, 1, RATE, 1, LATENCY_US) < 0)
        errx(1, "speaker");
    puts("ready");

    for (;;) {
        struct pollfd ready[] = {
            {signal, POLLIN, 0}, {motor_timer, POLLIN, 0}, {debounce_timer, POLLIN, 0}, {button, POLLIN, 0},
            {mute_switch != NULL ? gpiod_line_event_get_fd(mute_switch) : -1, POLLIN, 0}};
        if (poll(ready, 5, played < TONE_FRAMES ? 10 : -1) < 0)
            err(1, "poll");
        unsigned long long expirations;
        struct signalfd_siginfo order;
        struct input_event key;
        struct gpiod_line_event edge;
        if (ready[4].revents && gpiod_line_event_read(mute_switch, &edge) < 0)
            lose_switch();
        else if (ready[4].revents)
            start_timer(debounce_timer, DEBOUNCE_US);
        if (ready[0].revents && read(signal, &order, sizeof order) > 0 && order.ssi_signo == SIGTERM)
            return 0;
        if (ready[0].revents)
            ring();
        if (ready[1].revents && read(motor_timer, &expirations, sizeof expirations) > 0)
            set_motor(false);
        if (ready[2].revents && read(debounce_timer, &expirations, sizeof expirations) > 0 && mute_switch != NULL)
            set_muted(gpiod_line_get_value(mute_switch) != 0);
        if (ready[3].revents && read(button, &key, sizeof key) > 0 && key.type == EV_KEY && key.value == 1)
            ring();
        if (played < TONE_FRAMES)
            feed_speaker();
    }
}
