/*
 * Plays a tone of 44.1 kHz by so many processes at once, and prints one line: the median time from opening the PCM to its
 * start, in microseconds; the processor time of all from then on, in microseconds; how many underruns there were.
 *
 *     clients PCM PROCESSES SECONDS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <alsa/asoundlib.h>

#define RATE 44100
#define PERIOD 882 /* 20 ms */

struct result {
    long open, processor, underruns;
};

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

static long processor(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000L + use.ru_utime.tv_usec + use.ru_stime.tv_usec;
}

static void check(const char *operation, long error)
{
    if (error >= 0)
        return;
    fprintf(stderr, "clients: %s: %s\n", operation, snd_strerror((int)error));
    exit(1);
}

static struct result play(const char *name, int seconds)
{
    static int16_t tone[PERIOD * 2];
    for (int i = 0; i < PERIOD * 2; i++)
        tone[i] = (int16_t)(1000 * sin(i / 2 * 440 * 2 * M_PI / RATE));
    struct result result = {0};
    snd_pcm_t *pcm;
    long start = now();
    check(name, snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, 0));
    snd_pcm_hw_params_t *hardware;
    snd_pcm_hw_params_alloca(&hardware);
    unsigned int rate = RATE, period = 20000, buffer = 80000;
    check("any", snd_pcm_hw_params_any(pcm, hardware));
    check("access", snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED));
    check("format", snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16));
    check("channels", snd_pcm_hw_params_set_channels(pcm, hardware, 2));
    check("rate", snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, NULL));
    check("buffer", snd_pcm_hw_params_set_buffer_time_near(pcm, hardware, &buffer, NULL));
    check("period", snd_pcm_hw_params_set_period_time_near(pcm, hardware, &period, NULL));
    check("parameters", snd_pcm_hw_params(pcm, hardware));
    check("write", snd_pcm_writei(pcm, tone, PERIOD));
    if (snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED)
        check("start", snd_pcm_start(pcm));
    result.open = now() - start;
    long before = processor();
    for (long frames = PERIOD; frames < (long)seconds * RATE; frames += PERIOD) {
        long written = snd_pcm_writei(pcm, tone, PERIOD);
        if (written == -EPIPE) {
            result.underruns++;
            check("prepare", snd_pcm_prepare(pcm));
        } else {
            check("write", written);
        }
    }
    result.processor = processor() - before;
    snd_pcm_close(pcm);
    return result;
}

static int compare(const void *left, const void *right)
{
    long difference = *(const long *)left - *(const long *)right;
    return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 64;
    int processes = atoi(arguments[2]), results[2];
    check("pipe", -pipe(results));
    for (int i = 0; i < processes; i++) {
        if (fork() != 0)
            continue;
        struct result result = play(arguments[1], atoi(arguments[3]));
        _exit(write(results[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    long opens[processes], processor = 0, underruns = 0;
    int failed = 0, status;
    while (wait(&status) > 0)
        failed += status != 0;
    if (failed > 0)
        return 1;
    for (int i = 0; i < processes; i++) {
        struct result result;
        if (read(results[0], &result, sizeof result) != sizeof result)
            return 1;
        opens[i] = result.open;
        processor += result.processor;
        underruns += result.underruns;
    }
    qsort(opens, processes, sizeof *opens, compare);
    printf("%ld %ld %ld\n", opens[processes / 2], processor, underruns);
    return 0;
}
