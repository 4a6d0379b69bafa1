// What is captured, and sent to the caller.
#include "sound_parts.h"

#include "codec.h"

void sound_capture(struct sound *sound)
{
    size_t room = ARRAY_SIZE(sound->captured) - sound->captured_frames;
    snd_pcm_sframes_t count;

    if (room > TICK_FRAMES)
        room = TICK_FRAMES;
    if (!sound->capture || room == 0)
        return;
    count = snd_pcm_readi(sound->capture, sound->captured + sound->captured_frames, room);
    if (count > 0)
        sound->captured_frames += (size_t)count;
    else if (count < 0 && pcm_recover(&sound->capture, count) && count != -EAGAIN)
        (void)snd_pcm_start(sound->capture);
}

void sound_send(struct sound *sound)
{
    int16_t frames[TICK_FRAMES] = {0};
    struct mbuf *packet;

    if (sound->captured_frames >= TICK_FRAMES) {
        memcpy(frames, sound->captured, sizeof(frames));
        sound->captured_frames -= TICK_FRAMES;
        memmove(sound->captured, sound->captured + TICK_FRAMES, sound->captured_frames * sizeof(int16_t));
    }
    if (sound->muted)
        memset(frames, 0, sizeof(frames));
    sound->timestamp += TICK_FRAMES;
    if (!sound->sends || !sa_isset(&sound->peer, SA_ALL))
        return;
    packet = mbuf_alloc(RTP_HEADER_SIZE + TICK_FRAMES);
    if (!packet)
        return;
    packet->pos = packet->end = RTP_HEADER_SIZE;
    codec_encode(sound->codecs[sound->payload_type], packet, frames, TICK_FRAMES);
    packet->pos = RTP_HEADER_SIZE;
    (void)rtp_send(sound->rtp, &sound->peer, false, !sound->marked, sound->payload_type, sound->timestamp, packet);
    sound->marked = true;
    mem_deref(packet);
}
