/*
 * What the service says of a stream is written to its converter, and nothing that the user sees: `mute`, `volume` and
 * `channelVolumes`, which WirePlumber stores, are not written.
 *
 * Silence is channelmix.max-volume 0, which no other volume overrides. A stream is born so, by stream.rules, and is given the
 * default when the service lets it be heard. Before PipeWire 0.3.72, which has no such property, it is softMute.
 *
 * Ducking is softVolumes: the user's volumes times the gain. Soft values are in force only until somebody writes `mute` or
 * `channelVolumes`, and Props does not say whether they are. So each write has another last digit, which is not heard, to know its
 * echo by, and any change that is no echo is answered by a write; so is an echo that comes twice, for others wrote what was there. Two
 * changes may come as one: it is written a few times. All of this ends, whatever a converter says: see `MOST_`.
 */
#include "stream.h"

#include "sink.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define STEP_MILLISECONDS 5
#define MILLISECOND 1000000LL
/* How much later a service that refused is asked again than one that was not there: twice as much each time, where not others' end
   mends it. */
#define REFUSED_NANOSECONDS (750 * MILLISECOND)
#define MOST_REFUSED_NANOSECONDS (30000 * MILLISECOND)
/* And for a stream that does not run. */
#define IDLE_NANOSECONDS (10000 * MILLISECOND)
/* How long a client may take to say its properties: then its stream is judged without. */
#define CLIENT_MILLISECONDS 200
/* How often a running stream's service is looked at, to ask one that says nothing. */
#define LOOK_NANOSECONDS (500 * MILLISECOND)

/* Of soft volumes, to a converter that has echoed none of them. */
#define MOST_UNECHOED 64
/* Of second echoes in a row that are answered: a converter may say all twice. */
#define MOST_REPEATS 8
#define ROW_NANOSECONDS (1000 * MILLISECOND)
/* How many seconds a converter has at most to confirm its max-volume, before it is written again. */
#define MOST_PATIENCE 32

static const unsigned int again_milliseconds[] = {2, 6, 20, 60, 200};

static void set_timer(struct stream *s, struct spa_source *timer, unsigned int milliseconds)
{
    struct timespec time = {.tv_nsec = milliseconds * MILLISECOND};
    pw_loop_update_timer(s->context->loop, timer, &time, NULL, false);
}

#define REPORT(s, ...) report(s, __VA_ARGS__)
static void __attribute__((format(printf, 2, 3))) report(const struct stream *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "ringer-pipewire: %s (%u): ", s->name, s->id);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* MARK: what is written */

/* Without soft values the converter does what the user says: nothing is to be written for that, but after others, and for a
   stream that was born with softMute. At silent, max-volume alone holds. */
static bool needs_soft(const struct stream *s)
{
    return s->silent ? !s->converter.has_max : s->gain != 1;
}

/* The user's volumes and mute are those with which the newest soft volumes were computed. */
static bool is_unchanged(const struct stream *s)
{
    const struct converter *c = &s->converter;
    return c->mute == s->written_mute && memcmp(c->volumes, s->written_volumes, c->channels * sizeof *c->volumes) == 0;
}

/* How many writes ago the soft volume that the converter says was written; MARKS if it is no such one. */
static unsigned int age(const struct stream *s)
{
    unsigned int age = 0;
    while (age < SPA_MIN(s->writes, MARKS) &&
        fabsf(s->converter.soft - s->marks[(s->writes - age) % MARKS]) > 2e-6f * s->converter.soft)
        age++;
    return age < SPA_MIN(s->writes, MARKS) ? age : MARKS;
}

/* Makes the converter what was decided. `anew`: its soft values may not be in force. */
static void apply(struct stream *s, bool anew)
{
    struct converter *c = &s->converter;
    if (!c->known || !s->judged)
        return;
    bool mutes = s->silent && !c->has_max;
    struct setting setting = {.max = s->silent ? 0 : CONVERTER_LOUDEST, .soft_mute = c->mute || mutes, .gain = s->gain};
    /* What was written and not confirmed is on its way. */
    setting.sets_max = c->has_max && (s->confirmed ? c->max : s->written_max) != setting.max;
    bool ends_soft = !s->silent && (s->soft_in_force || (c->soft_mute && !c->mute));
    setting.sets_soft = anew && (needs_soft(s) || ends_soft) && c->channels > 0;
    if (setting.sets_soft && s->unechoed >= MOST_UNECHOED) {
        if (!s->holds)
            REPORT(s, "its converter does not say that it takes soft volumes: it is not written to until it does");
        s->holds = true;
        setting.sets_soft = false;
    }
    if (!setting.sets_max && !setting.sets_soft)
        return;
    if (setting.sets_soft) {
        float mark = 1 - 1e-5f * (float)(++s->writes % MARKS);
        setting.gain *= mark;
        setting.marker = mutes ? mark : 0;
        s->soft_in_force = needs_soft(s);
        memcpy(s->written_volumes, c->volumes, sizeof s->written_volumes);
        s->written_mute = c->mute;
        s->echoed = false;
        s->unechoed++;
    }
    if (setting.sets_max) {
        s->written_max = setting.max;
        s->confirmed = false;
        s->unconfirmed = now();
    }
    float soft = converter_write(c, s->node, &setting);
    if (setting.sets_soft)
        s->marks[s->writes % MARKS] = soft;
    if (s->context->verbose)
        REPORT(s, "%s, gain %.3f", s->silent ? "silent" : "heard", (double)s->gain);
}

static void step(void *data, uint64_t expirations)
{
    struct stream *s = data;
    float left = s->target - s->gain, moved = s->step * (float)expirations;
    bool arrives = fabsf(left) <= fabsf(moved) || moved * left <= 0;
    s->gain = arrives ? s->target : s->gain + moved;
    apply(s, true);
    if (!arrives)
        set_timer(s, s->ramp, STEP_MILLISECONDS);
}

static void write_again(void *data, uint64_t expirations)
{
    struct stream *s = data;
    if (!s->soft_in_force || !needs_soft(s))
        return;
    if (expirations > 0)
        apply(s, true);
    if (s->agains < SPA_N_ELEMENTS(again_milliseconds))
        set_timer(s, s->again, again_milliseconds[s->agains++]);
}

/* The max-volume of a converter that plays and has not said that it has it. */
static void confirm(struct stream *s)
{
    if (s->confirmed || !s->running || now() - s->unconfirmed < s->patience * 1000 * MILLISECOND)
        return;
    if (s->patience == 1)
        REPORT(s, "its converter has not said for 1 s that it is %s: it is written again", s->silent ? "silent" : "heard");
    s->patience = SPA_MIN(2 * s->patience, (unsigned int)MOST_PATIENCE);
    s->written_max = -1;
    apply(s, false);
}

/* MARK: the service */

static void decide(struct stream *s)
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
            apply(s, true);
    } else if (moves) {
        s->step = (target - s->gain) * STEP_MILLISECONDS / (float)ramp;
        step(s, 1);
    }
}

static void on_service(void *data, int descriptor, uint32_t mask)
{
    (void)descriptor, (void)mask;
    struct stream *s = data;
    stream_update(s);
    s->context->reschedule(s->context);
}

/* Called after all that may open or close the connection, before another descriptor can have its number. */
static void watch(struct stream *s)
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
        REPORT(s, "silent, for the service refuses it (%s %s): %s", l->hello.category, l->hello.options, why);
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
    watch(s);
    link_ask(&s->service);
    watch(s);
    if (s->service.hangs && !hung)
        REPORT(s, "the service at %s does not answer: until it does, the switch counts as silent",
            s->service.address.sun_path);
    report_refusal(s);
    put_off(s);
    decide(s);
    confirm(s);
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

/* MARK: the node */

static const char *first_of(const struct spa_dict *properties, const char *const *keys)
{
    const char *value = NULL;
    while (*keys != NULL && value == NULL)
        value = spa_dict_lookup(properties, *keys++);
    return value != NULL ? value : "";
}

static void greet(struct stream *s, const struct spa_dict *properties)
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
        REPORT(s, "is %s %s", s->category.name, s->category.options);
    link_open(&s->service, 0);
    watch(s);
}

static void judge(struct stream *s, const struct spa_dict *properties)
{
    struct category category = categorize(&s->context->rules, properties);
    category.passes = category.passes || sinks_have(s->context, spa_dict_lookup(properties, PW_KEY_NODE_LINK_GROUP));
    if (s->judged && category.passes == s->category.passes && strcmp(category.name, s->category.name) == 0 &&
        strcmp(category.options, s->category.options) == 0)
        return;
    /* What was judged as something else begins anew with the service. */
    link_close(&s->service);
    watch(s);
    s->service = (struct link){.socket = -1};
    s->planned = 0;
    s->refusals = 0;
    s->judged = true;
    s->category = category;
    s->passes = category.passes;
    snprintf(s->name, sizeof s->name, "%s",
        first_of(properties, (const char *const[]){PW_KEY_APP_NAME, PW_KEY_APP_PROCESS_BINARY, PW_KEY_NODE_NAME, NULL}));
    for (char *end = s->name; *end != '\0'; end++)
        if ((unsigned char)*end < ' ' || *end == 0x7f)
            *end = ' ';
    if (s->passes) {
        decide(s);
        return;
    }
    greet(s, properties);
    apply(s, true);
    stream_update(s);
}

static void on_client_info(void *data, const struct pw_client_info *info)
{
    struct stream *s = data;
    if (info->props == NULL)
        return;
    pw_properties_free(s->client_properties);
    s->client_properties = pw_properties_new_dict(info->props);
    stream_consider(s);
    s->context->reschedule(s->context);
}

static const struct pw_client_events client_events = {PW_VERSION_CLIENT_EVENTS, .info = on_client_info};

static void on_no_answer(void *data, uint64_t expirations)
{
    (void)expirations;
    struct stream *s = data;
    s->waited = true;
    stream_consider(s);
    s->context->reschedule(s->context);
}

/* Whether the stream's client is waited for, whose properties a rule asks for. It was born silent. */
static bool waits_for_client(struct stream *s)
{
    const char *client = pw_properties_get(s->properties, PW_KEY_CLIENT_ID);
    if (s->client_properties != NULL || s->waited || client == NULL || !rules_need_client(&s->context->rules, &s->properties->dict))
        return false;
    if (s->client == NULL) {
        s->client = pw_registry_bind(
            s->context->registry, (uint32_t)strtoul(client, NULL, 10), PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT, 0);
        if (s->client == NULL)
            return false;
        pw_client_add_listener(s->client, &s->client_listener, &client_events, s);
        set_timer(s, s->wait, CLIENT_MILLISECONDS);
    }
    return true;
}

void stream_consider(struct stream *s)
{
    if (s->properties == NULL || waits_for_client(s))
        return;
    struct pw_properties *all = pw_properties_copy(s->properties);
    if (all == NULL)
        return;
    if (s->client_properties != NULL)
        add_client(all, &s->client_properties->dict);
    judge(s, &all->dict);
    pw_properties_free(all);
}

static void on_info(void *data, const struct pw_node_info *info)
{
    struct stream *s = data;
    if (info->change_mask & PW_NODE_CHANGE_MASK_STATE) {
        bool running = info->state == PW_NODE_STATE_RUNNING;
        if (running != s->running) {
            s->running = running;
            if (running && s->service.socket < 0)
                s->service.next_attempt = s->planned = s->planned_running;
            link_tell(&s->service, running);
            watch(s);
            if (s->judged && !s->passes)
                decide(s);
        }
    }
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) && info->props != NULL) {
        pw_properties_free(s->properties);
        s->properties = pw_properties_new_dict(info->props);
        stream_consider(s);
    }
    s->context->reschedule(s->context);
}

/* Others have written what was there, or the converter says all twice: so often in a row, and it is not answered. */
static bool repeats_seldom(struct stream *s)
{
    int64_t time = now();
    s->repeats = time - s->repeated < ROW_NANOSECONDS ? s->repeats + 1 : 1;
    s->repeated = time;
    return s->repeats <= MOST_REPEATS;
}

static void on_param(
    void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param)
{
    (void)sequence, (void)index, (void)next;
    struct stream *s = data;
    struct converter *c = &s->converter;
    if (id != SPA_PARAM_Props || !converter_read(c, param))
        return;
    if (c->has_max && c->max == s->written_max) {
        s->confirmed = true;
        s->patience = 1;
    }
    unsigned int writes_ago = age(s);
    bool held = s->holds;
    if (writes_ago < MARKS) {
        s->unechoed = 0;
        s->holds = false;
    }
    if (writes_ago < MARKS && s->soft_in_force && is_unchanged(s) && !held) {
        bool repeats = writes_ago == 0 && s->echoed;
        s->echoed = s->echoed || writes_ago == 0;
        apply(s, repeats && repeats_seldom(s));
        return;
    }
    /* What was written and has not been echoed is on its way, and is the last. */
    bool others = s->echoed || !is_unchanged(s);
    apply(s, !s->soft_in_force || s->echoed || held);
    if (s->soft_in_force && others) {
        s->agains = 0;
        write_again(s, 0);
    }
}

static const struct pw_node_events events = {PW_VERSION_NODE_EVENTS, .info = on_info, .param = on_param};

static void free_timers(struct stream *s)
{
    struct spa_source *timers[] = {s->ramp, s->again, s->wait};
    for (size_t i = 0; i < SPA_N_ELEMENTS(timers); i++)
        if (timers[i] != NULL)
            pw_loop_destroy_source(s->context->loop, timers[i]);
}

struct stream *stream_new(struct context *context, uint32_t id, struct pw_node *node)
{
    struct stream *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    *s = (struct stream){.context = context, .id = id, .node = node, .watched = -1, .silent = true, .target = 1, .gain = 1,
        .written_max = -1, .confirmed = true, .patience = 1};
    s->service.socket = -1;
    s->ramp = pw_loop_add_timer(context->loop, step, s);
    s->again = pw_loop_add_timer(context->loop, write_again, s);
    s->wait = pw_loop_add_timer(context->loop, on_no_answer, s);
    if (s->ramp == NULL || s->again == NULL || s->wait == NULL) {
        free_timers(s);
        free(s);
        return NULL;
    }
    spa_list_append(&context->streams, &s->link);
    pw_node_add_listener(node, &s->listener, &events, s);
    uint32_t ids[] = {SPA_PARAM_Props};
    pw_node_subscribe_params(node, ids, 1);
    return s;
}

void stream_free(struct stream *s)
{
    link_close(&s->service);
    watch(s);
    free_timers(s);
    if (s->client != NULL) {
        spa_hook_remove(&s->client_listener);
        pw_proxy_destroy((struct pw_proxy *)s->client);
    }
    pw_properties_free(s->client_properties);
    pw_properties_free(s->properties);
    spa_hook_remove(&s->listener);
    pw_proxy_destroy((struct pw_proxy *)s->node);
    spa_list_remove(&s->link);
    free(s);
}
