#include "gain.h"

#include <math.h>

bool gain_has_format(snd_pcm_format_t format)
{
    return format == SND_PCM_FORMAT_S16 || format == SND_PCM_FORMAT_S32 || format == SND_PCM_FORMAT_FLOAT;
}

void gain_set(struct gain *gain, float value)
{
    gain->now = gain->target = value;
    gain->step = 0;
}

void gain_approach(struct gain *gain, float target)
{
    if (target == gain->target)
        return;
    gain->target = target;
    gain->step = (target - gain->now) / (float)gain->ramp_frames;
}

bool gain_is_unity(const struct gain *gain) { return gain->now == 1 && gain->target == 1; }

/* The gain of the next frame. */
static float advance(struct gain *gain)
{
    float now = gain->now;
    if (now != gain->target) {
        gain->now += gain->step;
        if ((gain->step < 0) == (gain->now <= gain->target))
            gain->now = gain->target;
    }
    return now;
}

void gain_apply(struct gain *gain, snd_pcm_format_t format, unsigned int channels, void *destination,
    const void *source, snd_pcm_uframes_t frames)
{
    size_t sample = 0;
    for (snd_pcm_uframes_t frame = 0; frame < frames; frame++) {
        float factor = advance(gain);
        for (unsigned int channel = 0; channel < channels; channel++, sample++) {
            if (format == SND_PCM_FORMAT_S16)
                ((int16_t *)destination)[sample] = (int16_t)lrintf(((const int16_t *)source)[sample] * factor);
            else if (format == SND_PCM_FORMAT_S32)
                ((int32_t *)destination)[sample] = (int32_t)lrint(((const int32_t *)source)[sample] * (double)factor);
            else
                ((float *)destination)[sample] = ((const float *)source)[sample] * factor;
        }
    }
}
