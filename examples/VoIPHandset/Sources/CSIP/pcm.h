// The ALSA PCMs of a call: mono, 16 bits, 8 kHz, without waiting.
#ifndef PCM_H
#define PCM_H

#include <alsa/asoundlib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PCM_RATE = 8000,
    TICK_MS = 20,
    TICK_FRAMES = PCM_RATE * TICK_MS / 1000,
    FILL_FRAMES = 2 * TICK_FRAMES,  // what the playing PCM holds ahead
};

// Keeps what alsa-lib prints of errors on this thread from standard error: what matters of it is the error's number.
void pcm_silence_messages(void);

// Opens a PCM, and begins to capture; a playing one begins with its first FILL_FRAMES. Returns 0, or a negative error of ALSA.
int pcm_open(snd_pcm_t **pcmp, const char *name, snd_pcm_stream_t direction);

// Mends a PCM after that error: one that failed is prepared again, one that is gone is closed and *pcmp set to NULL. Whether it
// can be used.
bool pcm_recover(snd_pcm_t **pcmp, long error);

// Writes frames, as many as there is room for. Returns how many. After an error *pcmp may be NULL.
size_t pcm_write(snd_pcm_t **pcmp, const int16_t *frames, size_t count);

#endif
