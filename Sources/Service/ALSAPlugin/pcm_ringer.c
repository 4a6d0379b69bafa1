/* The PCM as alsa-lib sees it: the callbacks of an external I/O plug-in. See pcm_ringer.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "pcm_ringer.h"

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
        audibility_obey(r);
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
    int error = slave_stop(r);
    link_tell(&r->link, false);
    return error;
}

static snd_pcm_sframes_t ringer_pointer(snd_pcm_ioplug_t *io)
{
    LOCKED(io);
    if (r->skipping)
        return (snd_pcm_sframes_t)(io->stream == SND_PCM_STREAM_PLAYBACK ? io->appl_ptr : r->position);
    slave_follow_reset(r);
    snd_pcm_sframes_t frames;
    if (io->stream == SND_PCM_STREAM_CAPTURE) {
        frames = snd_pcm_avail_update(r->slave);
        if (frames >= 0)
            return (snd_pcm_sframes_t)position_after(r, r->position, (snd_pcm_uframes_t)frames);
    } else {
        /* A slave that was drained has stopped: a negative answer ends the drain. */
        if (io->state == SND_PCM_STATE_DRAINING && snd_pcm_state(r->slave) == SND_PCM_STATE_SETUP)
            return -EPIPE;
        frames = slave_queued(r);
        /* Frames that the program took back and has not written again are no longer its own. */
        snd_pcm_sframes_t taken = position_distance(r, r->position, io->appl_ptr);
        if (frames >= 0 && taken > 0)
            frames = frames > taken ? frames - taken : 0;
        if (frames >= 0)
            return (snd_pcm_sframes_t)position_after(r, io->appl_ptr, r->boundary - (snd_pcm_uframes_t)frames);
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
    audibility_obey(r);
    if (r->skipping)
        return (snd_pcm_sframes_t)size;
    slave_follow_reset(r);
    /* The program may have gone back, to write frames anew, or forward. */
    snd_pcm_uframes_t late = 0;
    snd_pcm_sframes_t moved = position_distance(r, r->io.appl_ptr, r->position);
    if (moved < 0) {
        snd_pcm_sframes_t taken = snd_pcm_rewind(r->slave, (snd_pcm_uframes_t)-moved);
        if (taken > 0) {
            r->position = position_after(r, r->position, r->boundary - (snd_pcm_uframes_t)taken);
            moved += taken;
        }
        /* These were played, or the slave does not give them back. */
        late = moved < 0 ? (snd_pcm_uframes_t)-moved : 0;
        if (late >= size)
            return (snd_pcm_sframes_t)size;
    } else if (moved > 0) {
        snd_pcm_sframes_t written = slave_write(r, NULL, (snd_pcm_uframes_t)moved);
        if (written < moved)
            return written < 0 ? written : -EAGAIN;
    }
    const char *frames = (const char *)areas->addr + areas->first / 8 + (offset + late) * r->frame_bytes;
    snd_pcm_sframes_t written = slave_write(r, r->silent ? NULL : frames, size - late);
    if (written < 0)
        return late > 0 ? (snd_pcm_sframes_t)late : written;
    audibility_restart(r);
    return written + (snd_pcm_sframes_t)late;
}

static snd_pcm_sframes_t record(
    struct ringer *r, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size)
{
    link_update(&r->link);
    slave_follow_reset(r);
    /* With mmap, alsa-lib asks again for frames that were read and that the program has not taken. */
    snd_pcm_sframes_t known = position_distance(r, r->position, r->io.appl_ptr);
    if (known > 0 && r->io.access == SND_PCM_ACCESS_RW_INTERLEAVED) {
        /* The program went back, to read frames again. */
        snd_pcm_sframes_t taken = snd_pcm_rewind(r->slave, (snd_pcm_uframes_t)known);
        if (taken > 0)
            r->position = position_after(r, r->position, r->boundary - (snd_pcm_uframes_t)taken);
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
        r->position = position_after(r, r->position, (snd_pcm_uframes_t)got);
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
        audibility_obey(r);
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
        snd_pcm_sframes_t frames = slave_queued(r), most = (snd_pcm_sframes_t)io->period_size;
        poll(NULL, 0, (int)((frames < 0 ? 0 : frames < most ? frames : most) * 1000 / io->rate) + 1);
    }
    snd_pcm_nonblock(r->slave, 1);
    return error;
}

static int ringer_pause(snd_pcm_ioplug_t *io, int enable)
{
    LOCKED(io);
    if (!enable && io->stream == SND_PCM_STREAM_PLAYBACK)
        audibility_obey(r);
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
        slave_take_state(r);
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
    int state = audibility_state(r);
    const char *sound = state == RINGER_PCM_HEARD ? "unjudged, heard" : "unjudged, silent";
    if (r->link.accepted && state == r->link.state && state <= RINGER_PCM_INTERRUPTED)
        sound = states[state];
    snd_output_printf(output, "Ringer PCM\n  category     : %s\n  options      : %s\n  sound        : %s\nSlave: ",
        r->link.hello.category, r->link.hello.options, sound);
    snd_pcm_dump(r->slave, output);
}

void ringer_release(struct ringer *r)
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
    ringer_release(io->private_data);
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

const snd_pcm_ioplug_callback_t ringer_callbacks = {CALLBACKS};
const snd_pcm_ioplug_callback_t ringer_pausing_callbacks = {CALLBACKS, .pause = ringer_pause};
