/* Whether the stream is heard: the service's word, and what follows from it for the slave. See pcm_ringer.h. */
#include <sys/eventfd.h>

#include "pcm_ringer.h"

static void begin_skipping(struct ringer *r)
{
    r->skipping = true;
    r->restarts = false;
    slave_stop(r);
    eventfd_write(r->ready, 1);
}

static void end_skipping(struct ringer *r)
{
    eventfd_t count;
    r->skipping = false;
    eventfd_read(r->ready, &count);
    r->position = r->io.appl_ptr;
    snd_pcm_prepare(r->slave);
    r->restarts = r->io.state != SND_PCM_STATE_PREPARED;
}

/* What holds for the stream: the service's word, or what is configured for a service that is not there. One that refuses is
   there. While it hangs, what obeys the switch is not heard: it may be at silent by now. */
int audibility_state(const struct ringer *r)
{
    if (r->link.over)
        return RINGER_PCM_INTERRUPTED;
    bool plays_unjudged = r->plays_unreachable && r->link.refusal == 0;
    int state = r->link.accepted ? r->link.state : plays_unjudged ? RINGER_PCM_HEARD : RINGER_PCM_INTERRUPTED;
    bool is_unknown = r->link.hangs && !(r->link.flags & RINGER_PCM_IGNORES_SWITCH);
    return state == RINGER_PCM_HEARD && is_unknown ? RINGER_PCM_INTERRUPTED : state;
}

/* Acts on what the service has said since. */
void audibility_obey(struct ringer *r)
{
    bool hung = r->link.hangs;
    link_update(&r->link);
    link_ask(&r->link);
    if (r->link.hangs && !hung)
        SNDERR("ringer: the service at %s does not answer: until it does, the switch counts as silent",
            r->link.address.sun_path);
    int state = audibility_state(r);
    float gain = r->link.accepted ? (float)r->link.gain / RINGER_PCM_FULL_GAIN : 1;
    unsigned int ramp = r->link.accepted ? r->link.ramp : RINGER_PCM_RAMP_MILLISECONDS;
    bool silent = state != RINGER_PCM_HEARD;
    bool skips = r->skips && state == RINGER_PCM_SILENCED;
    if (silent && !r->silent && !skips)
        slave_silence(r);
    if (silent || r->silent)
        gain_set(&r->gain, gain);
    else
        gain_approach(&r->gain, gain, (snd_pcm_uframes_t)r->io.rate * ramp / 1000);
    r->silent = silent;
    if (skips && !r->skipping)
        begin_skipping(r);
    else if (!skips && r->skipping)
        end_skipping(r);
}

/* Whether the slave has something to play: half a buffer, or as much as the program writes before it waits for room. */
static bool has_enough(struct ringer *r)
{
    snd_pcm_sframes_t frames = slave_queued(r), buffer = (snd_pcm_sframes_t)r->io.buffer_size;
    return frames >= buffer / 2 || buffer - frames < (snd_pcm_sframes_t)r->least_room;
}

/* Starts the slave again after frames were skipped, once there is something to play. */
void audibility_restart(struct ringer *r)
{
    if (!r->restarts || (r->io.state == SND_PCM_STATE_RUNNING && !has_enough(r)))
        return;
    r->restarts = false;
    snd_pcm_start(r->slave);
}
