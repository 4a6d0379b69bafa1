/*
 * Plays short sounds and stops at odd moments:
 *
 *     drains stop PCM ROUNDS [FIRST]      one thread drains the PCM while another one stops it
 *     drains delay PCM ROUNDS [FIRST]     ... while another one asks for its delay
 *     drains room PCM ROUNDS [FIRST]      ... while another one asks for its room
 *     drains nonblock PCM ROUNDS [FIRST]  one thread begins to drain in non-blocking mode, and stops
 *     drains endless PCM ROUNDS [FIRST]   one thread plays past the end, which is no underrun, and stops
 *
 * The length of the sound and the time until the stop differ from round to round, and are those of its number; FIRST is
 * the first round's. Every drain has to return: after 60 s without, the round's number is printed.
 *
 * Exit status: 0, or 1 with the reason on standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <alsa/asoundlib.h>

#include "check.h"

#define RATE 48000

static snd_pcm_t *pcm;
static atomic_int has_returned;

static void *drain(void *unused)
{
    (void)unused;
    snd_pcm_drain(pcm);
    has_returned = 1;
    return NULL;
}

static void never_stop(void)
{
    snd_pcm_sw_params_t *params;
    snd_pcm_sw_params_alloca(&params);
    snd_pcm_uframes_t boundary;
    check("read parameters", snd_pcm_sw_params_current(pcm, params));
    check("read the boundary", snd_pcm_sw_params_get_boundary(params, &boundary));
    check("set the end", snd_pcm_sw_params_set_stop_threshold(pcm, params, boundary));
    check("set parameters", snd_pcm_sw_params(pcm, params));
}

static void write_sound(snd_pcm_uframes_t frames)
{
    static int16_t samples[RATE];
    for (snd_pcm_uframes_t i = 0; i < frames; i++)
        samples[i] = 5000;
    check("write", snd_pcm_writei(pcm, samples, frames));
}

int main(int count, char **arguments)
{
    int delays = count > 3 && strcmp(arguments[1], "delay") == 0;
    int rooms = count > 3 && strcmp(arguments[1], "room") == 0;
    int stops = count > 3 && strcmp(arguments[1], "stop") == 0;
    int nonblocking = count > 3 && strcmp(arguments[1], "nonblock") == 0;
    int endless = count > 3 && strcmp(arguments[1], "endless") == 0;
    if (!delays && !rooms && !stops && !nonblocking && !endless)
        return 64;
    check("open", snd_pcm_open(&pcm, arguments[2], SND_PCM_STREAM_PLAYBACK, 0));
    check("set parameters",
        snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, 1, RATE, 1, 80000));
    snd_pcm_uframes_t buffer, period;
    check("read the buffer's size", snd_pcm_get_params(pcm, &buffer, &period));
    if (nonblocking)
        check("set non-blocking mode", snd_pcm_nonblock(pcm, 1));
    if (endless)
        never_stop();
    unsigned first = count > 4 ? (unsigned)atoi(arguments[4]) : 0;
    unsigned last = first + (unsigned)atoi(arguments[3]);
    for (unsigned round = first; round < last; round++) {
        struct drand48_data random;
        long frames, microseconds;
        srand48_r(round, &random);
        lrand48_r(&random, &frames);
        lrand48_r(&random, &microseconds);
        frames = 1 + frames % (long)buffer;
        /* Up to 12 ms longer than the sound. */
        microseconds %= frames * 1000000 / RATE + 12000;
        write_sound((snd_pcm_uframes_t)frames);
        if (nonblocking || endless) {
            if (nonblocking)
                snd_pcm_drain(pcm);
            else if (snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED)
                check("start", snd_pcm_start(pcm));
            usleep((useconds_t)microseconds);
            check("stop", snd_pcm_drop(pcm));
            check("prepare", snd_pcm_prepare(pcm));
            continue;
        }
        pthread_t thread;
        has_returned = 0;
        check("start a thread", -pthread_create(&thread, NULL, drain, NULL));
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += 60;
        usleep((useconds_t)microseconds);
        snd_pcm_sframes_t delay;
        if (stops)
            snd_pcm_drop(pcm);
        else
            while (!has_returned && (delays ? snd_pcm_delay(pcm, &delay) : snd_pcm_avail(pcm)) >= 0
                && time(NULL) < limit.tv_sec)
                usleep(500);
        if (pthread_timedjoin_np(thread, NULL, &limit) != 0) {
            fprintf(stderr, "round %u: %ld frames, %s after %ld us: drain has not returned\n", round, frames,
                arguments[1], microseconds);
            return 1;
        }
        check("prepare", snd_pcm_prepare(pcm));
    }
    snd_pcm_close(pcm);
    return 0;
}
