/* Opens the PCM: its configuration, the slave, the formats that both have, and the greeting of the service. See pcm_ringer.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
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
    r->io.callback = snd_pcm_hw_params_can_pause(params) ? &ringer_pausing_callbacks : &ringer_callbacks;
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
            ringer_release(r);
        return error;
    }
    *pcmp = r->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(ringer);
#pragma GCC visibility pop
