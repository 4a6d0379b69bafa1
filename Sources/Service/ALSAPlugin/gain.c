#include "gain.h"

#include <math.h>

const snd_pcm_format_t gain_formats[] = {SND_PCM_FORMAT_S16, SND_PCM_FORMAT_S32, SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_S24,
    SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S24_3BE, SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S16_BE, SND_PCM_FORMAT_S24_LE,
    SND_PCM_FORMAT_S24_BE, SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_S32_BE, SND_PCM_FORMAT_UNKNOWN};

bool gain_has_format(snd_pcm_format_t format)
{
    const snd_pcm_format_t *known = gain_formats;
    while (*known != format && *known != SND_PCM_FORMAT_UNKNOWN)
        known++;
    return *known != SND_PCM_FORMAT_UNKNOWN;
}

void gain_set(struct gain *gain, float value)
{
    gain->from = gain->target = value;
    gain->frames = gain->done = 0;
}

/* The gain of the next frame. */
static float current(const struct gain *gain)
{
    if (gain->done >= gain->frames)
        return gain->target;
    return gain->from + (gain->target - gain->from) * ((float)gain->done / (float)gain->frames);
}

void gain_approach(struct gain *gain, float target, snd_pcm_uframes_t frames)
{
    if (target == gain->target)
        return;
    gain->from = current(gain);
    gain->target = target;
    gain->frames = frames;
    gain->done = 0;
}

bool gain_is_unity(const struct gain *gain) { return gain->target == 1 && gain->done >= gain->frames; }

/* The gain of the next frame, which is over then. */
static float advance(struct gain *gain)
{
    float now = current(gain);
    if (gain->done < gain->frames)
        gain->done++;
    return now;
}

/* Scales a sample of any integer format, byte by byte. Its least significant byte is at `first`, the next one `step` further. The
   bytes beyond its bits repeat its sign. */
static void scale(int bits, int bytes, int first, int step, uint8_t *destination, const uint8_t *source, float factor)
{
    uint32_t value = 0;
    for (int i = 0; i < bits / 8; i++)
        value |= (uint32_t)source[first + i * step] << (32 - bits + 8 * i);
    int32_t scaled = (int32_t)lrint(((int32_t)value >> (32 - bits)) * (double)factor);
    for (int i = 0; i < bytes; i++)
        destination[first + i * step] = (uint8_t)(scaled >> (8 * i));
}

void gain_apply(struct gain *gain, snd_pcm_format_t format, unsigned int channels, void *destination,
    const void *source, snd_pcm_uframes_t frames)
{
    int bits = snd_pcm_format_width(format), bytes = snd_pcm_format_physical_width(format) / 8;
    bool is_big = snd_pcm_format_big_endian(format) == 1;
    size_t sample = 0;
    for (snd_pcm_uframes_t frame = 0; frame < frames; frame++) {
        float factor = advance(gain);
        for (unsigned int channel = 0; channel < channels; channel++, sample++) {
            if (format == SND_PCM_FORMAT_S16)
                ((int16_t *)destination)[sample] = (int16_t)lrintf(((const int16_t *)source)[sample] * factor);
            else if (format == SND_PCM_FORMAT_S32)
                ((int32_t *)destination)[sample] = (int32_t)lrint(((const int32_t *)source)[sample] * (double)factor);
            else if (format == SND_PCM_FORMAT_FLOAT)
                ((float *)destination)[sample] = ((const float *)source)[sample] * factor;
            else
                scale(bits, bytes, is_big ? bytes - 1 : 0, is_big ? -1 : 1, (uint8_t *)destination + sample * (size_t)bytes,
                    (const uint8_t *)source + sample * (size_t)bytes, factor);
        }
    }
}
