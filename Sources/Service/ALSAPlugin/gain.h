/* The gain of interleaved samples, with ramps. */
#ifndef RINGER_GAIN_H
#define RINGER_GAIN_H

#include <stdbool.h>

#include <alsa/asoundlib.h>

struct gain {
    float now, target;
    float step;                   /* what a frame changes it by, of a ramp */
    snd_pcm_uframes_t ramp_frames; /* how long a ramp takes */
};

/* The formats whose samples can be scaled, the preferred one first, up to UNKNOWN. */
extern const snd_pcm_format_t gain_formats[];
/* Whether samples of this format can be scaled. */
bool gain_has_format(snd_pcm_format_t format);
/* Sets the gain that is reached in a ramp. */
void gain_approach(struct gain *gain, float target);
/* Sets the gain at once. */
void gain_set(struct gain *gain, float value);
/* Whether samples pass unchanged. */
bool gain_is_unity(const struct gain *gain);
/* Scales `frames` frames from `source` to `destination`. */
void gain_apply(struct gain *gain, snd_pcm_format_t format, unsigned int channels, void *destination,
    const void *source, snd_pcm_uframes_t frames);

#endif
