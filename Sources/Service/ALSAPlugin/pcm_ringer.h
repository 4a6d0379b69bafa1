/*
 * The ALSA PCM `ringer`: passes sound on to a slave PCM, and obeys the service: docs/alsa.md.
 *
 * It is an external I/O plug-in (alsa/pcm_ioplug.h) and not a filter (pcm_extplug.h), which has no say in the size of the
 * buffer, and cannot end playback early. Its position is the slave's, so that silence takes the time that the sound would
 * have taken.
 */
#ifndef PCM_RINGER_H
#define PCM_RINGER_H

#include <pthread.h>
#include <stdbool.h>

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>

#include "gain.h"
#include "link.h"

struct ringer {
    snd_pcm_ioplug_t io;
    snd_pcm_t *slave;
    char *slave_name;
    /* Held by what may happen during a drain, the one callback in which alsa-lib does not hold the PCM's own lock. */
    pthread_mutex_t lock;
    struct link link;
    struct gain gain;

    /* Configuration. */
    bool skips;              /* what is silenced ends at once, instead of taking its time in silence */
    bool plays_unreachable;  /* a service that is not there silences nothing; one that refuses silences all, and one that
                                hangs what obeys the switch */
    snd_pcm_format_t format; /* UNKNOWN: the slave's first that can be scaled */
    unsigned int rate, channels; /* the nearest that the slave has */

    /* The stream. */
    snd_pcm_uframes_t boundary;
    snd_pcm_uframes_t least_room;   /* frames: the program waits for as much room, its avail_min */
    snd_pcm_uframes_t slave_buffer; /* frames; at least io.buffer_size */
    snd_pcm_uframes_t step;         /* frames: the slave's shortest period, by which its position may move at once */
    snd_pcm_uframes_t position;     /* frames written to or read from the slave, or skipped; below the boundary */
    size_t frame_bytes;
    bool silent;   /* what is written now is silent */
    bool skipping; /* the slave is stopped, and frames are gone as soon as they are written */
    bool restarts; /* the slave is to be started again once enough frames are written */
    int ready;     /* readable while skipping: a descriptor of the program's poll set; -1 without when_silenced skip */
};

/* config.c: reads the configuration's keys. Returns 0 or a negative errno, and has then said why. */
int ringer_configure(struct ringer *ringer, snd_config_t *conf);

/* buffer.c: of what the slave can do, the format, and the sizes of the buffer. Both return 0 or a negative errno. */
int buffer_choose_format(struct ringer *r, snd_pcm_hw_params_t *params, snd_pcm_stream_t stream);
int buffer_constrain(struct ringer *r, snd_pcm_hw_params_t *params);

/* slave.c. Positions count from 0 to the boundary; `position_distance` is negative where `position` is before `other`. */
snd_pcm_uframes_t position_after(const struct ringer *r, snd_pcm_uframes_t position, snd_pcm_uframes_t frames);
snd_pcm_sframes_t position_distance(const struct ringer *r, snd_pcm_uframes_t position, snd_pcm_uframes_t other);
int slave_failed(struct ringer *r, int error);
void slave_take_state(struct ringer *r);
snd_pcm_sframes_t slave_queued(struct ringer *r);
snd_pcm_access_t slave_access(snd_pcm_stream_t stream);
snd_pcm_sframes_t slave_write(struct ringer *r, const char *frames, snd_pcm_uframes_t count);
void slave_silence(struct ringer *r);
void slave_follow_reset(struct ringer *r);
int slave_stop(struct ringer *r);

/* audibility.c */
int audibility_state(const struct ringer *r);
void audibility_obey(struct ringer *r);
void audibility_restart(struct ringer *r);

/* pcm_ringer.c: alsa-lib's callbacks, without and with a pause. */
extern const snd_pcm_ioplug_callback_t ringer_callbacks, ringer_pausing_callbacks;
void ringer_release(struct ringer *r);

#endif
