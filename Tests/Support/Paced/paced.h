/*
 * pcm_paced: a sink for alsa-lib that keeps real time without a sound card, a server or a privilege,
 * and that fails as configured. For tests only.
 *
 * It is an external I/O plugin (alsa/pcm_ioplug.h): what a driver is in the kernel, a shared object in
 * the process. A frame counts as played when its time on CLOCK_MONOTONIC has come. The descriptor that
 * callers poll is a timerfd, armed for the moment at which the answer of poll changes and no other.
 *
 * Configuration, all keys optional:
 *
 *     type paced
 *     latency_ms 12             what a converter's own queue adds to snd_pcm_delay and to the end of a drain
 *     underruns false           the clock waits for a late writer, instead of an underrun (default: true)
 *     rate 48000                the only rate accepted (default: 4,000 to 192,000 Hz)
 *     channels 2                the only channel count accepted (default: 1 to 8)
 *     capture_file "/tmp/x"     frames are appended to it, as bytes, when they are played: never those
 *                               that snd_pcm_drop threw away
 *     starts_file "/tmp/w"      the time of each start is appended to it: a line with the nanoseconds of CLOCK_MONOTONIC
 *     lock_file "/tmp/y"        the device takes one stream: opening locks the file, and fails with EBUSY
 *                               while another holds the lock
 *     lock_error "EMFILE"       with this error instead; comes before lock_file
 *     open_error "EBUSY"        opening fails with it: EBUSY, ENODEV, ENOENT, EACCES, EIO, EMFILE, ENFILE or ENOMEM
 *     open_gate "/tmp/z"        opening waits while another holds a lock (flock) of this file: a slow device
 *                               its time
 *     descriptors 2             callers poll two descriptors, as with BlueALSA; for a caller that passes only one of them
 *                               the device is lost: -ENODEV (default: 1)
 *     fault {
 *         type xrun             the stream underruns: -EPIPE; snd_pcm_prepare repairs it
 *              suspend          the system slept: -ESTRPIPE; snd_pcm_resume or snd_pcm_prepare repairs it
 *              gone             the device was unplugged: -ENODEV from here on
 *              stall            the position does not change: writing blocks, a drain never ends
 *              unpaced          everything is played the moment it is written, as a muted sink does
 *              absurd           snd_pcm_delay reports the least number that there is, after so many frames the greatest
 *         frame 4800            after so many played frames, counted from each start (default: 0)
 *         times 1               that often for each opened PCM; 0 for always (default: 1)
 *         resume false          snd_pcm_resume leaves the stream suspended (default: true)
 *     }
 *
 * alsa-lib 1.2.8 throws away what a plugin's resume returns: a refused resume shows as a
 * snd_pcm_resume of 0 and a state that is still SUSPENDED, where a driver answers -ENOSYS.
 */
#ifndef RINGER_PACED_H
#define RINGER_PACED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>

enum fault_type { FAULT_NONE, FAULT_XRUN, FAULT_SUSPEND, FAULT_GONE, FAULT_STALL, FAULT_UNPACED, FAULT_ABSURD };

struct fault {
    enum fault_type type;
    snd_pcm_uframes_t frame;
    long times; /* left to fire; -1: always */
    bool resumes;
};

struct paced {
    snd_pcm_ioplug_t io;
    pthread_mutex_t lock; /* drop may come from another thread than the one that drains or polls */
    int timer;

    long latency_ms;
    bool underruns;
    long rate, channels;
    int capture, starts;
    int lock_file;
    int open_error, lock_error;
    long descriptors;
    int quiet; /* the second descriptor: nothing ever happens on it; -1 where there is none */
    struct fault fault;

    bool running, draining, gone;
    snd_pcm_state_t suspended_from;
    int64_t started;           /* the moment at which frame 0 was played */
    snd_pcm_uframes_t played;  /* frames since prepare whose time has come */
    snd_pcm_uframes_t written; /* frames since prepare that were handed over */
    snd_pcm_uframes_t avail_min, stop_threshold;
    unsigned char *ring; /* buffer_size frames, kept only for the capture file */
    size_t frame_bytes;
};

/* paced_config.c: reads the keys above. Returns 0 or a negative errno, and has then said why. */
int paced_configure(struct paced *p, snd_config_t *conf);

/* paced_stream.c: the stream's life. All of these are called with the lock held. */

/* Carries the stream to the present. Returns what stopped it: 0, -EPIPE, -ESTRPIPE or -ENODEV. */
int paced_advance(struct paced *p);
/* Lets time pass for the stream from the position that it has. */
void paced_run(struct paced *p);
/* Whether the last frame handed over has left the converter. */
bool paced_drained(const struct paced *p);
/* Sets the timer to the next moment at which poll has something to say. */
void paced_arm(struct paced *p);
/* Sets the timer to now: whoever waits looks again. */
void paced_wake(struct paced *p);

bool paced_fault_is(const struct paced *p, enum fault_type type);
void paced_fault_fired(struct paced *p);
snd_pcm_uframes_t paced_frames_in(const struct paced *p, int64_t nanoseconds);
int64_t paced_latency(const struct paced *p);
snd_pcm_state_t paced_state_after(int error);
int paced_error_of(snd_pcm_state_t state);

#endif
