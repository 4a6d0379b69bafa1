// The sound of a call.
#ifndef SOUND_H
#define SOUND_H

#include "CSIP.h"

#include <re.h>

// What the packets of a payload type carry.
enum codec { CODEC_NONE, CODEC_PCMU, CODEC_PCMA, CODEC_NOISE, CODEC_EVENTS };

enum { PAYLOAD_TYPES = 128 };

// The sound of one call: RTP in and out, and two PCMs. On the endpoint's thread alone.
struct sound;

struct sound_options {
    const char *playback;
    const char *capture;
    uint32_t silence_limit;
    uint32_t hold_limit;
};

// Takes a port for RTP at `local`. `silent` is called if neither RTP nor RTCP arrives for too long, `failed` once if a PCM
// cannot be opened, `dialled` with each digit.
int sound_alloc(struct sound **soundp, const struct sound_options *options, const struct sa *local,
    void (*silent)(void *arg), void (*failed)(const char *pcm, const char *reason, void *arg),
    void (*dialled)(char digit, void *arg), void *arg);

// Its socket, whose port is in the description.
struct rtp_sock *sound_rtp(const struct sound *sound);

// Who sends and receives, as SDP says: RTP from other hosts than `peer` and `signalling` is ignored. `sends` and
// `receives` are the directions from here. Packets are sent as `payload_type`, and received as those that `codecs` has, which
// has PAYLOAD_TYPES entries.
void sound_set_peer(struct sound *sound, const struct sa *peer, const struct sa *signalling, uint8_t payload_type,
    const enum codec *codecs, bool sends, bool receives);

// Begins to play and to send.
void sound_open(struct sound *sound);

void sound_mute(struct sound *sound, bool muted);

// How much of the caller's sound was written to the PCM, in milliseconds.
uint32_t sound_heard(const struct sound *sound);

#endif
