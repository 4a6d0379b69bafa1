/* The format and the buffer that a program may choose. See pcm_ringer.h. */
#include <errno.h>
#include <limits.h>

#include "pcm_ringer.h"

/* What a program may write ahead: where it cannot be taken back, it is silent so long after the switch was flipped. */
#define BUFFER_MILLISECONDS 80

static int choose_format(struct ringer *r, snd_pcm_hw_params_t *params)
{
    const snd_pcm_format_t *next = gain_formats;
    while (r->format == SND_PCM_FORMAT_UNKNOWN && *next != SND_PCM_FORMAT_UNKNOWN) {
        if (snd_pcm_hw_params_test_format(r->slave, params, *next) == 0)
            r->format = *next;
        next++;
    }
    /* alsa-lib aborts for a format that is none. */
    return r->format == SND_PCM_FORMAT_UNKNOWN ? -EINVAL : snd_pcm_hw_params_set_format(r->slave, params, r->format);
}

/* Chooses the one format, rate and channel count that this PCM has; `plug` converts others. alsa-lib bounds an I/O
   plug-in's buffer in bytes alone, and only with these known does that bound its time. */
int buffer_choose_format(struct ringer *r, snd_pcm_hw_params_t *params, snd_pcm_stream_t stream)
{
    int error = snd_pcm_hw_params_any(r->slave, params);
    if (error >= 0)
        error = snd_pcm_hw_params_set_access(r->slave, params, slave_access(stream));
    if (error >= 0)
        error = choose_format(r, params);
    if (error >= 0)
        error = snd_pcm_hw_params_set_channels_near(r->slave, params, &r->channels);
    if (error >= 0)
        error = snd_pcm_hw_params_set_rate_near(r->slave, params, &r->rate, NULL);
    if (error < 0)
        SNDERR("ringer: %s has no mmap, or none of the formats S16, S24, S32 and FLOAT: name it plug:%s", r->slave_name,
            r->slave_name);
    return error;
}

int buffer_constrain(struct ringer *r, snd_pcm_hw_params_t *params)
{
    static const unsigned int accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
    snd_pcm_uframes_t shortest, longest, least, most;
    snd_pcm_hw_params_get_period_size_min(params, &shortest, NULL);
    snd_pcm_hw_params_get_period_size_max(params, &longest, NULL);
    snd_pcm_hw_params_get_buffer_size_min(params, &least);
    snd_pcm_hw_params_get_buffer_size_max(params, &most);
    /* dmix mixes nothing into the period that its card plays. Of a stream with frames that wait for that it takes back none
       that are mixed, and says that it did: with a period left empty none wait (PCMHandle.swift). */
    if (snd_pcm_type(r->slave) == SND_PCM_TYPE_DMIX && most >= 3 * shortest) {
        most -= shortest;
        if (least > most)
            least = most;
    }
    unsigned int frame = (unsigned int)snd_pcm_format_physical_width(r->format) / 8 * r->channels;
    snd_pcm_uframes_t limit = r->io.stream == SND_PCM_STREAM_PLAYBACK
        ? (snd_pcm_uframes_t)r->rate * BUFFER_MILLISECONDS / 1000
        : INT_MAX / frame;
    if (most > limit)
        most = limit > least ? limit : least;
    r->step = shortest;
    if (longest > most / 2)
        longest = most / 2 > shortest ? most / 2 : shortest;
    unsigned int format = r->format;
    int error = snd_pcm_ioplug_set_param_list(&r->io, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses);
    if (error >= 0)
        error = snd_pcm_ioplug_set_param_list(&r->io, SND_PCM_IOPLUG_HW_FORMAT, 1, &format);
    const struct {
        int parameter;
        unsigned int least, most;
    } ranges[] = {
        {SND_PCM_IOPLUG_HW_RATE, r->rate, r->rate},
        {SND_PCM_IOPLUG_HW_CHANNELS, r->channels, r->channels},
        {SND_PCM_IOPLUG_HW_PERIOD_BYTES, shortest * frame, longest * frame},
        {SND_PCM_IOPLUG_HW_BUFFER_BYTES, least * frame, most * frame},
        {SND_PCM_IOPLUG_HW_PERIODS, 2, 1024},
    };
    for (size_t i = 0; error >= 0 && i < sizeof ranges / sizeof ranges[0]; i++)
        error = snd_pcm_ioplug_set_param_minmax(&r->io, ranges[i].parameter, ranges[i].least, ranges[i].most);
    return error;
}
