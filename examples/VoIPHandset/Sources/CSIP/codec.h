// G.711.
#ifndef CODEC_H
#define CODEC_H

#include "sound.h"

// The frames of a packet, at most `most`, and how many they are. The codec is PCMU or PCMA.
size_t codec_decode(enum codec codec, const struct mbuf *packet, int16_t *frames, size_t most);

// Appends the frames to a packet that has room for them.
void codec_encode(enum codec codec, struct mbuf *packet, const int16_t *frames, size_t count);

#endif
