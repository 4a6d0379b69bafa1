#include "pcm.h"

#include <alsa/asoundlib.h>

void *endurance_pcm_open(const char *name, int is_capture)
{
    snd_pcm_t *pcm;

    if (snd_pcm_open(&pcm, name, is_capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK, 0) < 0)
        return NULL;
    if (snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, 2, 48000, 1, 20000) < 0) {
        snd_pcm_close(pcm);
        return NULL;
    }
    return pcm;
}

int endurance_pcm_pass(void *pcm, int is_capture)
{
    short samples[2 * 480] = {0};

    for (int count = 0; count < 4; count++) {
        snd_pcm_sframes_t frames = is_capture ? snd_pcm_readi(pcm, samples, 480) : snd_pcm_writei(pcm, samples, 480);

        if (frames < 0)
            return (int)frames;
    }
    return 0;
}

void endurance_pcm_close(void *pcm)
{
    snd_pcm_close(pcm);
}
