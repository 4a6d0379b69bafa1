/*
 * Plays half a second with a buffer of exactly so many frames:
 *
 *     buffer PCM FRAMES
 *
 * Exit status: 0, or 1 with the reason on standard error.
 */
#include <stdio.h>
#include <stdlib.h>

#include <alsa/asoundlib.h>

#include "check.h"

#define RATE 48000

int main(int count, char **arguments)
{
    static int16_t samples[RATE / 2];
    snd_pcm_t *pcm;
    snd_pcm_hw_params_t *params;
    if (count < 3)
        return 64;
    check("open", snd_pcm_open(&pcm, arguments[1], SND_PCM_STREAM_PLAYBACK, 0));
    snd_pcm_hw_params_alloca(&params);
    check("read the parameters", snd_pcm_hw_params_any(pcm, params));
    check("set the access", snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED));
    check("set the format", snd_pcm_hw_params_set_format(pcm, params, SND_PCM_FORMAT_S16));
    check("set the channels", snd_pcm_hw_params_set_channels(pcm, params, 1));
    check("set the rate", snd_pcm_hw_params_set_rate(pcm, params, RATE, 0));
    check("set the buffer", snd_pcm_hw_params_set_buffer_size(pcm, params, (snd_pcm_uframes_t)atol(arguments[2])));
    check("set the parameters", snd_pcm_hw_params(pcm, params));
    check("write", snd_pcm_writei(pcm, samples, RATE / 2));
    check("drain", snd_pcm_drain(pcm));
    return 0;
}
