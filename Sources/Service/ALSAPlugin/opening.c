/* Opens the PCM: its configuration, the slave, and the greeting of the service. See pcm_ringer.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pcm_ringer.h"

/* How long opening waits for the service's answer: longer in tests. */
#ifndef GREETING_MILLISECONDS
#define GREETING_MILLISECONDS 100
#endif

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
        error = buffer_choose_format(r, params, stream);
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
    return buffer_constrain(r, params);
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
