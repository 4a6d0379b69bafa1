// The sound of a call. A timer of 20 ms takes packets out of the jitter buffer, keeps 40 ms in the playing PCM, and sends
// what the capturing PCM has. Nothing of it blocks: a PCM that is busy is tried again.
#include "sound.h"

#include "codec.h"
#include "digits.h"
#include "pcm.h"

enum {
    LONGEST_PACKET = PCM_RATE / 10,  // 100 ms; longer ones are cut
    JITTER_MIN = 1,
    JITTER_MAX = 10,
    RETRY_MS = 500,
    CATCH_UP_TICKS = 10,
};

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

static void tick(void *arg);

static void destroy(void *arg)
{
    struct sound *sound = arg;

    tmr_cancel(&sound->timer);
    if (sound->playback) {
        snd_pcm_drop(sound->playback);
        snd_pcm_close(sound->playback);
    }
    if (sound->capture)
        snd_pcm_close(sound->capture);
    mem_deref(sound->rtp);
    mem_deref(sound->jitter);
    mem_deref(sound->playback_name);
    mem_deref(sound->capture_name);
}

static bool is_caller(const struct sound *sound, const struct sa *source)
{
    return sa_cmp(source, &sound->peer, SA_ADDR) || sa_cmp(source, &sound->signalling, SA_ADDR);
}

// RTCP: a caller that suppresses silence sends nothing else.
static void controlled(const struct sa *source, struct rtcp_msg *message, void *arg)
{
    struct sound *sound = arg;

    (void)message;
    if (is_caller(sound, source))
        sound->last_packet = tmr_jiffies();
}

static void received(const struct sa *source, const struct rtp_header *header, struct mbuf *packet, void *arg)
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

int sound_alloc(struct sound **soundp, const struct sound_options *options, const struct sa *local,
    void (*silent)(void *arg), void (*failed)(const char *pcm, const char *reason, void *arg),
    void (*dialled)(char digit, void *arg), void *arg)
{
    struct sound *sound = mem_zalloc(sizeof(*sound), destroy);
    int error;

    if (!sound)
        return ENOMEM;
    sound->silence_limit = options->silence_limit;
    sound->hold_limit = options->hold_limit;
    sound->silent = silent;
    sound->failed = failed;
    sound->dialled = dialled;
    sound->arg = arg;
    sound->sends = sound->receives = true;
    sound->timestamp = rand_u32();
    tmr_init(&sound->timer);
    error = str_dup(&sound->playback_name, options->playback);
    if (!error)
        error = str_dup(&sound->capture_name, options->capture);
    if (!error)
        error = jbuf_alloc(&sound->jitter, JITTER_MIN, JITTER_MAX);
    if (!error)
        error = rtp_listen(&sound->rtp, IPPROTO_UDP, local, 16384, 32766, false, received, controlled, sound);
    if (error) {
        mem_deref(sound);
        return error;
    }
    *soundp = sound;
    return 0;
}

struct rtp_sock *sound_rtp(const struct sound *sound)
{
    return sound->rtp;
}

void sound_set_peer(struct sound *sound, const struct sa *peer, const struct sa *signalling, uint8_t payload_type,
    const enum codec *codecs, bool sends, bool receives)
{
    sound->peer = *peer;
    sound->signalling = *signalling;
    sound->payload_type = payload_type;
    memcpy(sound->codecs, codecs, sizeof(sound->codecs));
    sound->sends = sends;
    sound->receives = receives;
    sound->last_packet = tmr_jiffies();
}

void sound_open(struct sound *sound)
{
    if (tmr_isrunning(&sound->timer))
        return;
    sound->next_tick = sound->last_packet = tmr_jiffies();
    tick(sound);
}

void sound_mute(struct sound *sound, bool muted)
{
    sound->muted = muted;
}

uint32_t sound_heard(const struct sound *sound)
{
    return (uint32_t)(sound->heard_frames * 1000 / PCM_RATE);
}

static void report(struct sound *sound, const char *pcm, int error)
{
    if (sound->has_failed)
        return;
    sound->has_failed = true;
    sound->failed(pcm, snd_strerror(error), sound->arg);
}

// Opens what is not open, now and then.
static void open_pcms(struct sound *sound, uint64_t now)
{
    int error;

    if ((sound->playback && sound->capture) || now < sound->next_try)
        return;
    sound->next_try = now + RETRY_MS;
    if (!sound->playback) {
        error = pcm_open(&sound->playback, sound->playback_name, SND_PCM_STREAM_PLAYBACK);
        if (error < 0)
            report(sound, sound->playback_name, error);
        sound->playback_begun = false;
    }
    if (!sound->capture) {
        error = pcm_open(&sound->capture, sound->capture_name, SND_PCM_STREAM_CAPTURE);
        if (error < 0)
            report(sound, sound->capture_name, error);
    }
}

static void play(struct sound *sound)
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

static void capture(struct sound *sound)
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

static void send_packet(struct sound *sound)
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

static void tick(void *arg)
{
    struct sound *sound = arg;
    uint64_t now = tmr_jiffies();
    uint32_t limit = sound->receives ? sound->silence_limit : sound->hold_limit;

    open_pcms(sound, now);
    play(sound);
    capture(sound);
    send_packet(sound);

    // Against the clock, not against the last tick: no drift. After a long delay, from now on.
    sound->next_tick += TICK_MS;
    if (now > sound->next_tick + CATCH_UP_TICKS * TICK_MS)
        sound->next_tick = now + TICK_MS;
    tmr_start(&sound->timer, sound->next_tick > now ? sound->next_tick - now : 0, tick, sound);

    if (limit && now - sound->last_packet > limit)
        sound->silent(sound->arg);
}
