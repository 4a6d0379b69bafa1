/*
 * Plays two seconds of the tests' sound in an unusual way:
 *
 *     plays fork PCM FILE a child is forked after a second, which closes the PCM that it inherited; the parent plays until
 *                         the file is there
 *     plays rewind PCM    frames that are wrong are written in mid-play, taken back, and written again
 *     plays pause PCM     it pauses for half a second in mid-play
 *     plays start PCM FILE   it writes one period and waits until the file is there, starts the PCM, and goes on
 *     plays resume PCM FILE  it pauses in mid-play until the file is there
 *     plays room PCM FILE it waits for room for three quarters of the buffer before each period, and after a second until the
 *                         file is there
 *     plays recover PCM   it goes on by snd_pcm_recover where a write fails, as most programs do
 *     plays reset PCM     it resets the PCM after a second
 *     plays stop PCM      it fills the buffer after a second, stops, prints how many frames were heard until then, and waits
 *                         for a second
 *
 * Exit status: 0, or 1 with the reason on standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <alsa/asoundlib.h>

#include "check.h"

#define RATE 48000
#define CHUNK 480

static int recovers;

static void write_frames(snd_pcm_t *pcm, int first, int count, int wrong)
{
    int16_t samples[2 * CHUNK];
    for (int i = 0; i < count; i++) {
        int frame = first + i;
        samples[2 * i] = samples[2 * i + 1] = wrong ? 1 : (5000 + frame % 19200) * (frame % 2 == 0 ? 1 : -1);
    }
    long written = snd_pcm_writei(pcm, samples, count);
    for (int attempts = 0; written < 0 && recovers; attempts++) {
        check("recover", snd_pcm_recover(pcm, (int)written, 1));
        check("write what was recovered for the 10th time", attempts < 9 ? 0 : written);
        written = snd_pcm_writei(pcm, samples, count);
    }
    check("write", written);
}

/* Starts with the first frames, and lets the program wake up only when there is room for three quarters of the buffer. */
static void want_room(snd_pcm_t *pcm)
{
    snd_pcm_sw_params_t *params;
    snd_pcm_sw_params_alloca(&params);
    snd_pcm_uframes_t buffer, period;
    check("read the buffer's size", snd_pcm_get_params(pcm, &buffer, &period));
    check("read parameters", snd_pcm_sw_params_current(pcm, params));
    check("set the start", snd_pcm_sw_params_set_start_threshold(pcm, params, 1));
    check("set the room", snd_pcm_sw_params_set_avail_min(pcm, params, buffer * 3 / 4));
    check("set parameters", snd_pcm_sw_params(pcm, params));
}

static void wait_for_room(snd_pcm_t *pcm)
{
    int result = snd_pcm_wait(pcm, 20000);
    check("wait for room", result == 0 ? -ETIMEDOUT : result);
}

static void wait_for(const char *file)
{
    puts("waits");
    fflush(stdout);
    while (access(file, F_OK) != 0)
        usleep(5000);
}

int main(int count, char **arguments)
{
    int forks = count == 4 && strcmp(arguments[1], "fork") == 0;
    int rewinds = count == 3 && strcmp(arguments[1], "rewind") == 0;
    int pauses = count == 3 && strcmp(arguments[1], "pause") == 0;
    int starts = count == 4 && strcmp(arguments[1], "start") == 0;
    int resumes = count == 4 && strcmp(arguments[1], "resume") == 0;
    int rooms = count == 4 && strcmp(arguments[1], "room") == 0;
    int resets = count == 3 && strcmp(arguments[1], "reset") == 0;
    int stops = count == 3 && strcmp(arguments[1], "stop") == 0;
    recovers = count == 3 && strcmp(arguments[1], "recover") == 0;
    if (!forks && !rewinds && !pauses && !starts && !resumes && !rooms && !resets && !stops && !recovers)
        return 64;
    snd_pcm_t *pcm;
    check("open", snd_pcm_open(&pcm, arguments[2], SND_PCM_STREAM_PLAYBACK, 0));
    check("set parameters",
        snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, 2, RATE, 1, 80000));
    if (rooms)
        want_room(pcm);
    for (int frame = 0; forks ? access(arguments[3], F_OK) != 0 : frame < 2 * RATE; frame += CHUNK) {
        if (frame == RATE && forks) {
            pid_t child = fork();
            if (child == 0) {
                snd_pcm_close(pcm);
                _exit(0);
            }
            waitpid(child, NULL, 0);
        } else if (frame == RATE && pauses) {
            check("pause", snd_pcm_pause(pcm, 1));
            usleep(500000);
            check("resume", snd_pcm_pause(pcm, 0));
        } else if (frame == CHUNK && starts) {
            wait_for(arguments[3]);
            check("start", snd_pcm_start(pcm));
        } else if (frame == RATE && resumes) {
            if (snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED)
                check("start", snd_pcm_start(pcm));
            check("pause", snd_pcm_pause(pcm, 1));
            wait_for(arguments[3]);
            check("resume", snd_pcm_pause(pcm, 0));
        } else if (frame == RATE && rooms) {
            wait_for(arguments[3]);
        } else if (frame == RATE && rewinds) {
            write_frames(pcm, frame, CHUNK, 1);
            long taken = snd_pcm_rewind(pcm, CHUNK);
            check("rewind", taken == CHUNK ? taken : -EIO);
        } else if (frame == RATE && resets) {
            check("reset", snd_pcm_reset(pcm));
        } else if (frame == RATE && stops) {
            snd_pcm_sframes_t delay, room;
            for (; (room = snd_pcm_avail_update(pcm)) > 0; frame += room) {
                room = room < CHUNK ? room : CHUNK;
                write_frames(pcm, frame, room, 0);
            }
            check("read the delay", snd_pcm_delay(pcm, &delay));
            check("stop", snd_pcm_drop(pcm));
            printf("%ld\n", frame - delay);
            sleep(1);
            snd_pcm_close(pcm);
            return 0;
        }
        if (rooms)
            wait_for_room(pcm);
        write_frames(pcm, frame, CHUNK, 0);
    }
    check("drain", snd_pcm_drain(pcm));
    snd_pcm_close(pcm);
    return 0;
}
