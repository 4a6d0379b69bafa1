/* A stream's connection to the service: what it is greeted as, what the service says, and when it is asked again. */
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* How much later a service that refused is asked again than one that was not there: twice as much each time, where not others' end
   mends it. */
#define REFUSED_NANOSECONDS (750 * MILLISECOND)
#define MOST_REFUSED_NANOSECONDS (30000 * MILLISECOND)
/* And for a stream that does not run. */
#define IDLE_NANOSECONDS (10000 * MILLISECOND)
/* How often a running stream's service is looked at, to ask one that says nothing. */
#define LOOK_NANOSECONDS (500 * MILLISECOND)

void stream_decide(struct stream *s)
{
    const struct link *l = &s->service;
    /* A service that is there and has not answered yet is waited for. */
    bool silent, plays_unjudged = s->context->rules.plays_unreachable && l->refusal == 0 && l->waits == 0;
    /* As the ALSA plug-in: while the service hangs, what obeys the switch is not heard. */
    if (s->passes)
        silent = false;
    else if (l->over || (l->hangs && !(l->flags & RINGER_PCM_IGNORES_SWITCH)))
        silent = true;
    else
        silent = l->accepted ? l->state != RINGER_PCM_HEARD : !plays_unjudged;
    float target = l->accepted && !s->passes ? (float)l->gain / RINGER_PCM_FULL_GAIN : 1;
    unsigned int ramp = l->accepted ? l->ramp : RINGER_PCM_RAMP_MILLISECONDS;
    bool flips = silent != s->silent, moves = target != s->target;
    s->silent = silent;
    s->target = target;
    if (flips || silent || ramp <= STEP_MILLISECONDS) {
        bool jumps = s->gain != target;
        s->gain = target;
        if (flips || jumps)
            stream_apply(s, true);
    } else if (moves) {
        s->step = (target - s->gain) * STEP_MILLISECONDS / (float)ramp;
        stream_step(s, 1);
    }
}

static void on_service(void *data, int descriptor, uint32_t mask)
{
    (void)descriptor, (void)mask;
    struct stream *s = data;
    stream_update(s);
    s->context->reschedule(s->context);
}

void stream_watch(struct stream *s)
{
    if (s->service.socket == s->watched)
        return;
    if (s->source != NULL)
        pw_loop_destroy_source(s->context->loop, s->source);
    s->source = NULL;
    s->watched = s->service.socket;
    if (s->watched >= 0)
        s->source = pw_loop_add_io(s->context->loop, s->watched, SPA_IO_IN, false, on_service, s);
}

static void report_refusal(struct stream *s)
{
    static const char *const reasons[] = {"", "it is another version's", "its user may not play",
        "there are too many programs", "its category or its options do not exist"};
    const struct link *l = &s->service;
    char why[sizeof s->why] = "";
    if (l->refusal != 0)
        snprintf(why, sizeof why, "%s", l->why[0] != '\0' ? l->why :
            l->refusal < (int)SPA_N_ELEMENTS(reasons) ? reasons[l->refusal] : "the service does not say why");
    if (why[0] != '\0' && strcmp(why, s->why) != 0)
        stream_report(s, "silent, for the service refuses it (%s %s): %s", l->hello.category, l->hello.options, why);
    strcpy(s->why, why);
}

/* Puts the next attempt off that follows one that failed. */
static void put_off(struct stream *s)
{
    struct link *l = &s->service;
    if (l->socket >= 0 || l->next_attempt == s->planned)
        return;
    /* Many may be refused at once, and for as long as they play. */
    bool too_many = l->refusal == RINGER_PCM_TOO_MANY;
    s->refusals = l->refusal == 0 || too_many ? 0 : s->refusals + 1;
    if (l->refusal != 0)
        l->next_attempt += SPA_MIN(REFUSED_NANOSECONDS << (s->refusals > 1 ? SPA_MIN(s->refusals - 1, 6U) : 0), MOST_REFUSED_NANOSECONDS);
    s->planned_running = l->next_attempt;
    if (!s->running)
        l->next_attempt += IDLE_NANOSECONDS;
    s->planned = l->next_attempt;
}

void stream_update(struct stream *s)
{
    if (!s->judged || s->passes)
        return;
    bool hung = s->service.hangs;
    link_update(&s->service);
    stream_watch(s);
    link_ask(&s->service);
    stream_watch(s);
    if (s->service.hangs && !hung)
        stream_report(s, "the service at %s does not answer: until it does, the switch counts as silent",
            s->service.address.sun_path);
    report_refusal(s);
    put_off(s);
    stream_decide(s);
    stream_confirm(s);
}

int64_t stream_due(const struct stream *s, int64_t now)
{
    if (!s->judged || s->passes)
        return INT64_MAX;
    if (s->service.socket < 0)
        return s->service.next_attempt;
    /* Its socket wakes one that does not run. */
    return s->running ? now + LOOK_NANOSECONDS : INT64_MAX;
}

void stream_greet(struct stream *s, const struct spa_dict *properties)
{
    struct ringer_pcm_packet *hello = &s->service.hello;
    hello->version = RINGER_PCM_VERSION;
    hello->kind = RINGER_PCM_HELLO;
    hello->value = RINGER_PCM_PLAYBACK;
    hello->flags = RINGER_PCM_FOR_OTHERS;
    /* The program's connection to PipeWire: no other one has the number while it lasts. */
    const char *client = spa_dict_lookup(properties, PW_KEY_CLIENT_ID);
    hello->gain = client != NULL ? (uint32_t)strtoul(client, NULL, 10) + 1 : 0;
    snprintf(hello->category, sizeof hello->category, "%s", s->category.name);
    snprintf(hello->options, sizeof hello->options, "%s", s->category.options);
    snprintf(hello->name, sizeof hello->name, "%s", s->name);
    s->service.address.sun_family = AF_UNIX;
    snprintf(s->service.address.sun_path, sizeof s->service.address.sun_path, "%s", s->context->rules.socket);
    s->service.flags = ringer_pcm_ignores_switch(hello->category, hello->options) ? RINGER_PCM_IGNORES_SWITCH : 0;
    if (s->running)
        link_tell(&s->service, true);
    if (s->context->verbose)
        stream_report(s, "is %s %s", s->category.name, s->category.options);
    link_open(&s->service, 0);
    stream_watch(s);
}
