/* The stream of the paced sink: when each frame is played, and which fault occurs at which. */
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "paced.h"

#define NANOSECONDS 1000000000LL
#define NEVER INT64_MAX
#define AT_ONCE 1 /* a moment that has passed: zero would disarm the timer */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

snd_pcm_uframes_t paced_frames_in(const struct paced *p, int64_t nanoseconds)
{
    if (nanoseconds <= 0)
        return 0;
    return (nanoseconds / NANOSECONDS) * p->io.rate + (nanoseconds % NANOSECONDS) * p->io.rate / NANOSECONDS;
}

/* Rounded up, so that at the end of the time given the frames have certainly been played. */
static int64_t duration_of(const struct paced *p, snd_pcm_uframes_t frames)
{
    snd_pcm_uframes_t seconds = frames / p->io.rate, rest = frames % p->io.rate;
    return (int64_t)seconds * NANOSECONDS + ((int64_t)rest * NANOSECONDS + p->io.rate - 1) / p->io.rate;
}

int64_t paced_latency(const struct paced *p)
{
    return p->latency_ms * (NANOSECONDS / 1000);
}

bool paced_fault_is(const struct paced *p, enum fault_type type)
{
    return p->fault.type == type && p->fault.times != 0;
}

static bool fault_stops_stream(const struct paced *p)
{
    return paced_fault_is(p, FAULT_XRUN) || paced_fault_is(p, FAULT_SUSPEND) || paced_fault_is(p, FAULT_GONE);
}

void paced_fault_fired(struct paced *p)
{
    if (p->fault.times > 0)
        p->fault.times--;
}

static void capture_bytes(struct paced *p, const unsigned char *bytes, size_t count)
{
    while (count > 0 && p->capture >= 0) {
        ssize_t done = write(p->capture, bytes, count);
        if (done >= 0) {
            bytes += done;
            count -= done;
        } else if (errno != EINTR) {
            SYSERR("paced: capture_file");
            close(p->capture);
            p->capture = -1;
        }
    }
}

/* Moves the position; the frames before it have been heard. */
static void play_up_to(struct paced *p, snd_pcm_uframes_t frame)
{
    while (p->played < frame) {
        snd_pcm_uframes_t offset = p->played % p->io.buffer_size;
        snd_pcm_uframes_t run = frame - p->played;
        if (run > p->io.buffer_size - offset)
            run = p->io.buffer_size - offset;
        if (p->ring != NULL) {
            unsigned char *bytes = p->ring + offset * p->frame_bytes;
            capture_bytes(p, bytes, run * p->frame_bytes);
            memset(bytes, 0, run * p->frame_bytes);
        }
        p->played += run;
    }
}

int paced_advance(struct paced *p)
{
    if (!p->running)
        return 0;
    int64_t present = now();
    snd_pcm_uframes_t due = paced_frames_in(p, present - p->started);
    bool unpaced = paced_fault_is(p, FAULT_UNPACED) && p->written >= p->fault.frame && due >= p->fault.frame;

    if (unpaced) {
        due = p->written;
    } else if (due > p->written) {
        /* Everything that was handed over has been played. */
        bool stalled = paced_fault_is(p, FAULT_STALL) && p->fault.frame <= p->written;
        bool fails = fault_stops_stream(p) && p->fault.frame <= p->written;
        if (p->draining || stalled || fails) {
            due = p->written;
        } else if (!p->underruns) {
            due = p->written;
            p->started = present - duration_of(p, due);
        } else if (due - p->written + p->io.buffer_size >= p->stop_threshold) {
            play_up_to(p, p->written);
            p->running = false;
            return -EPIPE;
        }
    }

    if (due >= p->fault.frame && paced_fault_is(p, FAULT_STALL)) {
        play_up_to(p, p->fault.frame);
    } else if (due >= p->fault.frame && fault_stops_stream(p)) {
        play_up_to(p, p->fault.frame);
        p->running = false;
        paced_fault_fired(p);
        switch (p->fault.type) {
        case FAULT_SUSPEND:
            p->suspended_from = p->draining ? SND_PCM_STATE_DRAINING : SND_PCM_STATE_RUNNING;
            return -ESTRPIPE;
        case FAULT_GONE:
            p->gone = true;
            return -ENODEV;
        default:
            return -EPIPE;
        }
    } else {
        play_up_to(p, due);
    }
    return 0;
}

bool paced_drained(const struct paced *p)
{
    if (p->played < p->written)
        return false;
    if (paced_fault_is(p, FAULT_UNPACED) && p->fault.frame <= p->written)
        return true;
    if (paced_fault_is(p, FAULT_STALL) && p->fault.frame <= p->written)
        return false;
    return now() >= p->started + duration_of(p, p->written) + paced_latency(p);
}

snd_pcm_state_t paced_state_after(int error)
{
    switch (error) {
    case -ENODEV:
        return SND_PCM_STATE_DISCONNECTED;
    case -ESTRPIPE:
        return SND_PCM_STATE_SUSPENDED;
    default:
        return SND_PCM_STATE_XRUN;
    }
}

int paced_error_of(snd_pcm_state_t state)
{
    switch (state) {
    case SND_PCM_STATE_DISCONNECTED:
        return -ENODEV;
    case SND_PCM_STATE_SUSPENDED:
        return -ESTRPIPE;
    case SND_PCM_STATE_XRUN:
        return -EPIPE;
    default:
        return 0;
    }
}

/* The next time at which the result of poll changes: room for avail_min frames, an end, or a failure. */
static int64_t next_event(const struct paced *p)
{
    if (paced_error_of(p->io.state) != 0 || p->io.state == SND_PCM_STATE_SETUP)
        return AT_ONCE;
    if (!p->running) {
        snd_pcm_uframes_t queued = p->written - p->played;
        return p->io.buffer_size - queued >= p->avail_min ? AT_ONCE : NEVER;
    }
    if (paced_fault_is(p, FAULT_UNPACED) && p->played >= p->fault.frame)
        return AT_ONCE;

    int64_t event;
    if (p->draining) {
        event = p->started + duration_of(p, p->written) + paced_latency(p);
    } else {
        snd_pcm_uframes_t least = p->avail_min < p->stop_threshold ? p->avail_min : p->stop_threshold;
        if (p->written + least <= p->played + p->io.buffer_size)
            return AT_ONCE;
        event = p->started + duration_of(p, p->written + least - p->io.buffer_size);
    }
    int64_t failure = p->started + duration_of(p, p->fault.frame);
    if (paced_fault_is(p, FAULT_STALL) && event >= failure)
        return NEVER;
    if ((fault_stops_stream(p) || paced_fault_is(p, FAULT_UNPACED)) && failure < event && p->fault.frame <= p->written)
        return failure;
    return event;
}

static void set_timer(struct paced *p, int64_t moment)
{
    struct itimerspec setting = {0};
    if (moment != NEVER) {
        setting.it_value.tv_sec = moment / NANOSECONDS;
        setting.it_value.tv_nsec = moment % NANOSECONDS;
    }
    if (timerfd_settime(p->timer, TFD_TIMER_ABSTIME, &setting, NULL) < 0)
        SYSERR("paced: timerfd_settime");
}

void paced_arm(struct paced *p)
{
    set_timer(p, next_event(p));
}

void paced_wake(struct paced *p)
{
    set_timer(p, AT_ONCE);
}

void paced_run(struct paced *p)
{
    p->started = now() - duration_of(p, p->played);
    p->running = true;
}
