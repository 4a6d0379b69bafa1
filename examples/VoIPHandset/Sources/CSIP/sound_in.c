// What is received of the caller, and played.
#include "sound_parts.h"

#include "codec.h"

enum {
    LONGEST_PACKET = PCM_RATE / 10,  // 100 ms; longer ones are cut
};

static bool is_caller(const struct sound *sound, const struct sa *source)
{
    return sa_cmp(source, &sound->peer, SA_ADDR) || sa_cmp(source, &sound->signalling, SA_ADDR);
}

void sound_controlled(const struct sa *source, struct rtcp_msg *message, void *arg)
{
    struct sound *sound = arg;

    (void)message;
    if (is_caller(sound, source))
        sound->last_packet = tmr_jiffies();
}

void sound_received(const struct sa *source, const struct rtp_header *header, struct mbuf *packet, void *arg)
{
    struct sound *sound = arg;
    char digit;

    if (!is_caller(sound, source))
        return;
    if (header->pt >= PAYLOAD_TYPES || sound->codecs[header->pt] == CODEC_NONE)
        return;
    if (mbuf_get_left(packet) == 0)
        return;
    sound->last_packet = tmr_jiffies();
    // Another source counts from another number: against the ones before, the jitter buffer would drop its packets as late.
    if (header->ssrc != sound->source) {
        jbuf_flush(sound->jitter);
        memset(&sound->digits, 0, sizeof(sound->digits));
        sound->source = header->ssrc;
    }
    if (sound->codecs[header->pt] == CODEC_EVENTS) {
        digit = digits_of_packet(&sound->digits, header, packet);
        if (digit)
            sound->dialled(digit, sound->arg);
        return;
    }
    if (sound->codecs[header->pt] == CODEC_NOISE)
        return;
    // Before the PCM is open, nothing is kept: the caller is heard from now on, not from then.
    if (!sound->playback || !sound->receives)
        return;
    (void)jbuf_put(sound->jitter, header, packet);
}

void sound_play(struct sound *sound)
{
    static const int16_t silence[TICK_FRAMES];
    int16_t frames[LONGEST_PACKET];
    snd_pcm_sframes_t delay = 0;
    int packets;

    for (packets = 0; packets < 4 && sound->playback; packets++) {
        struct rtp_header header;
        void *packet = NULL;
        size_t count, written;

        if (snd_pcm_delay(sound->playback, &delay) < 0)
            delay = 0;
        if (delay >= FILL_FRAMES || jbuf_get(sound->jitter, &header, &packet) || !packet)
            break;
        count = codec_decode(sound->codecs[header.pt], packet, frames, LONGEST_PACKET);
        mem_deref(packet);
        if (sound->muted)
            memset(frames, 0, sizeof(frames));
        written = pcm_write(&sound->playback, frames, count);
        if (!sound->muted)
            sound->heard_frames += written;
        sound->playback_begun = true;
    }
    // A packet is late: silence, so that the PCM does not run empty.
    if (packets == 0 && delay < TICK_FRAMES && sound->playback && sound->playback_begun)
        (void)pcm_write(&sound->playback, silence, TICK_FRAMES);
}
