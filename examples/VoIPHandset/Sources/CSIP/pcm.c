#include "pcm.h"

enum { LATENCY_US = 120000 };

static void ignore(const char *file, int line, const char *function, int error, const char *format, va_list arguments)
{
    (void)file;
    (void)line;
    (void)function;
    (void)error;
    (void)format;
    (void)arguments;
}

void pcm_silence_messages(void)
{
    // For this thread alone: Ringer reads the messages on its own.
    (void)snd_lib_error_set_local(ignore);
}

int pcm_open(snd_pcm_t **pcmp, const char *name, snd_pcm_stream_t direction)
{
    snd_pcm_sw_params_t *software;
    snd_pcm_t *pcm = NULL;
    int error = snd_pcm_open(&pcm, name, direction, SND_PCM_NONBLOCK);

    if (error < 0)
        return error;
    error = snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, 1, PCM_RATE, 1, LATENCY_US);
    if (error >= 0 && direction == SND_PCM_STREAM_PLAYBACK) {
        snd_pcm_sw_params_alloca(&software);
        error = snd_pcm_sw_params_current(pcm, software);
        if (error >= 0)
            error = snd_pcm_sw_params_set_start_threshold(pcm, software, FILL_FRAMES);
        if (error >= 0)
            error = snd_pcm_sw_params(pcm, software);
    }
    if (error >= 0 && direction == SND_PCM_STREAM_CAPTURE)
        error = snd_pcm_start(pcm);
    if (error < 0) {
        snd_pcm_close(pcm);
        return error;
    }
    *pcmp = pcm;
    return 0;
}

bool pcm_recover(snd_pcm_t **pcmp, long error)
{
    if (error == -EAGAIN)
        return true;
    if (error == -ESTRPIPE && snd_pcm_resume(*pcmp) == 0)
        return true;
    if ((error == -EPIPE || error == -ESTRPIPE) && snd_pcm_prepare(*pcmp) == 0)
        return true;
    snd_pcm_close(*pcmp);
    *pcmp = NULL;
    return false;
}

size_t pcm_write(snd_pcm_t **pcmp, const int16_t *frames, size_t count)
{
    snd_pcm_sframes_t written = snd_pcm_writei(*pcmp, frames, count);

    if (written == -EPIPE || written == -ESTRPIPE) {
        if (pcm_recover(pcmp, written))
            written = snd_pcm_writei(*pcmp, frames, count);
    }
    if (written < 0) {
        if (*pcmp)
            (void)pcm_recover(pcmp, written);
        return 0;
    }
    return (size_t)written;
}
