// The sound of a call. A timer of 20 ms takes packets out of the jitter buffer, keeps 40 ms in the playing PCM, and sends
// what the capturing PCM has. Nothing of it blocks: a PCM that is busy is tried again.
#include "sound_parts.h"

enum {
    JITTER_MIN = 1,
    JITTER_MAX = 10,
    RETRY_MS = 500,
    CATCH_UP_TICKS = 10,
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
        error = rtp_listen(&sound->rtp, IPPROTO_UDP, local, 16384, 32766, false, sound_received, sound_controlled, sound);
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

static void tick(void *arg)
{
    struct sound *sound = arg;
    uint64_t now = tmr_jiffies();
    uint32_t limit = sound->receives ? sound->silence_limit : sound->hold_limit;

    open_pcms(sound, now);
    sound_play(sound);
    sound_capture(sound);
    sound_send(sound);

    // Against the clock, not against the last tick: no drift. After a long delay, from now on.
    sound->next_tick += TICK_MS;
    if (now > sound->next_tick + CATCH_UP_TICKS * TICK_MS)
        sound->next_tick = now + TICK_MS;
    tmr_start(&sound->timer, sound->next_tick > now ? sound->next_tick - now : 0, tick, sound);

    if (limit && now - sound->last_packet > limit)
        sound->silent(sound->arg);
}
