// What the parts of a call's sound share: what is received and played (sound_in.c), and what is captured and sent (sound_out.c).
#ifndef SOUND_PARTS_H
#define SOUND_PARTS_H

#include "digits.h"
#include "pcm.h"
#include "sound.h"

struct sound {
    char *playback_name;
    char *capture_name;
    uint32_t silence_limit;
    uint32_t hold_limit;
    void (*silent)(void *arg);
    void (*failed)(const char *pcm, const char *reason, void *arg);
    void (*dialled)(char digit, void *arg);
    void *arg;

    struct digits digits;
    struct rtp_sock *rtp;
    struct jbuf *jitter;
    struct tmr timer;
    struct sa peer;
    struct sa signalling;
    uint32_t source;  // the SSRC of the newest packet
    uint8_t payload_type;
    enum codec codecs[PAYLOAD_TYPES];
    bool sends, receives, muted, has_failed;

    snd_pcm_t *playback;
    snd_pcm_t *capture;
    bool playback_begun;
    bool marked;
    int16_t captured[4 * TICK_FRAMES];
    size_t captured_frames;
    uint64_t next_tick;
    uint64_t next_try;
    uint64_t last_packet;
    uint32_t timestamp;
    uint64_t heard_frames;
};

// The callbacks of the socket: RTP of the caller goes into the jitter buffer.
void sound_received(const struct sa *source, const struct rtp_header *header, struct mbuf *packet, void *arg);

// RTCP: a caller that suppresses silence sends nothing else.
void sound_controlled(const struct sa *source, struct rtcp_msg *message, void *arg);

// Keeps 40 ms in the playing PCM.
void sound_play(struct sound *sound);

// Takes what the capturing PCM has.
void sound_capture(struct sound *sound);

// Sends a packet of it.
void sound_send(struct sound *sound);

#endif
