#include "codec.h"

#include <rem.h>

size_t codec_decode(enum codec codec, const struct mbuf *packet, int16_t *frames, size_t most)
{
    size_t count = mbuf_get_left(packet);
    const uint8_t *bytes = mbuf_buf(packet);
    size_t i;

    if (count > most)
        count = most;
    for (i = 0; i < count; i++)
        frames[i] = codec == CODEC_PCMA ? g711_alaw2pcm(bytes[i]) : g711_ulaw2pcm(bytes[i]);
    return count;
}

void codec_encode(enum codec codec, struct mbuf *packet, const int16_t *frames, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        // librem's encoders negate the sample, which -32768 does not survive.
        int16_t frame = frames[i] == INT16_MIN ? -INT16_MAX : frames[i];
        (void)mbuf_write_u8(packet, codec == CODEC_PCMA ? g711_pcm2alaw(frame) : g711_pcm2ulaw(frame));
    }
}
