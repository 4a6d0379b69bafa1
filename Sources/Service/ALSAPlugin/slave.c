/* The slave PCM: its position, writing, and taking back what it has not played. See pcm_ringer.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcm_ringer.h"

/* What is not taken back from a slave that plays: it may be on its way already. */
#define REWIND_MARGIN_MILLISECONDS 5

snd_pcm_uframes_t position_after(const struct ringer *r, snd_pcm_uframes_t position, snd_pcm_uframes_t frames)
{
    snd_pcm_uframes_t result = position + frames;
    return result >= r->boundary ? result - r->boundary : result;
}

/* How far `position` is beyond `other`: negative where it is before it. */
snd_pcm_sframes_t position_distance(const struct ringer *r, snd_pcm_uframes_t position, snd_pcm_uframes_t other)
{
    snd_pcm_sframes_t result = (snd_pcm_sframes_t)(position - other);
    snd_pcm_sframes_t half = (snd_pcm_sframes_t)(r->boundary / 2);
    if (result > half)
        result -= (snd_pcm_sframes_t)r->boundary;
    else if (result < -half)
        result += (snd_pcm_sframes_t)r->boundary;
    return result;
}

/* Takes over the state of a slave that stopped by itself, and returns the error that a transfer then has. */
int slave_failed(struct ringer *r, int error)
{
    if (error == -EPIPE)
        snd_pcm_ioplug_set_state(&r->io, SND_PCM_STATE_XRUN);
    else if (error == -ESTRPIPE)
        snd_pcm_ioplug_set_state(&r->io, SND_PCM_STATE_SUSPENDED);
    else if (error == -ENODEV)
        snd_pcm_ioplug_set_state(&r->io, SND_PCM_STATE_DISCONNECTED);
    return error;
}

/* Takes over the state of a slave that stopped by itself. */
void slave_take_state(struct ringer *r)
{
    snd_pcm_state_t state = snd_pcm_state(r->slave);
    if (state == SND_PCM_STATE_XRUN || state == SND_PCM_STATE_SUSPENDED || state == SND_PCM_STATE_DISCONNECTED)
        snd_pcm_ioplug_set_state(&r->io, state);
}

/* Frames that the slave has and has not played; a negative errno. */
snd_pcm_sframes_t slave_queued(struct ringer *r)
{
    snd_pcm_sframes_t available = snd_pcm_avail_update(r->slave);
    if (available < 0)
        return available;
    return available < (snd_pcm_sframes_t)r->slave_buffer ? (snd_pcm_sframes_t)r->slave_buffer - available : 0;
}

/* How the slave's frames are accessed. Writing to its buffer saves a copy, and a question for the position. */
snd_pcm_access_t slave_access(snd_pcm_stream_t stream)
{
    return stream == SND_PCM_STREAM_PLAYBACK ? SND_PCM_ACCESS_MMAP_INTERLEAVED : SND_PCM_ACCESS_RW_INTERLEAVED;
}

/* Writes frames, or silence where there are none. Returns how many the slave took; a negative errno if none. */
snd_pcm_sframes_t slave_write(struct ringer *r, const char *frames, snd_pcm_uframes_t count)
{
    snd_pcm_uframes_t done = 0;
    while (done < count) {
        const snd_pcm_channel_area_t *areas;
        snd_pcm_uframes_t offset, room = count - done;
        snd_pcm_sframes_t taken = snd_pcm_mmap_begin(r->slave, &areas, &offset, &room);
        if (taken == 0 && room > 0) {
            char *destination = (char *)areas->addr + areas->first / 8 + offset * r->frame_bytes;
            const char *source = frames + done * r->frame_bytes;
            if (frames == NULL)
                memset(destination, 0, room * r->frame_bytes);
            else if (gain_is_unity(&r->gain))
                memcpy(destination, source, room * r->frame_bytes);
            else
                gain_apply(&r->gain, r->io.format, r->io.channels, destination, source, room);
            taken = snd_pcm_mmap_commit(r->slave, offset, room);
        }
        if (taken <= 0) {
            if (done > 0)
                break;
            return slave_failed(r, taken < 0 ? (int)taken : -EAGAIN);
        }
        done += (snd_pcm_uframes_t)taken;
    }
    r->position = position_after(r, r->position, done);
    return (snd_pcm_sframes_t)done;
}

/* Whether frames can be taken back from the slave. An I/O plug-in, such as that of PulseAudio, claims that it can and loses
   its position then; and one may be behind a PCM that converts. */
static bool rewinds(const struct ringer *r)
{
    snd_pcm_type_t type = snd_pcm_type(r->slave);
    return type == SND_PCM_TYPE_HW || type == SND_PCM_TYPE_DMIX || type == SND_PCM_TYPE_DSHARE;
}

/* Takes frames that were not played yet back from the slave, as far as it can. Returns how many. Where its position reaches their
   end meanwhile, dmix takes back what was played, or writes beyond its memory: it has to have a step of its position more. */
static snd_pcm_uframes_t take_back(struct ringer *r)
{
    if (!rewinds(r))
        return 0;
    snd_pcm_sframes_t margin = 0, least = 0;
    snd_pcm_state_t state = snd_pcm_state(r->slave);
    if (state == SND_PCM_STATE_RUNNING || state == SND_PCM_STATE_DRAINING) {
        snd_pcm_avail_update(r->slave);
        margin = (snd_pcm_sframes_t)r->io.rate * REWIND_MARGIN_MILLISECONDS / 1000;
        least = (snd_pcm_sframes_t)r->step;
    }
    snd_pcm_sframes_t frames = snd_pcm_rewindable(r->slave) - margin;
    if (frames > least)
        frames = snd_pcm_rewind(r->slave, (snd_pcm_uframes_t)frames);
    else
        frames = 0;
    return frames > 0 ? (snd_pcm_uframes_t)frames : 0;
}

/* Stops the slave. dmix alone would go on with what it has mixed already, which is taken back first. */
int slave_stop(struct ringer *r)
{
    if (snd_pcm_type(r->slave) == SND_PCM_TYPE_DMIX)
        take_back(r);
    return snd_pcm_drop(r->slave);
}

/* Replaces what the slave has not played yet by silence, as far as it can be taken back. */
void slave_silence(struct ringer *r)
{
    snd_pcm_uframes_t frames = take_back(r);
    if (frames == 0)
        return;
    r->position = position_after(r, r->position, r->boundary - frames);
    slave_write(r, NULL, frames);
}

/* Counts as the program does, which begins anew at 0 with snd_pcm_reset: alsa-lib calls no plug-in then. By anything else its
   position moves within the buffer. What the slave has not played is discarded, as far as it can be taken back. */
void slave_follow_reset(struct ringer *r)
{
    if (labs(position_distance(r, r->position, r->io.appl_ptr)) <= (snd_pcm_sframes_t)r->io.buffer_size)
        return;
    if (r->io.stream == SND_PCM_STREAM_PLAYBACK)
        take_back(r);
    r->position = r->io.appl_ptr;
}
