/* The PCM as alsa-lib sees it: the callbacks of an external I/O plug-in, and its opening. See pcm_ringer.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pcm_ringer.h"

/* What a program may write ahead: where it cannot be taken back, it is silent so long after the switch was flipped. */
#define BUFFER_MILLISECONDS 80
/* How long opening waits for the service's answer: longer in tests. */
#ifndef GREETING_MILLISECONDS
#define GREETING_MILLISECONDS 100
#endif
/* What is not taken back from a slave that plays: it may be on its way already. */
#define REWIND_MARGIN_MILLISECONDS 5

/* MARK: positions, which count from 0 to the boundary */

static snd_pcm_uframes_t after(const struct ringer *r, snd_pcm_uframes_t position, snd_pcm_uframes_t frames)
{
    snd_pcm_uframes_t result = position + frames;
    return result >= r->boundary ? result - r->boundary : result;
}

/* How far `position` is beyond `other`: negative where it is before it. */
static snd_pcm_sframes_t distance(const struct ringer *r, snd_pcm_uframes_t position, snd_pcm_uframes_t other)
{
    snd_pcm_sframes_t result = (snd_pcm_sframes_t)(position - other);
    snd_pcm_sframes_t half = (snd_pcm_sframes_t)(r->boundary / 2);
    if (result > half)
        result -= (snd_pcm_sframes_t)r->boundary;
    else if (result < -half)
        result += (snd_pcm_sframes_t)r->boundary;
    return result;
}

/* MARK: the slave */

/* Takes over the state of a slave that stopped by itself, and returns the error that a transfer then has. */
static int slave_failed(struct ringer *r, int error)
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
static void take_state(struct ringer *r)
{
    snd_pcm_state_t state = snd_pcm_state(r->slave);
    if (state == SND_PCM_STATE_XRUN || state == SND_PCM_STATE_SUSPENDED || state == SND_PCM_STATE_DISCONNECTED)
        snd_pcm_ioplug_set_state(&r->io, state);
}

/* Frames that the slave has and has not played; a negative errno. */
static snd_pcm_sframes_t queued(struct ringer *r)
{
    snd_pcm_sframes_t available = snd_pcm_avail_update(r->slave);
    if (available < 0)
        return available;
    return available < (snd_pcm_sframes_t)r->slave_buffer ? (snd_pcm_sframes_t)r->slave_buffer - available : 0;
}

/* How the slave's frames are accessed. Writing to its buffer saves a copy, and a question for the position. */
static snd_pcm_access_t slave_access(snd_pcm_stream_t stream)
{
    return stream == SND_PCM_STREAM_PLAYBACK ? SND_PCM_ACCESS_MMAP_INTERLEAVED : SND_PCM_ACCESS_RW_INTERLEAVED;
}

/* Writes frames, or silence where there are none. Returns how many the slave took; a negative errno if none. */
static snd_pcm_sframes_t write_slave(struct ringer *r, const char *frames, snd_pcm_uframes_t count)
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
    r->position = after(r, r->position, done);
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
static int stop_slave(struct ringer *r)
{
    if (snd_pcm_type(r->slave) == SND_PCM_TYPE_DMIX)
        take_back(r);
    return snd_pcm_drop(r->slave);
}

/* Replaces what the slave has not played yet by silence, as far as it can be taken back. */
static void silence_queued(struct ringer *r)
{
    snd_pcm_uframes_t frames = take_back(r);
    if (frames == 0)
        return;
    r->position = after(r, r->position, r->boundary - frames);
    write_slave(r, NULL, frames);
}

/* Counts as the program does, which begins anew at 0 with snd_pcm_reset: alsa-lib calls no plug-in then. By anything else its
   position moves within the buffer. What the slave has not played is discarded, as far as it can be taken back. */
static void follow_reset(struct ringer *r)
{
    if (labs(distance(r, r->position, r->io.appl_ptr)) <= (snd_pcm_sframes_t)r->io.buffer_size)
        return;
    if (r->io.stream == SND_PCM_STREAM_PLAYBACK)
        take_back(r);
    r->position = r->io.appl_ptr;
}

/* MARK: obeying */

static void begin_skipping(struct ringer *r)
{
    r->skipping = true;
    r->restarts = false;
    stop_slave(r);
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
static int current_state(const struct ringer *r)
{
    if (r->link.over)
        return RINGER_PCM_INTERRUPTED;
    bool plays_unjudged = r->plays_unreachable && r->link.refusal == 0;
    int state = r->link.accepted ? r->link.state : plays_unjudged ? RINGER_PCM_HEARD : RINGER_PCM_INTERRUPTED;
    bool is_unknown = r->link.hangs && !(r->link.flags & RINGER_PCM_IGNORES_SWITCH);
    return state == RINGER_PCM_HEARD && is_unknown ? RINGER_PCM_INTERRUPTED : state;
}

/* Acts on what the service has said since. */
static void obey(struct ringer *r)
{
    bool hung = r->link.hangs;
    link_update(&r->link);
    link_ask(&r->link);
    if (r->link.hangs && !hung)
        SNDERR("ringer: the service at %s does not answer: until it does, the switch counts as silent",
            r->link.address.sun_path);
    int state = current_state(r);
    float gain = r->link.accepted ? (float)r->link.gain / RINGER_PCM_FULL_GAIN : 1;
    unsigned int ramp = r->link.accepted ? r->link.ramp : RINGER_PCM_RAMP_MILLISECONDS;
    bool silent = state != RINGER_PCM_HEARD;
    bool skips = r->skips && state == RINGER_PCM_SILENCED;
    if (silent && !r->silent && !skips)
        silence_queued(r);
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
    snd_pcm_sframes_t frames = queued(r), buffer = (snd_pcm_sframes_t)r->io.buffer_size;
    return frames >= buffer / 2 || buffer - frames < (snd_pcm_sframes_t)r->least_room;
}

/* Starts the slave again after frames were skipped, once there is something to play. */
static void restart(struct ringer *r)
{
    if (!r->restarts || (r->io.state == SND_PCM_STATE_RUNNING && !has_enough(r)))
        return;
    r->restarts = false;
    snd_pcm_start(r->slave);
}

/* MARK: callbacks */

static struct ringer *lock(struct ringer *r)
{
    pthread_mutex_lock(&r->lock);
    return r;
}

static void unlock(struct ringer **r)
{
    pthread_mutex_unlock(&(*r)->lock);
}

/* What the PCM's callbacks work on, with its lock until they return. */
#define LOCKED(io) __attribute__((cleanup(unlock))) struct ringer *r = lock((io)->private_data)

static int ringer_start(snd_pcm_ioplug_t *io)
{
    LOCKED(io);
    link_tell(&r->link, true);
    if (io->stream == SND_PCM_STREAM_PLAYBACK) {
        /* What was written may have been heard then, and not now. */
        bool skipped = r->skipping;
        obey(r);
        /* A slave that got nothing yet cannot start. */
        r->restarts = skipped && !r->skipping;
        if (r->skipping || r->restarts)
            return 0;
    }
    return snd_pcm_start(r->slave);
}

static int ringer_stop(snd_pcm_ioplug_t *io)
{
    LOCKED(io);
    r->restarts = false;
    int error = stop_slave(r);
    link_tell(&r->link, false);
    return error;
}

static snd_pcm_sframes_t ringer_pointer(snd_pcm_ioplug_t *io)
{
    LOCKED(io);
    if (r->skipping)
        return (snd_pcm_sframes_t)(io->stream == SND_PCM_STREAM_PLAYBACK ? io->appl_ptr : r->position);
    follow_reset(r);
    snd_pcm_sframes_t frames;
    if (io->stream == SND_PCM_STREAM_CAPTURE) {
        frames = snd_pcm_avail_update(r->slave);
        if (frames >= 0)
            return (snd_pcm_sframes_t)after(r, r->position, (snd_pcm_uframes_t)frames);
    } else {
        /* A slave that was drained has stopped: a negative answer ends the drain. */
        if (io->state == SND_PCM_STATE_DRAINING && snd_pcm_state(r->slave) == SND_PCM_STATE_SETUP)
            return -EPIPE;
        frames = queued(r);
        /* Frames that the program took back and has not written again are no longer its own. */
        snd_pcm_sframes_t taken = distance(r, r->position, io->appl_ptr);
        if (frames >= 0 && taken > 0)
            frames = frames > taken ? frames - taken : 0;
        if (frames >= 0)
            return (snd_pcm_sframes_t)after(r, io->appl_ptr, r->boundary - (snd_pcm_uframes_t)frames);
    }
    if (frames == -EPIPE || io->state == SND_PCM_STATE_DRAINING)
        return -EPIPE;
    /* alsa-lib takes every negative answer for an underrun. */
    slave_failed(r, (int)frames);
    return (snd_pcm_sframes_t)io->hw_ptr;
}

static snd_pcm_sframes_t play(
    struct ringer *r, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size)
{
    obey(r);
    if (r->skipping)
        return (snd_pcm_sframes_t)size;
    follow_reset(r);
    /* The program may have gone back, to write frames anew, or forward. */
    snd_pcm_uframes_t late = 0;
    snd_pcm_sframes_t moved = distance(r, r->io.appl_ptr, r->position);
    if (moved < 0) {
        snd_pcm_sframes_t taken = snd_pcm_rewind(r->slave, (snd_pcm_uframes_t)-moved);
        if (taken > 0) {
            r->position = after(r, r->position, r->boundary - (snd_pcm_uframes_t)taken);
            moved += taken;
        }
        /* These were played, or the slave does not give them back. */
        late = moved < 0 ? (snd_pcm_uframes_t)-moved : 0;
        if (late >= size)
            return (snd_pcm_sframes_t)size;
    } else if (moved > 0) {
        snd_pcm_sframes_t written = write_slave(r, NULL, (snd_pcm_uframes_t)moved);
        if (written < moved)
            return written < 0 ? written : -EAGAIN;
    }
    const char *frames = (const char *)areas->addr + areas->first / 8 + (offset + late) * r->frame_bytes;
    snd_pcm_sframes_t written = write_slave(r, r->silent ? NULL : frames, size - late);
    if (written < 0)
        return late > 0 ? (snd_pcm_sframes_t)late : written;
    restart(r);
    return written + (snd_pcm_sframes_t)late;
}

static snd_pcm_sframes_t record(
    struct ringer *r, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size)
{
    link_update(&r->link);
    follow_reset(r);
    /* With mmap, alsa-lib asks again for frames that were read and that the program has not taken. */
    snd_pcm_sframes_t known = distance(r, r->position, r->io.appl_ptr);
    if (known > 0 && r->io.access == SND_PCM_ACCESS_RW_INTERLEAVED) {
        /* The program went back, to read frames again. */
        snd_pcm_sframes_t taken = snd_pcm_rewind(r->slave, (snd_pcm_uframes_t)known);
        if (taken > 0)
            r->position = after(r, r->position, r->boundary - (snd_pcm_uframes_t)taken);
        if (taken < known)
            return -EINVAL;
        known = 0;
    }
    if (known < 0)
        known = 0;
    snd_pcm_uframes_t done = (snd_pcm_uframes_t)known;
    char *frames = (char *)areas->addr + areas->first / 8 + offset * r->frame_bytes;
    while (done < size) {
        snd_pcm_sframes_t got = snd_pcm_readi(r->slave, frames + done * r->frame_bytes, size - done);
        if (got <= 0) {
            if (done > 0)
                break;
            return slave_failed(r, got < 0 ? (int)got : -EAGAIN);
        }
        r->position = after(r, r->position, (snd_pcm_uframes_t)got);
        done += (snd_pcm_uframes_t)got;
    }
    return (snd_pcm_sframes_t)(done < size ? done : size);
}

static snd_pcm_sframes_t ringer_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size)
{
    LOCKED(io);
    return io->stream == SND_PCM_STREAM_PLAYBACK ? play(r, areas, offset, size) : record(r, areas, offset, size);
}

static int ringer_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay)
{
    LOCKED(io);
    *delay = 0;
    if (r->skipping)
        return 0;
    int error = snd_pcm_delay(r->slave, delay);
    return error < 0 ? slave_failed(r, error) : 0;
}

static int ringer_prepare(snd_pcm_ioplug_t *io)
{
    LOCKED(io);
    r->position = 0;
    r->restarts = false;
    return r->skipping ? 0 : snd_pcm_prepare(r->slave);
}

/* The slave plays what it has to the end; in non-blocking mode the answer is -EAGAIN until then. No thread waits inside of dmix:
   where another one's question for the position, or its stop, notices the end first, dmix takes away what wakes the drain up.
   It is asked again when it may have reached the end; after a period at most, as it mixes a period at a time. */
static int ringer_drain(snd_pcm_ioplug_t *io)
{
    struct ringer *r = io->private_data;
    /* Another thread may stop the PCM now: alsa-lib lets go of its lock for a drain. */
    pthread_mutex_lock(&r->lock);
    if (!r->skipping && snd_pcm_state(r->slave) == SND_PCM_STATE_PREPARED) {
        link_tell(&r->link, true);
        obey(r);
    }
    bool skips = r->skipping;
    r->restarts = false;
    pthread_mutex_unlock(&r->lock);
    if (skips)
        return 0;
    bool is_dmix = snd_pcm_type(r->slave) == SND_PCM_TYPE_DMIX;
    snd_pcm_nonblock(r->slave, is_dmix || io->nonblock);
    int error;
    while ((error = snd_pcm_drain(r->slave)) == -EAGAIN && !io->nonblock) {
        snd_pcm_sframes_t frames = queued(r), most = (snd_pcm_sframes_t)io->period_size;
        poll(NULL, 0, (int)((frames < 0 ? 0 : frames < most ? frames : most) * 1000 / io->rate) + 1);
    }
    snd_pcm_nonblock(r->slave, 1);
    return error;
}

static int ringer_pause(snd_pcm_ioplug_t *io, int enable)
{
    LOCKED(io);
    if (!enable && io->stream == SND_PCM_STREAM_PLAYBACK)
        obey(r);
    /* A slave that is to be started again does not run. */
    return r->skipping || r->restarts ? 0 : snd_pcm_pause(r->slave, enable);
}

/* alsa-lib takes every answer for success, ours and that of a slave that is an I/O plug-in, and leaves the state to the
   plug-in: after an underrun the program prepares the PCM anew. dmix never resumes. */
static int ringer_resume(snd_pcm_ioplug_t *io)
{
    LOCKED(io);
    int error = snd_pcm_resume(r->slave);
    snd_pcm_state_t state = snd_pcm_state(r->slave);
    snd_pcm_ioplug_set_state(io, error < 0 || state == SND_PCM_STATE_SUSPENDED ? SND_PCM_STATE_XRUN : state);
    return error;
}

static int ringer_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *ours)
{
    LOCKED(io);
    (void)ours;
    snd_pcm_hw_params_t *params;
    snd_pcm_hw_params_alloca(&params);
    snd_pcm_uframes_t period = io->period_size, buffer = io->buffer_size;
    int error = snd_pcm_hw_params_any(r->slave, params);
    if (error >= 0)
        error = snd_pcm_hw_params_set_access(r->slave, params, slave_access(io->stream));
    if (error >= 0)
        error = snd_pcm_hw_params_set_format(r->slave, params, io->format);
    if (error >= 0)
        error = snd_pcm_hw_params_set_channels(r->slave, params, io->channels);
    if (error >= 0)
        error = snd_pcm_hw_params_set_rate(r->slave, params, io->rate, 0);
    if (error >= 0)
        error = snd_pcm_hw_params_set_buffer_size_min(r->slave, params, &buffer);
    if (error >= 0)
        error = snd_pcm_hw_params_set_period_size_near(r->slave, params, &period, NULL);
    if (error >= 0) {
        buffer = io->buffer_size;
        error = snd_pcm_hw_params_set_buffer_size_near(r->slave, params, &buffer);
    }
    if (error >= 0)
        error = snd_pcm_hw_params(r->slave, params);
    if (error < 0) {
        SNDERR("ringer: %s does not take a period of %lu and a buffer of %lu frames: %s", r->slave_name,
            io->period_size, io->buffer_size, snd_strerror(error));
        return error;
    }
    r->slave_buffer = buffer;
    r->frame_bytes = (size_t)snd_pcm_format_physical_width(io->format) / 8 * io->channels;
    return 0;
}

static int ringer_hw_free(snd_pcm_ioplug_t *io)
{
    return snd_pcm_hw_free(((struct ringer *)io->private_data)->slave);
}

static int ringer_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *ours)
{
    LOCKED(io);
    snd_pcm_sw_params_t *params;
    snd_pcm_sw_params_alloca(&params);
    snd_pcm_uframes_t stop, boundary;
    snd_pcm_sw_params_get_avail_min(ours, &r->least_room);
    snd_pcm_sw_params_get_stop_threshold(ours, &stop);
    snd_pcm_sw_params_get_boundary(ours, &r->boundary);
    int error = snd_pcm_sw_params_current(r->slave, params);
    if (error < 0)
        return error;
    snd_pcm_sw_params_get_boundary(params, &boundary);
    /* A slave with a larger buffer has more room. */
    snd_pcm_uframes_t more = io->stream == SND_PCM_STREAM_PLAYBACK ? r->slave_buffer - io->buffer_size : 0;
    error = snd_pcm_sw_params_set_avail_min(r->slave, params, r->least_room + more);
    if (error >= 0)
        error = snd_pcm_sw_params_set_stop_threshold(
            r->slave, params, stop >= r->boundary ? boundary : stop + more);
    /* It is started when this PCM is. */
    if (error >= 0)
        error = snd_pcm_sw_params_set_start_threshold(r->slave, params, boundary);
    return error < 0 ? error : snd_pcm_sw_params(r->slave, params);
}

static int ringer_poll_descriptors_count(snd_pcm_ioplug_t *io)
{
    struct ringer *r = io->private_data;
    return snd_pcm_poll_descriptors_count(r->slave) + (r->ready >= 0);
}

static int ringer_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned int space)
{
    struct ringer *r = io->private_data;
    unsigned int extra = r->ready >= 0;
    if (space < extra)
        return -EINVAL;
    int count = snd_pcm_poll_descriptors(r->slave, descriptors, space - extra);
    if (count < 0 || !extra)
        return count;
    descriptors[count] = (struct pollfd){.fd = r->ready, .events = POLLIN};
    return count + 1;
}

static int ringer_poll_revents(
    snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned int count, unsigned short *revents)
{
    LOCKED(io);
    if (r->skipping) {
        *revents = POLLOUT;
        return 0;
    }
    int error = snd_pcm_poll_descriptors_revents(r->slave, descriptors, count - (r->ready >= 0), revents);
    /* alsa-lib looks at the state next, to tell an underrun from a device that is broken. */
    if (error >= 0 && (*revents & POLLERR) && r->io.state != SND_PCM_STATE_DRAINING)
        take_state(r);
    return error;
}

static snd_pcm_chmap_query_t **ringer_query_chmaps(snd_pcm_ioplug_t *io)
{
    return snd_pcm_query_chmaps(((struct ringer *)io->private_data)->slave);
}

static snd_pcm_chmap_t *ringer_get_chmap(snd_pcm_ioplug_t *io)
{
    return snd_pcm_get_chmap(((struct ringer *)io->private_data)->slave);
}

static int ringer_set_chmap(snd_pcm_ioplug_t *io, const snd_pcm_chmap_t *map)
{
    return snd_pcm_set_chmap(((struct ringer *)io->private_data)->slave, map);
}

static void ringer_dump(snd_pcm_ioplug_t *io, snd_output_t *output)
{
    static const char *const states[] = {
        [RINGER_PCM_HEARD] = "heard", [RINGER_PCM_SILENCED] = "silenced", [RINGER_PCM_INTERRUPTED] = "interrupted"};
    LOCKED(io);
    /* The library's mute detector reads these lines: Sources/Linux/RingerLinux/ALSA/Formats/PCMDescription.swift. */
    int state = current_state(r);
    const char *sound = state == RINGER_PCM_HEARD ? "unjudged, heard" : "unjudged, silent";
    if (r->link.accepted && state == r->link.state && state <= RINGER_PCM_INTERRUPTED)
        sound = states[state];
    snd_output_printf(output, "Ringer PCM\n  category     : %s\n  options      : %s\n  sound        : %s\nSlave: ",
        r->link.hello.category, r->link.hello.options, sound);
    snd_pcm_dump(r->slave, output);
}

static void release(struct ringer *r)
{
    link_close(&r->link);
    if (r->ready >= 0)
        close(r->ready);
    if (r->slave != NULL)
        snd_pcm_close(r->slave);
    pthread_mutex_destroy(&r->lock);
    free(r->slave_name);
    free(r);
}

static int ringer_close(snd_pcm_ioplug_t *io)
{
    release(io->private_data);
    return 0;
}

/* What every slave can do. */
#define CALLBACKS                                                                                                    \
    .start = ringer_start, .stop = ringer_stop, .pointer = ringer_pointer, .transfer = ringer_transfer,             \
    .close = ringer_close, .hw_params = ringer_hw_params, .hw_free = ringer_hw_free,                                \
    .sw_params = ringer_sw_params, .prepare = ringer_prepare, .drain = ringer_drain, .resume = ringer_resume,       \
    .poll_descriptors_count = ringer_poll_descriptors_count, .poll_descriptors = ringer_poll_descriptors,           \
    .poll_revents = ringer_poll_revents, .dump = ringer_dump, .delay = ringer_delay,                                \
    .query_chmaps = ringer_query_chmaps, .get_chmap = ringer_get_chmap, .set_chmap = ringer_set_chmap

static const snd_pcm_ioplug_callback_t callbacks = {CALLBACKS};
static const snd_pcm_ioplug_callback_t pausing_callbacks = {CALLBACKS, .pause = ringer_pause};

/* MARK: opening */

static int choose_format(struct ringer *r, snd_pcm_hw_params_t *params)
{
    const snd_pcm_format_t *next = gain_formats;
    while (r->format == SND_PCM_FORMAT_UNKNOWN && *next != SND_PCM_FORMAT_UNKNOWN) {
        if (snd_pcm_hw_params_test_format(r->slave, params, *next) == 0)
            r->format = *next;
        next++;
    }
    /* alsa-lib aborts for a format that is none. */
    return r->format == SND_PCM_FORMAT_UNKNOWN ? -EINVAL : snd_pcm_hw_params_set_format(r->slave, params, r->format);
}

/* Chooses the one format, rate and channel count that this PCM has; `plug` converts others. alsa-lib bounds an I/O
   plug-in's buffer in bytes alone, and only with these known does that bound its time. */
static int choose(struct ringer *r, snd_pcm_hw_params_t *params, snd_pcm_stream_t stream)
{
    int error = snd_pcm_hw_params_any(r->slave, params);
    if (error >= 0)
        error = snd_pcm_hw_params_set_access(r->slave, params, slave_access(stream));
    if (error >= 0)
        error = choose_format(r, params);
    if (error >= 0)
        error = snd_pcm_hw_params_set_channels_near(r->slave, params, &r->channels);
    if (error >= 0)
        error = snd_pcm_hw_params_set_rate_near(r->slave, params, &r->rate, NULL);
    if (error < 0)
        SNDERR("ringer: %s has no mmap, or none of the formats S16, S24, S32 and FLOAT: name it plug:%s", r->slave_name,
            r->slave_name);
    return error;
}

static int constrain(struct ringer *r, snd_pcm_hw_params_t *params)
{
    static const unsigned int accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
    snd_pcm_uframes_t shortest, longest, least, most;
    snd_pcm_hw_params_get_period_size_min(params, &shortest, NULL);
    snd_pcm_hw_params_get_period_size_max(params, &longest, NULL);
    snd_pcm_hw_params_get_buffer_size_min(params, &least);
    snd_pcm_hw_params_get_buffer_size_max(params, &most);
    /* dmix mixes nothing into the period that its card plays. Of a stream with frames that wait for that it takes back none
       that are mixed, and says that it did: with a period left empty none wait (PCMHandle.swift). */
    if (snd_pcm_type(r->slave) == SND_PCM_TYPE_DMIX && most >= 3 * shortest) {
        most -= shortest;
        if (least > most)
            least = most;
    }
    unsigned int frame = (unsigned int)snd_pcm_format_physical_width(r->format) / 8 * r->channels;
    snd_pcm_uframes_t limit = r->io.stream == SND_PCM_STREAM_PLAYBACK
        ? (snd_pcm_uframes_t)r->rate * BUFFER_MILLISECONDS / 1000
        : INT_MAX / frame;
    if (most > limit)
        most = limit > least ? limit : least;
    r->step = shortest;
    if (longest > most / 2)
        longest = most / 2 > shortest ? most / 2 : shortest;
    unsigned int format = r->format;
    int error = snd_pcm_ioplug_set_param_list(&r->io, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses);
    if (error >= 0)
        error = snd_pcm_ioplug_set_param_list(&r->io, SND_PCM_IOPLUG_HW_FORMAT, 1, &format);
    const struct {
        int parameter;
        unsigned int least, most;
    } ranges[] = {
        {SND_PCM_IOPLUG_HW_RATE, r->rate, r->rate},
        {SND_PCM_IOPLUG_HW_CHANNELS, r->channels, r->channels},
        {SND_PCM_IOPLUG_HW_PERIOD_BYTES, shortest * frame, longest * frame},
        {SND_PCM_IOPLUG_HW_BUFFER_BYTES, least * frame, most * frame},
        {SND_PCM_IOPLUG_HW_PERIODS, 2, 1024},
    };
    for (size_t i = 0; error >= 0 && i < sizeof ranges / sizeof ranges[0]; i++)
        error = snd_pcm_ioplug_set_param_minmax(&r->io, ranges[i].parameter, ranges[i].least, ranges[i].most);
    return error;
}

/* Introduces the PCM to the service. A refusal is said once, here; a category that is not known ends the opening. */
static int greet(struct ringer *r, snd_pcm_stream_t stream)
{
    struct ringer_pcm_packet *hello = &r->link.hello;
    hello->version = RINGER_PCM_VERSION;
    hello->kind = RINGER_PCM_HELLO;
    r->link.flags = ringer_pcm_ignores_switch(hello->category, hello->options) ? RINGER_PCM_IGNORES_SWITCH : 0;
    hello->value = stream == SND_PCM_STREAM_PLAYBACK ? RINGER_PCM_PLAYBACK : RINGER_PCM_CAPTURE;
    strncpy(hello->name, program_invocation_short_name, sizeof hello->name - 1);
    link_open(&r->link, GREETING_MILLISECONDS);
    switch (r->link.refusal) {
    case RINGER_PCM_VERSION_UNKNOWN:
        SNDERR("ringer: the service at %s is of another version", r->link.address.sun_path);
        break;
    case RINGER_PCM_NOT_PERMITTED:
        SNDERR("ringer: the service does not permit this user to play");
        break;
    case RINGER_PCM_TOO_MANY:
        SNDERR("ringer: the service has too many connections: %s",
            r->link.why[0] != 0 ? r->link.why : "see pcms-per-user in ringerd.conf");
        break;
    case RINGER_PCM_CATEGORY_UNKNOWN:
        SNDERR("ringer: no category %s with the options '%s': the categories are ambient, soloAmbient, playback, record, "
               "playAndRecord, audioProcessing, multiRoute",
            hello->category, hello->options);
        return -EINVAL;
    default:
        break;
    }
    return 0;
}

static int open_ringer(struct ringer *r, const char *name, snd_config_t *root, snd_config_t *conf,
    snd_pcm_stream_t stream, int mode)
{
    int error = ringer_configure(r, conf);
    if (error < 0)
        return error;
    error = snd_pcm_open_lconf(&r->slave, r->slave_name, stream, mode, root);
    if (error < 0) {
        SNDERR("ringer: %s cannot be opened: %s", r->slave_name, snd_strerror(error));
        return error;
    }
    if (r->skips && stream == SND_PCM_STREAM_PLAYBACK) {
        r->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (r->ready < 0)
            return -errno;
    }
    snd_pcm_hw_params_t *params;
    snd_pcm_hw_params_alloca(&params);
    error = snd_pcm_nonblock(r->slave, 1);
    if (error >= 0)
        error = choose(r, params, stream);
    if (error >= 0)
        error = greet(r, stream);
    if (error < 0)
        return error;
    r->io.version = SND_PCM_IOPLUG_VERSION;
    r->io.name = "Ringer";
    r->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
    r->io.callback = snd_pcm_hw_params_can_pause(params) ? &pausing_callbacks : &callbacks;
    r->io.private_data = r;
    error = snd_pcm_ioplug_create(&r->io, name, stream, mode);
    if (error < 0)
        return error;
    /* alsa-lib reports later changes of the mode here, but not the one that the PCM was opened with. */
    r->io.nonblock = (mode & SND_PCM_NONBLOCK) != 0;
    return constrain(r, params);
}

/* alsa-lib looks these up; nothing else of the object is visible in the program. */
#pragma GCC visibility push(default)
SND_PCM_PLUGIN_DEFINE_FUNC(ringer)
{
    struct ringer *r = calloc(1, sizeof *r);
    if (r == NULL)
        return -ENOMEM;
    r->ready = r->link.socket = -1;
    r->link.address.sun_family = AF_UNIX;
    strcpy(r->link.address.sun_path, RINGER_PCM_SOCKET);
    strcpy(r->link.hello.category, "soloAmbient");
    pthread_mutex_init(&r->lock, NULL);
    r->format = SND_PCM_FORMAT_UNKNOWN;
    r->rate = 48000;
    r->channels = 2;
    r->silent = true;
    gain_set(&r->gain, 1);
    int error = open_ringer(r, name, root, conf, stream, mode);
    if (error < 0) {
        /* Closing the PCM releases all. */
        if (r->io.pcm != NULL)
            snd_pcm_ioplug_delete(&r->io);
        else
            release(r);
        return error;
    }
    *pcmp = r->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(ringer);
#pragma GCC visibility pop
