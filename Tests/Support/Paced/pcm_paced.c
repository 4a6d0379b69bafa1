/* The paced sink as alsa-lib sees it: the callbacks of an external I/O plugin, and its opening. See paced.h. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "paced.h"

static int paced_start(snd_pcm_ioplug_t *io)
{
    struct paced *p = io->private_data;
    pthread_mutex_lock(&p->lock);
    p->written = io->appl_ptr;
    if (p->written == p->played) {
        /* As the kernel's answer is. */
        pthread_mutex_unlock(&p->lock);
        return -EPIPE;
    }
    paced_run(p);
    if (p->starts >= 0)
        dprintf(p->starts, "%lld\n", (long long)p->started);
    paced_arm(p);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

/* Stands still, or goes on from there. */
static int paced_pause(snd_pcm_ioplug_t *io, int enable)
{
    struct paced *p = io->private_data;
    pthread_mutex_lock(&p->lock);
    p->written = io->appl_ptr;
    int error = paced_advance(p);
    if (error == 0 && enable)
        p->running = false;
    else if (error == 0)
        paced_run(p);
    paced_arm(p);
    pthread_mutex_unlock(&p->lock);
    return error;
}

static int paced_stop(snd_pcm_ioplug_t *io)
{
    struct paced *p = io->private_data;
    pthread_mutex_lock(&p->lock);
    p->written = io->appl_ptr;
    bool stalled = p->running && paced_fault_is(p, FAULT_STALL) && p->played >= p->fault.frame;
    paced_advance(p);
    if (stalled)
        paced_fault_fired(p);
    p->running = false;
    p->draining = false;
    paced_wake(p); /* whoever waits in a drain finds the stream stopped */
    pthread_mutex_unlock(&p->lock);
    return 0;
}

/* Plays on until now. A negative position would be an underrun whatever its value, and in a drain a regular end: an error sets the
 * state. */
static int advance(snd_pcm_ioplug_t *io)
{
    struct paced *p = io->private_data;
    p->written = io->appl_ptr;
    int error = paced_advance(p);
    if (error < 0)
        snd_pcm_ioplug_set_state(io, paced_state_after(error));
    return error;
}

static snd_pcm_sframes_t paced_pointer(snd_pcm_ioplug_t *io)
{
    struct paced *p = io->private_data;
    pthread_mutex_lock(&p->lock);
    advance(io);
    snd_pcm_sframes_t position = p->played;
    /* A drain that alsa-lib watches by the position ends when the last frame leaves the converter. */
    if (io->state == SND_PCM_STATE_DRAINING && p->running && position > 0 && !paced_drained(p)
        && p->played == p->written)
        position--;
    paced_arm(p);
    pthread_mutex_unlock(&p->lock);
    return position;
}

static int paced_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay)
{
    struct paced *p = io->private_data;
    pthread_mutex_lock(&p->lock);
    int error = advance(io);
    *delay = (snd_pcm_sframes_t)(p->written - p->played);
    if (p->running && !paced_fault_is(p, FAULT_UNPACED))
        *delay += paced_frames_in(p, paced_latency(p));
    if (paced_fault_is(p, FAULT_ABSURD))
        *delay = p->written > p->fault.frame ? LONG_MAX : LONG_MIN;
    pthread_mutex_unlock(&p->lock);
    return error;
}

static snd_pcm_sframes_t paced_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size)
{
    struct paced *p = io->private_data;
    int error = paced_error_of(io->state);
    if (error < 0)
        return error;
    pthread_mutex_lock(&p->lock);
    if (p->ring != NULL) {
        const unsigned char *source = (const unsigned char *)areas[0].addr + areas[0].first / 8;
        for (snd_pcm_uframes_t i = 0; i < size; i++)
            memcpy(p->ring + (io->appl_ptr + i) % io->buffer_size * p->frame_bytes,
                source + (offset + i) * p->frame_bytes, p->frame_bytes);
    }
    p->written = io->appl_ptr + size;
    paced_arm(p);
    pthread_mutex_unlock(&p->lock);
    return size;
}

static int paced_prepare(snd_pcm_ioplug_t *io)
{
    struct paced *p = io->private_data;
    if (p->gone)
        return -ENODEV;
    pthread_mutex_lock(&p->lock);
    p->running = p->draining = false;
    p->played = p->written = 0;
    if (p->ring != NULL)
        memset(p->ring, 0, io->buffer_size * p->frame_bytes);
    /* alsa-lib says PREPARED only after this; the timer is to be right by then. */
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_PREPARED);
    paced_arm(p);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

/* Blocks to the end of the last frame, or in non-blocking mode says -EAGAIN until then, as a driver does. */
static int paced_drain(snd_pcm_ioplug_t *io)
{
    struct paced *p = io->private_data;
    int result = 0;
    pthread_mutex_lock(&p->lock);
    p->written = io->appl_ptr;
    if (!p->running && !p->draining)
        paced_run(p);
    p->draining = true;
    while (p->running) {
        result = paced_advance(p);
        if (result < 0) {
            snd_pcm_ioplug_set_state(io, paced_state_after(result));
            break;
        }
        if (paced_drained(p))
            break;
        paced_arm(p);
        if (io->nonblock) {
            result = -EAGAIN;
            break;
        }
        pthread_mutex_unlock(&p->lock);
        struct pollfd timer = {.fd = p->timer, .events = POLLIN};
        poll(&timer, 1, -1);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}

static int paced_resume(snd_pcm_ioplug_t *io)
{
    struct paced *p = io->private_data;
    if (!p->fault.resumes)
        return -ENOSYS;
    pthread_mutex_lock(&p->lock);
    paced_run(p);
    snd_pcm_ioplug_set_state(io, p->suspended_from);
    paced_arm(p);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

static int paced_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params)
{
    struct paced *p = io->private_data;
    (void)params;
    p->frame_bytes = snd_pcm_format_physical_width(io->format) / 8 * io->channels;
    free(p->ring);
    p->ring = NULL;
    if (p->capture >= 0) {
        p->ring = calloc(io->buffer_size, p->frame_bytes);
        if (p->ring == NULL)
            return -ENOMEM;
    }
    return 0;
}

static int paced_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params)
{
    struct paced *p = io->private_data;
    pthread_mutex_lock(&p->lock);
    snd_pcm_sw_params_get_avail_min(params, &p->avail_min);
    snd_pcm_sw_params_get_stop_threshold(params, &p->stop_threshold);
    paced_arm(p);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

static int paced_poll_descriptors_count(snd_pcm_ioplug_t *io)
{
    struct paced *p = io->private_data;
    return p->quiet >= 0 ? 2 : 1;
}

static int paced_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned int space)
{
    struct paced *p = io->private_data;
    int count = paced_poll_descriptors_count(io);
    if (space < (unsigned int)count)
        return -EINVAL;
    descriptors[0] = (struct pollfd){.fd = p->timer, .events = POLLIN};
    if (count == 2)
        descriptors[1] = (struct pollfd){.fd = p->quiet, .events = POLLIN};
    return count;
}

/* The same answers as the kernel's own poll for a playback stream. */
static int paced_poll_revents(
    snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned int count, unsigned short *revents)
{
    struct paced *p = io->private_data;
    if (p->quiet >= 0 && (count != 2 || descriptors[0].fd != p->timer || descriptors[1].fd != p->quiet)) {
        p->gone = true;
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
        return -ENODEV;
    }
    snd_pcm_sframes_t available = snd_pcm_avail_update(io->pcm);
    pthread_mutex_lock(&p->lock);
    switch (io->state) {
    case SND_PCM_STATE_PREPARED:
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_PAUSED:
        *revents = available >= (snd_pcm_sframes_t)p->avail_min ? POLLOUT : 0;
        break;
    case SND_PCM_STATE_DRAINING:
        *revents = 0;
        break;
    default:
        *revents = POLLOUT | POLLERR;
    }
    paced_arm(p);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

static void paced_free(struct paced *p)
{
    if (p->timer >= 0)
        close(p->timer);
    if (p->capture >= 0)
        close(p->capture);
    if (p->starts >= 0)
        close(p->starts);
    if (p->lock_file >= 0) {
        /* A child that is being started may have the file open until it becomes another program. */
        flock(p->lock_file, LOCK_UN);
        close(p->lock_file);
    }
    if (p->quiet >= 0)
        close(p->quiet);
    free(p->ring);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static int paced_close(snd_pcm_ioplug_t *io)
{
    paced_free(io->private_data);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = paced_start,
    .stop = paced_stop,
    .pause = paced_pause,
    .pointer = paced_pointer,
    .transfer = paced_transfer,
    .close = paced_close,
    .hw_params = paced_hw_params,
    .sw_params = paced_sw_params,
    .prepare = paced_prepare,
    .drain = paced_drain,
    .resume = paced_resume,
    .poll_descriptors_count = paced_poll_descriptors_count,
    .poll_descriptors = paced_poll_descriptors,
    .poll_revents = paced_poll_revents,
    .delay = paced_delay,
};

static int constrain(struct paced *p)
{
    static const unsigned int accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
    static const unsigned int formats[] = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S32_LE};
    const struct {
        int parameter;
        unsigned int least, most;
    } ranges[] = {
        {SND_PCM_IOPLUG_HW_RATE, p->rate != 0 ? p->rate : 4000, p->rate != 0 ? p->rate : 192000},
        {SND_PCM_IOPLUG_HW_CHANNELS, p->channels != 0 ? p->channels : 1, p->channels != 0 ? p->channels : 8},
        {SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, 1 << 18},
        {SND_PCM_IOPLUG_HW_BUFFER_BYTES, 128, 1 << 20},
        {SND_PCM_IOPLUG_HW_PERIODS, 2, 1024},
    };
    int error = snd_pcm_ioplug_set_param_list(&p->io, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses);
    if (error >= 0)
        error = snd_pcm_ioplug_set_param_list(&p->io, SND_PCM_IOPLUG_HW_FORMAT, 2, formats);
    for (size_t i = 0; error >= 0 && i < sizeof ranges / sizeof ranges[0]; i++)
        error = snd_pcm_ioplug_set_param_minmax(&p->io, ranges[i].parameter, ranges[i].least, ranges[i].most);
    return error;
}

SND_PCM_PLUGIN_DEFINE_FUNC(paced)
{
    (void)root;
    if (stream != SND_PCM_STREAM_PLAYBACK)
        return -ENODEV;
    struct paced *p = calloc(1, sizeof *p);
    if (p == NULL)
        return -ENOMEM;
    pthread_mutex_init(&p->lock, NULL);
    p->capture = p->starts = p->lock_file = p->quiet = -1;
    p->underruns = true;
    p->avail_min = 1;
    p->stop_threshold = LONG_MAX;
    p->fault = (struct fault){.times = 1, .resumes = true};
    p->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

    int error = p->timer < 0 ? -errno : paced_configure(p, conf);
    if (error >= 0)
        error = -p->open_error;
    if (error >= 0 && p->descriptors > 1 && (p->quiet = eventfd(0, EFD_CLOEXEC)) < 0)
        error = -errno;
    if (error < 0) {
        paced_free(p);
        return error;
    }
    p->io.version = SND_PCM_IOPLUG_VERSION;
    p->io.name = "Paced test sink";
    p->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
    p->io.callback = &callbacks;
    p->io.private_data = p;
    p->io.poll_fd = p->timer;
    p->io.poll_events = POLLIN;
    error = snd_pcm_ioplug_create(&p->io, name, stream, mode);
    if (error < 0) {
        paced_free(p);
        return error;
    }
    /* alsa-lib reports later changes of the mode here, but not the one that the PCM was opened with. */
    p->io.nonblock = (mode & SND_PCM_NONBLOCK) != 0;
    error = constrain(p);
    if (error < 0) {
        snd_pcm_ioplug_delete(&p->io); /* closes, and with that frees p */
        return error;
    }
    *pcmp = p->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(paced);
