/* The gain of interleaved samples, with ramps. */
#ifndef RINGER_GAIN_H
#define RINGER_GAIN_H

#include <stdbool.h>

#include <alsa/asoundlib.h>

/* As GainRamp has it, of the library. */
struct gain {
    float from, target;
    snd_pcm_uframes_t frames, done; /* of the ramp between them: how many there are, and how many are over */
};

/* The formats whose samples can be scaled, the preferred one first, up to UNKNOWN. */
extern const snd_pcm_format_t gain_formats[];
/* Whether samples of this format can be scaled. */
bool gain_has_format(snd_pcm_format_t format);
/* Sets the gain that is reached in a ramp of so many frames; at once where there are none. */
void gain_approach(struct gain *gain, float target, snd_pcm_uframes_t frames);
/* Sets the gain at once. */
void gain_set(struct gain *gain, float value);
/* Whether samples pass unchanged. */
bool gain_is_unity(const struct gain *gain);
/* Scales `frames` frames from `source` to `destination`. */
void gain_apply(struct gain *gain, snd_pcm_format_t format, unsigned int channels, void *destination,
    const void *source, snd_pcm_uframes_t frames);

#endif
